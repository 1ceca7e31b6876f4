"""Kill a benchmark again and again, and compare its ledger with that of a quiet run.

Usage: ``python benchmarks/kill_test.py [--kills 200] [--seed 0] [--cli]``. Runners are forked from
this process, which saves the seconds that a new interpreter needs to import its modules, so that
kills hit claiming, computing and writing rather than imports; their workers are forked likewise.
``--cli`` starts the command line anew each time instead. Prints one JSON line; the exit code is 0
when both ledgers hold the same rows, times aside.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np
import pandas as pd

from kernsemble.benchmark import worker
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import read_study

TIMES = ["tune_seconds", "fit_seconds", "predict_seconds", "finished", "maker"]
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
    listed = ", ".join(f'"{name}"' for name in names)
    path = folder / "study.toml"
    path.write_text(STUDY.format(datasets=listed, seeds=list(range(n_seeds))))
    return path


class ForkedProcess:
    """What `Worker` needs of `subprocess.Popen`, made by a fork."""

    def __init__(self):
        jobs, self.stdin = self._pipe()
        self.stdout, answers = self._pipe()
        self.pid = os.fork()
        if self.pid == 0:
            # Only the ends that belong here may stay open, or the end of a pipe is never seen.
            os.dup2(jobs.fileno(), 0)
            os.dup2(answers.fileno(), 1)
            os.closerange(3, 1024)
            sys.stdin = os.fdopen(0)
            worker.serve()
            os._exit(0)
        jobs.close()
        answers.close()

    @staticmethod
    def _pipe():
        reading, writing = os.pipe()
        return os.fdopen(reading), os.fdopen(writing, "w")

    def kill(self):
        """End it."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self):
        """Return how it ended."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class ForkedRunner:
    """What `kernsemble bench` does, in a fork of this process."""

    def __init__(self, study, ledger, jobs):
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                worker.Worker._launch = lambda self: ForkedProcess()
                with Ledger(ledger) as book:
                    book.note_command("kill test", {})
                    code = run_study(read_study(study), book, n_jobs=jobs).failed
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        self.code = None

    def poll(self):
        """Return the exit code, None while it runs."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def kill(self):
        """Kill it and wait for its end."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self):
        """Return the exit code."""
        while self.poll() is None:
            time.sleep(0.02)
        return self.code


class CommandRunner:
    """The command line in an interpreter of its own."""

    def __init__(self, study, ledger, jobs):
        command = [sys.executable, "-m", "kernsemble", "bench", str(study)]
        self.process = subprocess.Popen(
            [*command, "--ledger", str(ledger), "--jobs", str(jobs)], stdout=subprocess.DEVNULL
        )
        self.poll, self.wait = self.process.poll, self.process.wait

    def kill(self):
        """Kill it and wait for its end."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def finish(start):
    """Run to the end and return how long it took."""
    begun = time.monotonic()
    code = start().wait()
    if code:
        raise SystemExit(f"the run ended with exit code {code}")
    return time.monotonic() - begun


def kill_often(start, kills, longest, rng):
    """Kill the run at random moments; return how many kills came before its end."""
    for hits in range(kills):
        runner = start()
        end = time.monotonic() + rng.uniform(0.0, longest)
        while (left := end - time.monotonic()) > 0 and runner.poll() is None:
            time.sleep(min(left, 0.02))
        if runner.poll() is not None:
            return hits
        runner.kill()
    return kills


def rows(ledger):
    """Return the rows of a ledger in the order of their keys, without times."""
    with Ledger(ledger, must_exist=True) as book:
        return book.results().drop(columns=TIMES)


def main(options):
    """Compare a quiet run with killed ones."""
    rng = random.Random(options.seed)
    runner = CommandRunner if options.cli else ForkedRunner
    hits = runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = write_study(folder, options.seeds_of_study)
        seconds = finish(lambda: runner(study, folder / "quiet.sqlite", options.jobs))
        quiet = rows(folder / "quiet.sqlite")
        # A run that survives until its end is followed by the next, until all kills are done.
        while hits < options.kills:
            ledger = folder / f"killed{runs}.sqlite"

            def start(ledger=ledger):
                return runner(study, ledger, options.jobs)

            # Twenty kills or so a run: late ones are as likely as early ones.
            hits += kill_often(start, options.kills - hits, max(seconds / 8, 0.5), rng)
            finish(start)
            runs += 1
            equal = rows(ledger).equals(quiet)
            left = list(folder.glob(f"{ledger.name}.*.lock"))
            print(f"run {runs}: {hits} kills, equal: {equal}", file=sys.stderr, flush=True)
            if not equal or left:
                break
    print(json.dumps({"kills": hits, "runs": runs, "cells": len(quiet), "equal": equal}))
    return 0 if equal and not left else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds-of-study", type=int, default=6, help="size of one run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cli", action="store_true", help="kill the command line itself")
    sys.exit(main(parser.parse_args()))
