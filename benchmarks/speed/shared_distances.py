"""Five RBF widths on 4,000 × 30: one distance matrix for all, against five separate calls.

Widths that are integer multiples of one another, as those of a grid, also share exponentials;
`ratio_unrelated` is the ratio for five widths that are not.
"""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from timing import report_ratio, seconds

from kernsemble.kernels import RBF, evaluate

GAMMAS = [0.001, 0.01, 0.03, 0.1, 1.0]
UNRELATED = [0.0013, 0.0117, 0.0371, 0.137, 1.19]


def main():
    X = np.random.RandomState(0).randn(4000, 30)

    def ours(gammas):
        return evaluate([RBF(gamma) for gamma in gammas], X)

    def theirs(gammas):
        return [rbf_kernel(X, gamma=gamma) for gamma in gammas]

    difference = max(np.abs(a - b).max() for a, b in zip(ours(GAMMAS), theirs(GAMMAS)))
    unrelated = [
        seconds(lambda: ours(UNRELATED)) / seconds(lambda: theirs(UNRELATED)) for _ in range(5)
    ]
    report_ratio(
        "shared_distances",
        ours=lambda: ours(GAMMAS),
        theirs=lambda: theirs(GAMMAS),
        target="ours / theirs at most 0.45",
        max_difference=float(difference),
        ratio_unrelated=round(float(np.median(unrelated)), 4),
    )


if __name__ == "__main__":
    main()
