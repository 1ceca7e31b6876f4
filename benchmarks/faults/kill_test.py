"""Kill the processes of a benchmark at random, and compare its ledger with that of a quiet run.

    python benchmarks/faults/kill_test.py [--kills 500] [--seed 0] [--cli]

At random moments one of four things happens to a run: its runner is killed, or one of its workers,
or a process that a cell has started, or all of them at once, which is what a loss of power looks
like to the ledger. A run that has ended is started again, with failed cells to run once more,
until every cell has a result; then the next run begins.

Runners are forked from this process and workers from runners, which saves the seconds that a new
interpreter needs for its imports, so that kills hit claiming, computing and writing. With ``--cli``
each of them is a new interpreter, started as ``kernsemble bench`` starts it.

Prints one JSON line. The exit code is 0 if all ledgers hold the rows of the quiet run, times aside,
and no lock, claim or process is left.
"""

import argparse
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from kernsemble.benchmark import worker
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import read_study
from kernsemble.errors import UserError

KINDS = ("runner", "worker", "child", "machine")
TIMES = ["tune_seconds", "fit_seconds", "predict_seconds", "finished", "maker"]
TIMES += ["fit_cpu_seconds", "predict_cpu_seconds", "peak_memory_mb"]
# Exit codes of a runner, those of `kernsemble bench`.
DONE, FAILED, REFUSED = 0, 1, 2
STUDY = """
datasets = [{datasets}]
methods = ["LandmarkRidge", "NearestNeighbours", "ForkingTree"]
protocol = "five-fold"
seeds = {seeds}

[method.LandmarkRidge]
base = "LandmarkRidge"
params = {{ n_estimators = 3 }}
grid = {{ alpha = [0.01, 1.0] }}

[method.NearestNeighbours]
base = "NearestNeighbours"
grid = {{ n_neighbors = [1, 5] }}

[method.ForkingTree]
class = "kill_test.ForkingTree"
"""


class ForkingTree(DecisionTreeClassifier):
    """A tree that grows in a child process, long enough for the child to be hit."""

    def fit(self, X, y):
        """Fit in a child, and take over what it has found."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                os.close(reading)
                time.sleep(0.1)
                fitted = DecisionTreeClassifier(random_state=self.random_state).fit(X, y)
                with os.fdopen(writing, "wb") as pipe:
                    pickle.dump(fitted, pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            content = pipe.read()
        if os.waitpid(child, 0)[1]:
            raise RuntimeError("the child of the fit was killed")
        self.__dict__.update(pickle.loads(content).__dict__)
        return self


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


class Fork:
    """A process that is forked from this one; it has what is used of `subprocess.Popen`."""

    def __init__(self, function):
        self._mutex = threading.Lock()
        self._code = None
        self.pid = os.fork()
        if self.pid == 0:
            code = FAILED
            try:
                code = function()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)

    def poll(self):
        """Return the exit code, None while the process runs."""
        with self._mutex:
            if self._code is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self._code = os.waitstatus_to_exitcode(status)
            return self._code

    def wait(self):
        """Return the exit code, once there is one."""
        while self.poll() is None:
            time.sleep(0.005)
        return self._code

    def kill(self):
        """Kill the process, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class ForkedWorker(Fork):
    """A worker process with pipes, which leads a session."""

    def __init__(self):
        jobs, self.stdin = self._pipe()
        self.stdout, answers = self._pipe()
        super().__init__(lambda: self._serve(jobs, answers))
        jobs.close()
        answers.close()

    @staticmethod
    def _pipe():
        reading, writing = os.pipe()
        return os.fdopen(reading), os.fdopen(writing, "w")

    @staticmethod
    def _serve(jobs, answers):
        os.setsid()
        # Only the ends that belong here may stay open, or the end of a pipe is never seen.
        os.dup2(jobs.fileno(), 0)
        os.dup2(answers.fileno(), 1)
        os.closerange(3, 1024)
        worker.serve()
        return DONE


def run_forked(study, ledger, jobs):
    """Do what `kernsemble bench` does, with forked workers; return the exit code."""
    worker.Worker._launch = lambda self: ForkedWorker()
    try:
        with Ledger(ledger) as book:
            book.note_command("kill test", {})
            summary = run_study(read_study(study), book, n_jobs=jobs, retry_failed=True)
    except UserError as error:
        print(error, file=sys.stderr)
        return REFUSED
    return FAILED if summary.failed else DONE


def start_command(study, ledger, jobs):
    """Start the command line in an interpreter of its own."""
    here = str(Path(__file__).resolve().parent)
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    bench = [
        sys.executable,
        "-c",
        "from kernsemble.__main__ import main; main()",
        "bench",
        str(study),
    ]
    bench += ["--ledger", str(ledger), "--jobs", str(jobs), "--retry-failed"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.Popen(bench, env=env, stdout=subprocess.DEVNULL)


def read_processes():
    """Return the parent and the session of every process that has not ended."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError, ValueError):
            content = Path(f"/proc/{name}/stat").read_text()
            state, parent, _, session = content.rpartition(") ")[2].split()[:4]
            if state != "Z":
                found[int(name)] = (int(parent), int(session))
    return found


def family(pid):
    """Return the workers of a runner, and the processes that their cells have started."""
    processes = read_processes()
    workers = [
        other
        for other, (parent, session) in processes.items()
        if parent == pid and session == other
    ]
    children = [
        other
        for other, (_, session) in processes.items()
        if session in workers and other != session
    ]
    return workers, children


class Disturbed:
    """A run on one ledger that is killed and started again until every cell has a result."""

    def __init__(self, start, rng, longest):
        self.start, self.rng, self.longest = start, rng, longest
        self.kills = Counter()
        self.refusals = 0
        self.seen = set()

    def complete(self, most):
        """Make up to `most` kills, then let the run come to its end."""
        process = self.start()
        while True:
            if self.kills.total() < most:
                self._pause(process)
                if process.poll() is None:
                    self._strike(process)
            code = process.wait() if self.kills.total() >= most else process.poll()
            if code == DONE:
                return
            if code is not None:
                self.refusals += code == REFUSED
                process = self.start()

    def _pause(self, process):
        end = time.monotonic() + self.rng.uniform(0.0, self.longest)
        while (left := end - time.monotonic()) > 0 and process.poll() is None:
            time.sleep(min(left, 0.02))

    def _strike(self, process):
        kind = self.rng.choice(KINDS)
        victims = self._victims(process, kind)
        for victim in victims:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        if victims:
            self.kills[kind] += 1
        if process.pid in victims:
            process.wait()

    def _victims(self, process, kind):
        """Return the processes to kill; none if there are none of the kind for some time."""
        deadline = time.monotonic() + 30.0
        while process.poll() is None and time.monotonic() < deadline:
            workers, children = family(process.pid)
            self.seen.update(workers, children)
            if kind == "machine":
                return [process.pid, *workers, *children]
            found = {"runner": [process.pid], "worker": workers, "child": children}[kind]
            if found:
                return [self.rng.choice(found)]
            time.sleep(0.01)
        return []


def wait_for_end(pids, seconds=10.0):
    """Return which processes are still there after some time."""
    deadline = time.monotonic() + seconds
    while (left := pids & set(read_processes())) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def rows(ledger):
    """Return the rows of a ledger in the order of their keys, without times."""
    with Ledger(ledger, must_exist=True) as book:
        claims = book._database.execute("SELECT count(*) FROM claims").fetchone()[0]
        return book.results().drop(columns=TIMES), claims


def difference(found, quiet):
    """Return in what the rows of a ledger differ from those of the quiet run, as text."""
    if found.shape != quiet.shape or list(found.index) != list(quiet.index):
        return (
            f"{len(found)} rows of {len(quiet)}: {found.merge(quiet, how='outer', indicator=True)}"
        )
    return found.compare(quiet).to_string()


def main(options):
    """Compare a quiet run with killed ones."""
    rng = random.Random(options.seed)
    begun = time.monotonic()
    kills, refusals, runs = Counter(), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = write_study(folder, options.seeds_of_study)

        def start(ledger):
            if options.cli:
                return start_command(study, ledger, options.jobs)
            return Fork(lambda: run_forked(study, ledger, options.jobs))

        if start(folder / "quiet.sqlite").wait() != DONE:
            raise SystemExit("The quiet run failed.")
        seconds = time.monotonic() - begun
        quiet, _ = rows(folder / "quiet.sqlite")
        sound = True
        while sound and kills.total() < options.kills:
            ledger = folder / f"killed{runs}.sqlite"
            run = Disturbed(lambda ledger=ledger: start(ledger), rng, max(seconds / 8, 0.5))
            run.complete(min(options.kills_a_run, options.kills - kills.total()))
            kills, refusals, runs = kills + run.kills, refusals + run.refusals, runs + 1
            found, claims = rows(ledger)
            equal = found.equals(quiet)
            locks = list(folder.glob(f"{ledger.name}.*.lock"))
            left = wait_for_end(run.seen)
            sound = equal and not (locks or claims or left)
            if not equal:
                print(difference(found, quiet), file=sys.stderr)
            print(f"run {runs}: {dict(kills)}, sound: {sound}", file=sys.stderr, flush=True)
    result = {
        "kills": kills.total(),
        **{f"kills_of_{kind}": kills[kind] for kind in KINDS},
        "runs": runs,
        "cells_a_run": len(quiet),
        "runs_that_gave_up_and_were_started_again": refusals,
        "equal": equal,
        "locks_left": len(locks),
        "claims_left": claims,
        "processes_left": len(left),
        "seconds": round(time.monotonic() - begun, 1),
    }
    print(json.dumps(result))
    return 0 if sound else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--kills-a-run", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds-of-study", type=int, default=3, help="size of one run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cli", action="store_true", help="kill the command line itself")
    sys.exit(main(parser.parse_args()))
