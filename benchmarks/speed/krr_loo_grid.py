"""Tune 25 widths × 20 ridges of kernel ridge at 1,000 rows: leave-one-out against GridSearchCV.

python benchmarks/speed/krr_loo_grid.py

Both sides use one thread and are timed in processor seconds.
"""

import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits
from timing import report_ratio

from kernsemble import KernelRidgeClassifier
from kernsemble.kernels import GammaGrid

GAMMAS, RIDGES = 2.0 ** np.arange(-16, 9), 2.0 ** np.arange(-14, 6)


def main():
    X, y = make_classification(1000, 10, n_informative=5, n_classes=3, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    T = np.eye(3)[y]
    ours = KernelRidgeClassifier(GammaGrid(), alpha=RIDGES)
    theirs = GridSearchCV(KernelRidge(kernel="rbf"), {"gamma": GAMMAS, "alpha": RIDGES}, cv=4)
    with threadpool_limits(1):
        report_ratio(
            "krr_loo_grid",
            ours=lambda: ours.fit(X, y),
            theirs=lambda: theirs.fit(X, T),
            target="at most 0.05",
            repeats=1,
            warm_up=False,
            clock=time.process_time,
        )


if __name__ == "__main__":
    main()
