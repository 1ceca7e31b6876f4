"""Classifiers that misbehave, for the tests of limits and failures; worker processes import it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from sklearn.dummy import DummyClassifier


class Hanging(DummyClassifier):
    """Never returns."""

    def fit(self, X, y):
        time.sleep(600)


class Crashing(DummyClassifier):
    """Takes its process down, as a fault in compiled code does."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGSEGV)


class Hungry(DummyClassifier):
    """Fills two gigabytes, slowly enough to be seen."""

    def fit(self, X, y):
        hoard = []
        for _ in range(200):
            hoard.append(b"x" * 10_000_000)
            time.sleep(0.02)


class Failing(DummyClassifier):
    """Raises."""

    def fit(self, X, y):
        raise RuntimeError("no <b>luck</b> today")


class Alone(DummyClassifier):
    """Refuses a process that has imported kernsemble."""

    def fit(self, X, y):
        assert not [name for name in sys.modules if name.startswith("kernsemble")]
        return super().fit(X, y)


class Shy(DummyClassifier):
    """Learns only when it is asked that it has no probabilities."""

    def predict_proba(self, X):
        raise NotImplementedError


class Talking(DummyClassifier):
    """Prints to where the outcomes go."""

    def fit(self, X, y):
        print('{"accuracy": 2.0}', flush=True)
        return super().fit(X, y)


class LastWords(DummyClassifier):
    """Prints, and ends its process."""

    def fit(self, X, y):
        print("epoch 1\nout of paper", file=sys.stderr, flush=True)
        os._exit(4)


def note_child(pid):
    """Tell the test which process a cell has started."""
    (Path(os.environ["TROUBLE_FOLDER"]) / f"{pid}.child").touch()


def start_sleeper(**options):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **options)
    note_child(child.pid)


class Delegating(DummyClassifier):
    """Starts processes, one of them in a group of its own, and never returns."""

    def fit(self, X, y):
        start_sleeper()
        start_sleeper(process_group=0)
        time.sleep(600)


class HungryChild(DummyClassifier):
    """Lets two processes fill a gigabyte together."""

    def fit(self, X, y):
        code = "import time; hoard = b'x' * 500_000_000; time.sleep(600)"
        for _ in range(2):
            note_child(subprocess.Popen([sys.executable, "-c", code]).pid)
        time.sleep(600)


class SharingChildren(DummyClassifier):
    """Forks processes that share 300 megabytes with it and need none of their own."""

    def fit(self, X, y):
        hoard = b"x" * 300_000_000
        children = []
        for _ in range(4):
            children.append(os.fork())
            if children[-1] == 0:
                time.sleep(1.5)
                os._exit(len(hoard) == 0)
        for child in children:
            os.waitpid(child, 0)
        return super().fit(X, y)


class Orphaning(DummyClassifier):
    """Dies and leaves a forked process, which keeps the pipes of the worker open."""

    def fit(self, X, y):
        child = os.fork()
        if child == 0:
            time.sleep(600)
        note_child(child)
        os.kill(os.getpid(), signal.SIGKILL)


class Doubling(DummyClassifier):
    """Forks a process that comes back from the fit as well."""

    def fit(self, X, y):
        os.fork()
        return super().fit(X, y)


class Reading(DummyClassifier):
    """Starts a program that reads its input to the end."""

    def fit(self, X, y):
        assert subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout == b""
        return super().fit(X, y)
