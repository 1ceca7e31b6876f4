"""Seconds to fit 1,000 rows of 20 columns on two cores, and milliseconds to predict one row.

Prints one JSON line. Rows are predicted in one call, and also one call a row.
"""

import json

import numpy as np
from sklearn.datasets import make_classification
from timing import seconds

from kernsemble import KernelEnsembleClassifier


def main():
    X, y = make_classification(2000, 20, n_informative=8, n_classes=3, random_state=0)
    fit_X, fit_y, new = X[:1000], y[:1000], X[1000:]
    clf = KernelEnsembleClassifier(n_jobs=2, random_state=0)
    clf.fit(fit_X[:100], fit_y[:100])
    fits = [seconds(lambda: clf.fit(fit_X, fit_y)) for _ in range(3)]
    batch = [seconds(lambda: clf.predict(new)) / len(new) for _ in range(3)]
    single = [seconds(lambda row=row: clf.predict(row)) for row in np.split(new[:50], 50)]
    line = {
        "benchmark": "kernel_ensemble_latency",
        "fit_s": round(float(np.median(fits)), 3),
        "fit_target_s": 2.0,
        "predict_ms_a_row": round(1e3 * float(np.median(batch)), 4),
        "predict_target_ms": 0.05,
        "predict_ms_one_row_calls": round(1e3 * float(np.median(single)), 3),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
