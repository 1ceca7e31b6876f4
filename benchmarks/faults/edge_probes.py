"""Fit every classifier to tables at the edge: answered in bounded memory, or refused with a reason.

    python benchmarks/faults/edge_probes.py [--only CoKRR] [--probe many_classes]

Run from the root of the checkout. A probe runs in a process of its own with at most 6 GB of memory
and 300 s of processor time, at the classifier's defaults. Its outcome is "fitted", "refused" with a
message about the table, "traceback", "time" or "killed".

Every probe becomes a row of `docs/results/rows/edge-probes.csv`.
A row that is there is not run again, unless it says neither
"fitted" nor "refused", or `--again` is given. The exit code is 0 if all rows say one of these two.

The tables: 2,000 classes of one row, 10,000 classes of two rows, 200,000 rows of which 5 are
distinct, and 3 rows of 100,000 columns.
"""

import argparse
import csv
import json
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import kernsemble

MEMORY = 6 * 2**30
SECONDS = 300
# How long a call of a compiled library may go on beyond it, before the process is ended.
PATIENCE = 60
ROWS = Path(__file__).resolve().parents[2] / "docs" / "results" / "rows" / "edge-probes.csv"
COLUMNS = ["probe", "classifier", "outcome", "message", "seconds", "gigabytes", "commit"]
PROBES = {
    "one_row_a_class": lambda rng: (rng.randn(2000, 4), np.arange(2000)),
    "many_classes": lambda rng: (rng.randn(20_000, 4), np.arange(20_000) % 10_000),
    "five_distinct_rows": lambda rng: _five_rows(rng, 200_000),
    "many_columns": lambda rng: (rng.randn(3, 100_000), np.array([0, 1, 0])),
}
GOOD = ("fitted", "refused")
# A message about what the user gave has one of these words.
OUTER_WORDS = ("rows", "columns", "classes", "class ", "X ")


def _five_rows(rng, n_rows):
    drawn = rng.randint(5, size=n_rows)
    return rng.randn(5, 4)[drawn], drawn % 2


def classifiers():
    """Return the names of all exported classifiers, without the ending."""
    ending = "Classifier"
    return [name.removesuffix(ending) for name in kernsemble.__all__ if name.endswith(ending)]


def probe(name, case):
    """Fit one classifier to one table and print how it went."""
    cls = getattr(kernsemble, f"{name}Classifier")
    X, y = PROBES[case](np.random.RandomState(0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = time.process_time()
    limits = int(start) + SECONDS, int(start) + SECONDS + PATIENCE
    resource.setrlimit(resource.RLIMIT_CPU, limits)
    signal.signal(signal.SIGXCPU, _too_long)
    try:
        clf = cls(random_state=0) if "random_state" in cls().get_params() else cls()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            P = clf.fit(X, y).predict_proba(X[:20])
        good = P.shape == (len(X[:20]), len(np.unique(y))) and np.isfinite(P).all()
        outcome, message = ("fitted", "") if good else ("traceback", "probabilities are wrong")
    except TimeoutError:
        outcome, message = "time", ""
    except (ValueError, MemoryError) as error:
        message = f"{type(error).__name__}: {error}"
        outcome = "refused" if any(word in message for word in OUTER_WORDS) else "traceback"
    except Exception as error:
        outcome, message = "traceback", f"{type(error).__name__}: {error}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    found = {"outcome": outcome, "message": message, "gigabytes": f"{peak:.2f}"}
    print(json.dumps({**found, "seconds": f"{time.process_time() - start:.1f}"}))


def _too_long(*_):
    raise TimeoutError


def run(name, case):
    """Run a probe in a process of its own and return its row."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, __file__, "--run", name, case]
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = {"probe": case, "classifier": name, "seconds": f"{spent:.1f}"}
    if done.stdout:
        return row | json.loads(done.stdout)
    # Python raises no error inside a call of a compiled library; the system ended the process.
    outcome = "time" if spent >= SECONDS else "killed"
    return row | {"outcome": outcome, "message": done.stderr[-200:].strip()}


def read_rows():
    """Return the rows that are known, by probe and classifier."""
    if not ROWS.exists():
        return {}
    with ROWS.open(newline="", encoding="utf-8") as file:
        return {(row["probe"], row["classifier"]): row for row in csv.DictReader(file)}


def write_rows(rows):
    """Write the rows in the order of probes and classifiers."""
    order = [(case, name) for case in PROBES for name in classifiers()]
    with ROWS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in order if key in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=classifiers())
    parser.add_argument("--probe", action="append", choices=list(PROBES))
    parser.add_argument("--again", action="store_true", help="run rows that are there, too")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        probe(*asked.run)
        return 0
    commit = subprocess.check_output(["git", "rev-parse", "--short=9", "HEAD"], text=True).strip()
    for case in asked.probe or PROBES:
        for name in asked.only or classifiers():
            rows = read_rows()
            known = rows.get((case, name))
            if asked.again or known is None or known["outcome"] not in GOOD:
                row = run(name, case) | {"commit": commit}
                print(row, flush=True)
                write_rows(read_rows() | {(case, name): row})
    return 0 if all(row["outcome"] in GOOD for row in read_rows().values()) else 1


if __name__ == "__main__":
    sys.exit(main())
