"""Compiled city-block distances are those of SciPy, and do not depend on the other rows."""

import numpy as np
from scipy.spatial.distance import cdist

from kernsemble.kernels.city_block import write_city_block
from kernsemble.kernels.pairs import MANY_VALUES, pair_up


def test_distances_are_those_of_scipy():
    rng = np.random.RandomState(0)
    X, Y = rng.randn(7, 5), rng.randn(13, 5)
    out = np.empty((7, 13))
    write_city_block(np.ascontiguousarray(X.T), np.ascontiguousarray(Y.T), out)
    np.testing.assert_array_equal(out, cdist(X, Y, "cityblock"))


def test_many_pairs_take_the_compiled_way_and_differ_in_nothing():
    rng = np.random.RandomState(0)
    X, Y = rng.randn(400, 8), rng.randn(400, 8)
    assert X.size * len(Y) >= MANY_VALUES > X[:10].size * len(Y)
    many = pair_up(X, Y).distances(1)
    np.testing.assert_array_equal(many[:10], pair_up(X[:10], Y).distances(1))
