"""Ranks against numpy's own."""

import numpy as np
from numpy.testing import assert_array_equal

from kernsemble.trees.ranks import dense_ranks


def test_ranks_and_levels_are_those_of_unique():
    rng = np.random.RandomState(0)
    X = np.stack([rng.randint(5, size=40) / 3, rng.randn(40), np.full(40, 2.5)])
    ranks, levels, starts = dense_ranks(X)
    for j in range(3):
        expected_levels, expected = np.unique(X[j], return_inverse=True)
        assert_array_equal(ranks[j], expected)
        assert_array_equal(levels[starts[j] :][: len(expected_levels)], expected_levels)
        assert_array_equal(levels[starts[j] + ranks[j]], X[j])
    assert dense_ranks(rng.randn(1, 70000))[0].max() == 69999
