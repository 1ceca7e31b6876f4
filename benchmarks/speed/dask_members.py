"""Sixty-four members on two workers of one thread against one worker.

    python benchmarks/speed/dask_members.py

Fits the same ensemble under `joblib.parallel_config(backend="dask")` with one worker and with two,
each in turn, after a small fit that loads the libraries. Prints one JSON line with the ratio of the
elapsed times (target: at least 1.7) and the processor seconds of the one worker (at least 60).
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from joblib import parallel_config
from sklearn.datasets import make_classification

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from dask_rows import processor_seconds

from kernsemble import KernelPCAEnsembleClassifier
from tests.tables.loopback import Loopback

N_MEMBERS = 64


def ensemble(n_members):
    return KernelPCAEnsembleClassifier(
        n_members, max_exact=0, n_landmarks=500, n_components=20, random_state=0
    )


def main(n_rows=25_000):
    X, y = make_classification(n_rows, 20, n_informative=10, n_classes=4, random_state=0)
    found = {}
    for n_workers in (1, 2):
        with Loopback(n_workers, memory="4GB") as cluster, parallel_config(backend="dask"):
            ensemble(2 * n_workers).fit(X[:2000], y[:2000])
            before, start = processor_seconds(cluster.workers), time.perf_counter()
            clf = ensemble(N_MEMBERS).fit(X, y)
            found[n_workers] = {
                "elapsed_s": round(time.perf_counter() - start, 1),
                "cpu_s": round(processor_seconds(cluster.workers) - before, 1),
            }
            scores = clf.decision_function(X[:500])
        found[n_workers]["scores"] = scores
    same = np.abs(found[1].pop("scores") - found[2].pop("scores")).max()
    line = {
        "benchmark": "dask_members",
        "ratio": round(found[1]["elapsed_s"] / found[2]["elapsed_s"], 3),
        "target": "at least 1.7 on at least 60 s of work",
        "members": N_MEMBERS,
        "one_worker": found[1],
        "two_workers": found[2],
        "largest_difference": float(same),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
