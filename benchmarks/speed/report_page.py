"""How long a large report takes and how large it is: 121 data sets × 20 methods × 4 splits.

Prints one JSON line. The ledger holds made-up results with every measure of a cell, some failures
and some methods without probabilities; the page holds the views of all measures.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.methods import Method
from kernsemble.benchmark.protocols import PROTOCOLS
from kernsemble.report import write_report

N_DATASETS, N_METHODS, N_SPLITS = 121, 20, 4


def measured(rng, level, gain, size):
    """Return a made-up outcome of a cell."""
    accuracy = float(np.clip(level + gain + 0.01 * rng.randn(), 0.02, 1.0))
    seconds = float(size * np.exp(rng.randn() / 4) * (1 + 40 * gain) / 3000)
    loss = max(0.01, 1.5 * (1 - accuracy) + 0.02 * rng.randn())
    return {
        "accuracy": accuracy,
        "balanced_accuracy": float(np.clip(accuracy - abs(0.03 * rng.randn()), 0, 1)),
        "n_train": int(0.75 * size),
        "n_test": int(0.25 * size),
        "tune_seconds": 5 * seconds,
        "fit_seconds": seconds,
        "predict_seconds": seconds / 10,
        "params": {"C": 2.0, "gamma": 0.125},
        "data_digest": "made up",
        "measures": {
            "log_loss": loss,
            "brier": 0.6 * loss,
            "auc": min(1.0, accuracy + 0.05),
            "calibration_error": abs(0.05 * rng.randn()),
            "fit_cpu_seconds": seconds,
            "predict_cpu_seconds": seconds / 10,
            "peak_memory_mb": 150 + size / 50,
            "model_bytes": 1000.0 * size,
        },
    }


def fill(ledger, n_datasets=N_DATASETS, n_methods=N_METHODS, n_splits=N_SPLITS):
    """Write the results of a made-up study."""
    rng = np.random.RandomState(0)
    protocol = PROTOCOLS["kfold"].definition()
    for number in range(n_datasets):
        level, size = rng.uniform(0.55, 0.9), int(10 ** rng.uniform(2, 4.5))
        facts = {
            "n_rows": size,
            "n_columns": int(rng.randint(3, 120)),
            "n_classes": int(rng.choice([2, 2, 3, 5, 12])),
            "majority_share": float(rng.uniform(0.5, 0.8)),
            "minority_share": float(rng.uniform(0.1, 0.5)),
            "categorical_share": float(rng.choice([0, 0, 0.3, 0.8])),
            "missing_share": 0.0,
        }
        for place in range(n_methods):
            folder = "kernsemble.ensembles" if place % 4 == 0 else "sklearn.svm"
            definition = Method(f"Method {place + 1:02}", f"{folder}.Any").definition()
            maker = {"protocol": protocol, "method": definition, "versions": {}}
            for split in range(n_splits):
                outcome = measured(rng, level, 0.004 * place + 0.005 * rng.randn(), size)
                outcome["facts"] = facts
                if place == 7:
                    for name in ("log_loss", "brier", "auc", "calibration_error"):
                        del outcome["measures"][name]
                if rng.rand() < 0.001:
                    outcome = {"failure": "the cell took more than 600 s"}
                cell = Cell(f"data set {number:03}", definition["name"], "kfold", str(split), 0)
                ledger.record(cell, outcome, maker)
    ledger.note_command("made up by benchmarks/speed/report_page.py", {})


def main():
    """Measure once and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="Folder in which ledger and page are left.")
    keep = parser.parse_args().keep
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with Ledger(folder / "report_page.sqlite") as ledger:
            if not ledger.finished():
                fill(ledger)
            start, used = time.perf_counter(), time.process_time()
            page = write_report(ledger, folder / "report_page.html", title="121 data sets")
            seconds, used = time.perf_counter() - start, time.process_time() - used
        size = page.stat().st_size
    result = {
        "cells": N_DATASETS * N_METHODS * N_SPLITS,
        "page_seconds": round(seconds, 2),
        "page_processor_seconds": round(used, 2),
        "page_megabytes": round(size / 1e6, 3),
    }
    json.dump(result, sys.stdout)
    print()


if __name__ == "__main__":
    main()
