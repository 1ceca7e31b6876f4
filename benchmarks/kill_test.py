"""Kill a benchmark again and again, and compare its ledger with that of a quiet run.

Usage: ``python benchmarks/kill_test.py [--kills 200] [--seed 0]``. Prints one JSON line; the exit
code is 0 when both ledgers hold the same rows, times aside.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from kernsemble.benchmark.ledger import Ledger

# A kill comes between the start of a run and this many seconds after its ledger was opened.
WORKING = 8.0
TIMES = ["tune_seconds", "fit_seconds", "predict_seconds", "finished"]
STUDY = """
datasets = [{datasets}]
methods = ["LandmarkRidge", "NearestNeighbours", "small-forest"]
protocol = "five-fold"
seeds = {seeds}

[method.LandmarkRidge]
base = "LandmarkRidge"
params = {{ n_estimators = 3 }}
grid = {{ alpha = [0.01, 1.0] }}

[method.small-forest]
base = "RandomForest"
params = {{ n_estimators = 10 }}
"""


def write_study(folder, n_seeds):
    """Write two small tables and a study of them; cells tune first, then test."""
    rng = np.random.RandomState(0)
    names = []
    for number in range(2):
        X = rng.randn(80, 5)
        table = pd.DataFrame(X.round(4), columns=list("abcde"))
        table["target"] = (X[:, 0] * X[:, 1] + 0.3 * rng.randn(80) > 0).astype(int)
        names.append(f"table{number}.csv")
        table.to_csv(folder / names[-1], index=False)
    text = STUDY.format(
        datasets=", ".join(f'"{name}"' for name in names), seeds=list(range(n_seeds))
    )
    path = folder / "study.toml"
    path.write_text(text)
    return path


def start(study, ledger):
    """Start the command line on a ledger."""
    command = [sys.executable, "-m", "kernsemble", "bench", str(study), "--ledger", str(ledger)]
    return subprocess.Popen(
        [*command, "--jobs", str(OPTIONS.jobs)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(study, ledger):
    """Run to the end; return the seconds until the ledger was made."""
    process, begun = start(study, ledger), time.monotonic()
    while process.poll() is None and not ledger.exists():
        time.sleep(0.02)
    seconds = time.monotonic() - begun
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"the run ended with {process.returncode}: {errors}")
    return seconds


def kill_often(study, ledger, kills, longest, rng):
    """Kill the run at random moments; return how many kills hit it while it was at work."""
    hits = 0
    while hits < kills:
        process = start(study, ledger)
        time.sleep(rng.uniform(0.0, longest))
        if process.poll() is not None:
            process.communicate()
            return hits
        process.send_signal(signal.SIGKILL)
        process.communicate()
        hits += 1
    return hits


def rows(ledger):
    """Return the rows of a ledger in the order of their keys, without times."""
    with Ledger(ledger, must_exist=True) as book:
        return book.results().drop(columns=[*TIMES, "maker"])


def main():
    """Compare a quiet run with killed ones."""
    rng = random.Random(OPTIONS.seed)
    hits = runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = write_study(folder, OPTIONS.seeds_of_study)
        longest = finish(study, folder / "quiet.sqlite") + WORKING
        quiet = rows(folder / "quiet.sqlite")
        # A run that survives until its end is followed by the next, until all kills are done.
        while hits < OPTIONS.kills:
            ledger = folder / f"killed{runs}.sqlite"
            hits += kill_often(study, ledger, OPTIONS.kills - hits, longest, rng)
            finish(study, ledger)
            runs += 1
            equal = rows(ledger).equals(quiet)
            left = list(folder.glob(f"{ledger.name}.*.lock"))
            print(f"run {runs}: {hits} kills, equal: {equal}", file=sys.stderr, flush=True)
            if not equal or left:
                break
    print(json.dumps({"kills": hits, "runs": runs, "cells": len(quiet), "equal": equal}))
    sys.exit(0 if equal and not left else 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds-of-study", type=int, default=12, help="size of one run")
    parser.add_argument("--jobs", type=int, default=2)
    OPTIONS = parser.parse_args()
    main()
