"""Fit time and memory of the kernel-PCA ensemble on 20,000 to 200,000 rows of 20 columns.

    python benchmarks/speed/kernel_pca_ensemble_scaling.py [--sizes 200000 500000]

The slope is that of time over rows, both logarithmic.
"""

import argparse

from scaling import report_scaling

SETUP = """
from kernsemble import KernelPCAEnsembleClassifier
model = KernelPCAEnsembleClassifier(random_state=0)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=[20_000, 63_000, 200_000])
    report_scaling(
        "kernel_pca_ensemble_scaling",
        setup=SETUP,
        sizes=parser.parse_args().sizes,
        target="slope at most 1.1, below 2048 MB beyond the data at 200,000 rows",
    )


if __name__ == "__main__":
    main()
