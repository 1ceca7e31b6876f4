"""RPEMEKL's fit time over 10^4, 10^5 and 10^6 rows of 20 columns with 300 landmarks.

    python benchmarks/speed/rpemekl_scaling.py

One member, since members only repeat the work. Each size runs in its own process. Prints one JSON
line: the log-log slope of the CPU time, which other programs disturb less, and of the elapsed time
(target: at most 1.1), and the peak memory beyond the data at the largest size (target: below 2 GB).
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.datasets import make_classification
from timing import seconds

from kernsemble import RPEMEKLClassifier

SIZES = (10_000, 100_000, 1_000_000)


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(n_rows):
    # Small blocks made one after the other keep the generator's own memory out of the peak.
    X, y = np.empty((n_rows, 20)), np.empty(n_rows, dtype=int)
    for start in range(0, n_rows, 10_000):
        part = slice(start, start + 10_000)
        X[part], y[part] = make_classification(
            10_000, 20, n_informative=10, random_state=0, shuffle=False
        )
        X[part] += 0.5 * np.random.RandomState(start).randn(10_000, 20)
    # The first fit loads libraries; it is not part of the growth.
    RPEMEKLClassifier(1, n_landmarks=50, random_state=0).fit(X[:5000:5], y[:5000:5])
    before = peak_megabytes()
    classifier = RPEMEKLClassifier(
        1, n_landmarks=300, preset="paper", calibration_folds=0, random_state=0
    )
    cpu = time.process_time()
    elapsed = seconds(lambda: classifier.fit(X, y))
    return {
        "rows": n_rows,
        "cpu_s": time.process_time() - cpu,
        "elapsed_s": elapsed,
        "extra_mb": peak_megabytes() - before,
        "n_iter": classifier.n_iter_.tolist(),
    }


def main():
    runs = []
    for n_rows in SIZES:
        output = subprocess.run(
            [sys.executable, __file__, str(n_rows)], check=True, capture_output=True, text=True
        ).stdout
        runs.append(json.loads(output))
    rows, cpu, elapsed = (
        np.log([run[key] for run in runs]) for key in ("rows", "cpu_s", "elapsed_s")
    )
    line = {
        "benchmark": "rpemekl_scaling",
        "slope": round(float(np.polyfit(rows, cpu, 1)[0]), 3),
        "slope_elapsed": round(float(np.polyfit(rows, elapsed, 1)[0]), 3),
        "target": "at most 1.1",
        "extra_mb_at_largest": round(runs[-1]["extra_mb"]),
        "memory_target_mb": 2000,
        "runs": runs,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        main()
