"""Run mixed-tables.toml: every table, fold and method that has no row yet.

    KERNSEMBLE_DATA=folder python -m benchmarks.studies.mixed_tables [method ...]

Rows go to docs/results/rows/mixed-tables.csv, so a run that was ended goes on where it was. The
tables are those of `mixed/` in the data folder. `python -m benchmarks.pages write` makes the page.
"""

import csv
import os
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

from kernsemble.benchmark.cell import evaluate_cell
from kernsemble.benchmark.methods import resolve_method
from kernsemble.benchmark.protocols import resolve_protocol

HERE = Path(__file__).parent
ROWS = HERE.parents[1] / "docs" / "results" / "rows" / "mixed-tables.csv"
FIELDS = [
    *("dataset", "method", "protocol", "split", "seed", "n_rows", "accuracy", "log_loss"),
    *("honest_accuracy", "fit_cpu_seconds", "predict_cpu_seconds", "commit"),
]
# A table of this many rows is measured on one fold.
LARGE = {"mixed/diamonds-cut"}


def run(names=()):
    """Run the cells of the named methods, or of all, and add their rows."""
    study = tomllib.loads((HERE / "mixed-tables.toml").read_text())
    protocol = resolve_protocol(study["protocol"], study["protocol-options"])
    done = {(row["dataset"], row["method"], row["split"]) for row in _read()}
    cells = [
        (fold, dataset, name)
        for fold in map(str, range(protocol.n_splits))
        for dataset in study["datasets"]
        for name in names or study["methods"]
        if fold == "0" or dataset not in LARGE
    ]
    # One fold after the other, so that a run that was ended has the same folds of every table.
    for fold, dataset, name in cells:
        if (dataset, name, fold) not in done:
            method = resolve_method(name, study["method"])
            _write(_measure(dataset, method, protocol, fold))


def _measure(dataset, method, protocol, fold):
    job = {
        "dataset": str(Path(os.environ["KERNSEMBLE_DATA"]) / f"{dataset}.csv.gz"),
        "method": method.definition(),
        "protocol": protocol.definition(),
        "split": fold,
        "seed": 0,
        "choice": None,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = evaluate_cell(job)
    return {
        **{"dataset": dataset, "method": method.name, "protocol": protocol.name},
        **{"split": fold, "seed": 0, "n_rows": outcome["n_train"] + outcome["n_test"]},
        "accuracy": f"{outcome['accuracy']:.6f}",
        **{name: f"{value:.6f}" for name, value in outcome["measures"].items()},
        "commit": _commit(),
    }


def _commit():
    command = ["git", "-C", str(HERE), "rev-parse", "--short=9", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _read():
    if not ROWS.exists():
        return []
    with ROWS.open(newline="") as stream:
        return list(csv.DictReader(stream))


def _write(row):
    new = not ROWS.exists()
    with ROWS.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS, extrasaction="ignore", lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)
    print(*(row[name] for name in ("dataset", "method", "split", "accuracy")), flush=True)


if __name__ == "__main__":
    run(sys.argv[1:])
