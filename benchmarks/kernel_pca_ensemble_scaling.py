"""Fit time and memory of the kernel-PCA ensemble on 20,000 to 200,000 rows of 20 columns."""

from scaling import report_scaling

SETUP = """
from kernsemble import KernelPCAEnsembleClassifier
model = KernelPCAEnsembleClassifier(random_state=0)
"""


def main():
    report_scaling(
        "kernel_pca_ensemble_scaling",
        setup=SETUP,
        sizes=[20_000, 63_000, 200_000],
        target="slope at most 1.1, below 2048 MB beyond the data at 200,000 rows",
    )


if __name__ == "__main__":
    main()
