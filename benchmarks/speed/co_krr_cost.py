"""Co-trained kernel ridge with its whole coupling grid against its two separate tunings.

python benchmarks/speed/co_krr_cost.py

1,000 rows, 25 widths × 20 ridges per view, 21 couplings; processor seconds of one thread.
"""

import time

import numpy as np
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits
from timing import report_ratio

from kernsemble import CoKRRClassifier, KernelRidgeClassifier
from kernsemble.kernels import GammaGrid


def main():
    X, y = make_classification(1000, 10, n_informative=5, n_classes=3, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    projected = X @ np.random.RandomState(0).randn(10, 20)
    co_trained = CoKRRClassifier(kernels=GammaGrid(), random_state=0)
    apart = KernelRidgeClassifier(GammaGrid())

    def tune_apart():
        for view in (X, projected):
            apart.fit(view, y)

    with threadpool_limits(1):
        report_ratio(
            "co_krr_cost",
            ours=lambda: co_trained.fit(X, y),
            theirs=tune_apart,
            target="at most 4",
            repeats=3,
            warm_up=False,
            clock=time.process_time,
        )


if __name__ == "__main__":
    main()
