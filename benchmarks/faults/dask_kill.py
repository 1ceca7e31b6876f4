"""Kill workers in the middle of a fit: one of two, then all.

    python benchmarks/faults/dask_kill.py

Once with members on the cluster and once with rows on it. Prints one JSON line: the largest
difference to the undisturbed fit after one of two workers was killed (target: below 1e-8), and the
seconds from the death of all workers to the error (target: below 60).
"""

import json
import sys
import threading
import time
from pathlib import Path

import dask.array as da
import numpy as np
from joblib import parallel_config
from sklearn.datasets import make_classification

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kernsemble import KernelPCAEnsembleClassifier, RPEMEKLClassifier
from kernsemble.tables.cluster import ClusterError
from tests.tables.loopback import Loopback


def members(X, y):
    clf = KernelPCAEnsembleClassifier(24, max_exact=0, n_landmarks=300, random_state=0)
    with parallel_config(backend="dask"):
        return clf.fit(X, y)


def rows(X, y):
    clf = RPEMEKLClassifier(2, n_landmarks=100, tol=1e-6, max_iter=20, random_state=0)
    return clf.fit(da.from_array(X, chunks=(len(X) // 12, -1)), da.from_array(y))


def disturbed(fit, X, y, victims, after):
    """Return the fit or the error, and the seconds since the workers were killed."""
    died = []
    with Loopback(2, memory="2GB") as cluster:
        fit(X[:1000], y[:1000])

        def kill():
            for victim in victims:
                cluster.kill_worker(victim)
            died.append(time.perf_counter())

        timer = threading.Timer(after, kill)
        timer.start()
        try:
            outcome = fit(X, y)
        except ClusterError as error:
            outcome = error
        finished = time.perf_counter()
        timer.cancel()
        if not died:
            raise RuntimeError("The fit was over before the workers were killed.")
        return outcome, finished - died[0]


def main(after=3.0):
    X, y = make_classification(24_000, 10, n_informative=8, n_classes=3, random_state=0)
    line = {"benchmark": "dask_kill", "target": "difference below 1e-8, error within 60 s"}
    for name, fit in (("members", members), ("rows", rows)):
        with Loopback(2, memory="2GB"):
            whole = fit(X, y)
        one_left, more = disturbed(fit, X, y, [0], after)
        if isinstance(one_left, ClusterError):
            raise one_left
        aims = [clf.decision_function(X[:2000]) for clf in (whole, one_left)]
        none_left, seconds = disturbed(fit, X, y, [0, 1], after)
        line[name] = {
            "difference": float(np.abs(aims[0] - aims[1]).max()),
            "seconds_after_one_death": round(more, 1),
            "seconds_to_error": round(seconds, 1),
            "error": str(none_left) if isinstance(none_left, ClusterError) else None,
        }
    print(json.dumps(line))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
