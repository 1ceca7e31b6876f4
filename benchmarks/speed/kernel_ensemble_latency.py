"""Seconds to fit 1,000 rows of 20 columns on two cores, and milliseconds to predict one row.

Prints one JSON line. Rows are predicted in one call, by two workers and by one, and also one call a
row. The speed of the machine is measured before and after, because that of a shared machine changes
by the minute.
"""

import json

import numpy as np
from sklearn.datasets import make_classification
from timing import machine_speed, seconds

from kernsemble import KernelEnsembleClassifier


def median_seconds(function, repeats):
    """Return the median time of some calls."""
    return float(np.median([seconds(function) for _ in range(repeats)]))


def main():
    X, y = make_classification(2000, 20, n_informative=8, n_classes=3, random_state=0)
    fit_X, fit_y, new = X[:1000], y[:1000], X[1000:]
    before = machine_speed()
    clf = KernelEnsembleClassifier(n_jobs=2, random_state=0)
    clf.fit(fit_X[:100], fit_y[:100]).predict(new)
    fit = median_seconds(lambda: clf.fit(fit_X, fit_y), 5)
    batch = median_seconds(lambda: clf.predict(new), 15) / len(new)
    alone = clf.set_params(n_jobs=1)
    batch_of_one = median_seconds(lambda: alone.predict(new), 15) / len(new)
    single = [seconds(lambda row=row: clf.predict(row)) for row in np.split(new[:200], 200)]
    line = {
        "benchmark": "kernel_ensemble_latency",
        "fit_s": round(fit, 3),
        "fit_target_s": 2.0,
        "predict_ms_a_row": round(1e3 * batch, 4),
        "predict_ms_a_row_one_worker": round(1e3 * batch_of_one, 4),
        "predict_target_ms": 0.05,
        "predict_ms_one_row_calls": round(1e3 * float(np.median(single)), 3),
        "one_row_target_ms": 2.0,
        "machine_before": before,
        "machine_after": machine_speed(),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
