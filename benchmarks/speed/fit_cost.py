"""Fit every classifier at its defaults to three tables: a small one, more rows, more columns.

The sizes are 500 × 10, four times the rows, and four times the columns.

python benchmarks/speed/fit_cost.py [CLASSIFIER ...]

Writes processor seconds of one thread to docs/results/rows/fit-cost.csv, from which the table of
all classifiers (docs/choose.md) has its cost. Without names it measures the classifiers that the
file does not have yet, so a run that is stopped goes on from there.
"""

import csv
import sys
import time
from pathlib import Path

from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits
from timing import seconds

import kernsemble
from kernsemble.environment import code_version

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "rows" / "fit-cost.csv"
#: Rows and columns of the three tables.
SIZES = ((500, 10), (2000, 10), (500, 40))
#: A fit that takes less is repeated, and the shortest time counts.
SHORT = 2.0


def measure(name, n_rows, n_columns):
    """Return the processor seconds of one fit."""
    X, y = make_classification(
        n_rows, n_columns, n_informative=8, n_redundant=0, n_classes=3, random_state=0
    )
    cls = getattr(kernsemble, name)
    seed = {"random_state": 0} if "random_state" in cls().get_params() else {}
    with threadpool_limits(1):
        # The first fit of a process imports and compiles.
        cls(**seed).fit(X[:60], y[:60])
        times = [seconds(lambda: cls(**seed).fit(X, y), time.process_time)]
        while times[0] < SHORT and len(times) < 3:
            times.append(seconds(lambda: cls(**seed).fit(X, y), time.process_time))
    return min(times)


def main(chosen):
    rows = list(csv.DictReader(RESULTS.open(encoding="utf-8"))) if RESULTS.exists() else []
    known = {row["classifier"] for row in rows}
    every = [name for name in kernsemble.__all__ if name.endswith("Classifier")]
    for name in chosen or sorted(set(every) - known):
        rows = [row for row in rows if row["classifier"] != name]
        for n_rows, n_columns in SIZES:
            taken = f"{measure(name, n_rows, n_columns):.3g}"
            print(name, n_rows, n_columns, taken, flush=True)
            values = (name, n_rows, n_columns, taken, code_version()[:9])
            fields = ("classifier", "rows", "columns", "seconds", "commit")
            rows.append(dict(zip(fields, values)))
        rows.sort(key=lambda row: row["classifier"])
        with RESULTS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
