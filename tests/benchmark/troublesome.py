"""Classifiers that misbehave, for the tests of limits and failures; worker processes import it."""

import os
import signal
import time

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


class Talking(DummyClassifier):
    """Prints to where the outcomes go."""

    def fit(self, X, y):
        print('{"accuracy": 2.0}', flush=True)
        return super().fit(X, y)
