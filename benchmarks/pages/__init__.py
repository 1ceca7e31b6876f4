"""The result pages: numbers and tables computed from the rows in docs/results/rows."""
