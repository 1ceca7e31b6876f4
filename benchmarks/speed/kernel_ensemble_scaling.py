"""Fit time and memory of the kernel ensemble on 10,000 to 1,000,000 rows of 20 columns."""

from scaling import report_scaling

SETUP = """
from kernsemble import KernelEnsembleClassifier
model = KernelEnsembleClassifier(n_jobs=2, random_state=0)
"""


def main():
    report_scaling(
        "kernel_ensemble_scaling",
        setup=SETUP,
        sizes=[10_000, 100_000, 1_000_000],
        target="1,000,000 rows in 60 s on two cores and 1.5 GB beyond the data",
    )


if __name__ == "__main__":
    main()
