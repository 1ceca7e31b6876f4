"""Fit time and memory of the kernel ensemble on 10,000 to 1,000,000 rows of 20 columns.

Once with three classes that planes divide, where an additive regression and networks get most of
the weight, and once with two that follow from products of columns, where boosted trees get it.
"""

from scaling import PLANES, report_scaling

SETUP = """
from kernsemble import KernelEnsembleClassifier
model = KernelEnsembleClassifier(n_jobs=2, random_state=0)
"""
PRODUCTS = """(
    ((X[:, 0] > 0) * X[:, 1] + (X[:, 2] > 1) * X[:, 3] + abs(X[:, 4]) * (X[:, 5] > X[:, 6])
    + rng.standard_normal(n_rows)) > 0.5
)"""


def main():
    for problem, labels in (("planes", PLANES), ("products", PRODUCTS)):
        report_scaling(
            "kernel_ensemble_scaling",
            setup=SETUP,
            sizes=[10_000, 100_000, 1_000_000],
            target="1,000,000 rows in 60 s on two cores and 1.5 GB beyond the data",
            labels=labels,
            problem=problem,
        )


if __name__ == "__main__":
    main()
