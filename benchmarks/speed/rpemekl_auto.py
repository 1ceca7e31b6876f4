"""What searching alpha and coupling (81 points, five folds) costs RPEMEKL, in single fits.

    python benchmarks/speed/rpemekl_auto.py [set ...]

One fit with both given, one with the lists of the paper, in turns; CPU time. A search by refitting
would cost 405 fits of four fifths of the rows. Prints one JSON line.
"""

import json
import sys
import time

import numpy as np

from kernsemble import RPEMEKLClassifier
from kernsemble.datasets import load
from kernsemble.frames.features import make_model

PAPER = {"preset": "paper", "calibration_folds": 0}
STRENGTHS = [2.0**e for e in range(-4, 5)]


def cpu_seconds(classifier, X, y):
    start = time.process_time()
    classifier.fit(X, y)
    return time.process_time() - start


def measure(name):
    data = load(f"papers_raw/{name}")
    X, y = make_model(data.X, RPEMEKLClassifier())[0].fit_transform(data.X), data.y
    given, searched = [], []
    for seed in range(3):
        options = {"n_landmarks": 0.3, "random_state": seed, **PAPER}
        given.append(cpu_seconds(RPEMEKLClassifier(**options), X, y))
        searching = RPEMEKLClassifier(alpha=STRENGTHS, coupling=STRENGTHS, **options)
        searched.append(cpu_seconds(searching, X, y))
    return {
        "ratio": round(float(np.median(np.divide(searched, given))), 1),
        "given_s": round(float(np.median(given)), 3),
        "searched_s": round(float(np.median(searched)), 3),
    }


if __name__ == "__main__":
    names = sys.argv[1:] or ["pima", "cmc", "waveform"]
    print(json.dumps({"benchmark": "rpemekl_auto"} | {name: measure(name) for name in names}))
