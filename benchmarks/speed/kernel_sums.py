"""Sums of kernel values with and without matrices of them, in turns, in one JSON line each.

Four kernels of 1,000 training rows with 20 columns and three outputs, as the flagship has them on
one view: for 1,000 new rows, for one row, and for 1,000 rows with a Gaussian kernel alone.
"""

import numpy as np
from timing import report_ratio

from kernsemble.kernels import RBF, GeneralizedExponential, Laplacian
from kernsemble.kernels.sums import kernel_sums, sums_of_blocks

KERNELS = [
    RBF(0.03),
    Laplacian(0.05),
    Laplacian(0.04, metric="l2"),
    GeneralizedExponential(20.0, p=1, q=0.7),
]


def main():
    rng = np.random.RandomState(0)
    X, Y = rng.randn(1000, 20), np.asfortranarray(rng.randn(1000, 20))
    coefs = [np.asfortranarray(rng.randn(1000, 3)) for _ in KERNELS]
    cases = {
        "four kernels, 1,000 rows": (X, 4, 21),
        "four kernels, one row": (X[:1], 4, 301),
        "a Gaussian kernel, 1,000 rows": (X, 1, 21),
    }
    for case, (rows, n_kernels, repeats) in cases.items():
        problem = KERNELS[:n_kernels], coefs[:n_kernels], rows, Y
        report_ratio(
            "kernel_sums",
            ours=lambda problem=problem: kernel_sums(*problem),
            theirs=lambda problem=problem: sums_of_blocks(*problem),
            target=1.0,
            repeats=repeats,
            case=case,
        )


if __name__ == "__main__":
    main()
