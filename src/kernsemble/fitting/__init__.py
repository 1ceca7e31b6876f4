"""The road every classifier takes: open a table, draw, fit members in parallel, finish."""
