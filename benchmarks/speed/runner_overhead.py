"""What the runner adds to a cell: 121 data sets × 20 trivial methods into one ledger.

Prints one JSON line. The overhead is what the run takes beyond fit and predict, worker start
included: by the wall clock, and in processor time against a plain loop over the same cells, which a
busy machine does not distort. Then the restart of a finished run, and the report.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.sources import load_source
from kernsemble.benchmark.study import make_study
from kernsemble.frames.features import make_model
from kernsemble.report import write_report

N_DATASETS, N_METHODS = 121, 20


def write_tables(folder):
    """Write small data sets of two classes."""
    rng = np.random.RandomState(0)
    paths = []
    for number in range(N_DATASETS):
        table = pd.DataFrame(rng.randn(60, 4).round(3), columns=list("abcd"))
        table["target"] = rng.permutation(np.arange(60) % (2 + number % 3))
        paths.append(str(Path(folder) / f"set{number:03}.csv"))
        table.to_csv(paths[-1], index=False)
    return paths


def processor_seconds():
    """Return the processor time of this process and of its ended children."""
    parts = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, parts))


def plain_loop(study):
    """Fit and predict every cell in this process, as one would without a runner."""
    for source in study.datasets.values():
        data = load_source(source)
        train, test = study.protocol.split(data, "0", 0)
        for method in study.methods.values():
            model = make_model(data.X, method.build(0))
            model.fit(data.X[train], data.y[train]).predict(data.X[test])


def main():
    """Measure once and print."""
    with tempfile.TemporaryDirectory() as folder:
        variants = {
            f"trivial{number:02}": {
                "base": "Majority",
                # Uniform guesses differ from cell to cell, so the report has something to draw.
                "params": {"strategy": "uniform", "constant": number},
            }
            for number in range(N_METHODS)
        }
        study = make_study(
            write_tables(folder),
            list(variants),
            "monte-carlo",
            protocol_options={"n_splits": 1},
            variants=variants,
        )
        with Ledger(Path(folder) / "ledger.sqlite") as ledger:
            start, used = time.perf_counter(), processor_seconds()
            summary = run_study(study, ledger, n_jobs=1)
            seconds, used = time.perf_counter() - start, processor_seconds() - used
            plain = processor_seconds()
            plain_loop(study)
            plain = processor_seconds() - plain
            start = time.perf_counter()
            run_study(study, ledger, n_jobs=1)
            restart = time.perf_counter() - start
            rows = ledger.results()
            start, drawn_used = time.perf_counter(), processor_seconds()
            page = write_report(ledger, Path(folder) / "report.html")
            drawn, drawn_used = time.perf_counter() - start, processor_seconds() - drawn_used
        assert summary.failed == 0, rows["failure"].unique()
        work = (rows["fit_seconds"] + rows["predict_seconds"]).sum()
        result = {
            "cells": len(rows),
            "overhead_ms_per_cell": round(1000 * (seconds - work) / len(rows), 3),
            "overhead_processor_ms_per_cell": round(1000 * (used - plain) / len(rows), 3),
            "run_seconds": round(seconds, 2),
            "restart_seconds": round(restart, 3),
            "report_seconds": round(drawn, 2),
            "report_processor_seconds": round(drawn_used, 2),
            "report_megabytes": round(page.stat().st_size / 1e6, 3),
        }
    json.dump(result, sys.stdout)
    print()


if __name__ == "__main__":
    main()
