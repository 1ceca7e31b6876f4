"""Fit 500 networks of 100 to 200 hidden units and 500 trees to 5,000 × 20, on one core.

python benchmarks/speed/rvfl_ensemble_speed.py

The networks' time includes the choice of scale and ridge; processor seconds of one thread.
"""

import time

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits
from timing import report_ratio

from kernsemble import RVFLEnsembleClassifier


def main():
    X, y = make_classification(5000, 20, n_informative=10, n_classes=3, random_state=0)
    networks = RVFLEnsembleClassifier(500, n_hidden=100, random_state=0)
    trees = RandomForestClassifier(500, random_state=0)
    with threadpool_limits(1):
        report_ratio(
            "rvfl_ensemble_speed",
            ours=lambda: networks.fit(X, y),
            theirs=lambda: trees.fit(X, y),
            target="at most 1.5, goal 1",
            repeats=3,
            warm_up=False,
            clock=time.process_time,
        )


if __name__ == "__main__":
    main()
