"""Peak memory of mapping 1,000,000 × 20 float32 rows with 300 landmarks into a given array."""

import json
import resource
import sys

import numpy as np

from kernsemble.kernels import RBF
from kernsemble.maps import EmpiricalKernelMap

N_ROWS, N_COLUMNS, N_LANDMARKS = 1_000_000, 20, 300


def peak_mb():
    """Return the largest resident size of this process so far."""
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, N_COLUMNS), dtype=np.float32)
    feature_map = EmpiricalKernelMap(RBF(1 / 40), n_landmarks=N_LANDMARKS, random_state=0).fit(X)
    # The map is warm and the output touched, so that what is added below is the transform's own.
    feature_map.transform(X[:1000])
    out = np.zeros((N_ROWS, feature_map.projection_.shape[1]), dtype=np.float32)
    out.fill(0)
    before = peak_mb()
    feature_map.transform(X, out=out)
    line = {
        "benchmark": "transform_memory",
        "ratio": round((peak_mb() - before) / 300.0, 4),
        "target": "at most 300 MB beyond the output (ratio at most 1)",
        "extra_mb": round(peak_mb() - before, 1),
        "output_mb": round(out.nbytes / 2**20, 1),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
