"""Table 3 of Wang et al. (2013) as ratios: our MultiK-MHKS over RPEMEKL (p = N/10, H = 3).

    python benchmarks/speed/rpemekl_vs_multik.py [set ...]

Both are fitted to all rows with the same strengths, one after the other in each repeat, on the
same threads. Prints one JSON line, with ratios of CPU time, which other programs disturb less, and
of elapsed time.
"""

import argparse
import json
import time

import numpy as np

from kernsemble import MultiKMHKSClassifier, RPEMEKLClassifier
from kernsemble.datasets import load
from kernsemble.frames.features import make_model

# MultiK-MHKS takes minutes on the larger sets, where one repeat is enough.
REPEATS = {"cmc": 3, "segment": 1, "waveform": 1, "page-blocks": 1}
TARGETS = {"cmc": 15, "segment": 10, "waveform": 30, "page-blocks": 50}

PAPER = {"preset": "paper", "calibration_folds": 0}


def times(classifier, X, y):
    """Return CPU and elapsed seconds of a fit."""
    cpu, elapsed = time.process_time(), time.perf_counter()
    classifier.fit(X, y)
    return time.process_time() - cpu, time.perf_counter() - elapsed


def measure(name):
    data = load(f"papers_raw/{name}")
    X, y = make_model(data.X, RPEMEKLClassifier())[0].fit_transform(data.X), data.y
    RPEMEKLClassifier(1, n_landmarks=20).fit(X[::10], y[::10])
    ours, theirs = [], []
    for seed in range(REPEATS[name]):
        # The short side is repeated, so that a pause of the machine does not decide.
        quick = [RPEMEKLClassifier(random_state=seed + i, **PAPER) for i in range(3)]
        ours.append(np.median([times(classifier, X, y) for classifier in quick], axis=0))
        theirs.append(times(MultiKMHKSClassifier(**PAPER), X, y))
    ratios = np.median(np.divide(theirs, ours), axis=0)
    return {
        "ratio_cpu": round(float(ratios[0]), 1),
        "ratio_elapsed": round(float(ratios[1]), 1),
        "target": TARGETS[name],
        "rpemekl_cpu_s": round(float(np.median(ours, axis=0)[0]), 3),
        "multik_mhks_cpu_s": round(float(np.median(theirs, axis=0)[0]), 3),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(REPEATS))
    chosen = parser.parse_args().sets
    print(json.dumps({"benchmark": "rpemekl_vs_multik"} | {name: measure(name) for name in chosen}))
