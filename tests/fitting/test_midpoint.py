"""The threshold of learners that score two class representatives +1 and -1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.fitting.midpoint import threshold_shift


def test_the_threshold_of_normal_scores_is_the_best_one():
    rng = np.random.RandomState(0)
    n, v = np.array([60_000, 20_000]), 0.7
    signs = np.repeat([1.0, -1.0], n)
    S = (signs + np.sqrt(v) * rng.randn(n.sum()))[:, None]
    shift = threshold_shift(S, signs[:, None], np.ones(len(S)), np.ones(len(S)))
    # Bayes: log(n₊ / n₋) + 2 s / v = 0 at the score s = -v log(n₊ / n₋) / 2.
    assert shift[0] == pytest.approx(0.5 * v * np.log(3.0), rel=0.02)


def test_a_row_of_weight_two_counts_twice_in_variances_and_classes():
    rng = np.random.RandomState(1)
    S, T = rng.randn(40, 3), rng.choice([-1.0, 0.0, 1.0], (40, 3))
    counts, costs = rng.randint(1, 5, 40), rng.uniform(0.5, 2.0, 40)
    weighted = threshold_shift(S, T, counts.astype(float), counts * costs)
    copies = [values.repeat(counts, axis=0) for values in (S, T, costs)]
    repeated = threshold_shift(copies[0], copies[1], np.ones(counts.sum()), copies[2])
    assert_allclose(weighted, repeated)
    assert np.abs(weighted - threshold_shift(S, T, np.ones(40), counts * costs)).min() > 1e-3
