"""Draws of rows and features are fair, and depend on seed and node alone."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.trees.draws import draw_copies, draw_features


def copies_of(seed, n_rows):
    copies = np.full(n_rows, 7, dtype=np.int32)
    draw_copies(seed, copies)
    return copies


def test_as_many_rows_are_drawn_as_there_are():
    assert copies_of(3, 50).sum() == 50
    assert_array_equal(copies_of(3, 50), copies_of(3, 50))
    assert_array_equal(copies_of(0, 1), [1])


def test_every_row_is_drawn_as_often_as_chance_has_it():
    drawn = np.array([copies_of(seed, 20) for seed in range(5000)])
    assert_allclose(drawn.mean(axis=0), 1.0, atol=0.05)
    # Copies of a row are binomial: none with probability (1 - 1/20)^20.
    assert_allclose((drawn == 0).mean(axis=0), 0.95**20, atol=0.025)
    # What one row gets, the others lack: each pair has correlation -1/19.
    correlations = np.corrcoef(drawn.T)[np.triu_indices(20, 1)]
    assert_allclose(correlations, -1 / 19, atol=0.06)


def test_features_of_a_node_are_different_and_fair():
    pool, counts = np.arange(6, dtype=np.int32), np.zeros(6)
    for node in range(3000):
        features = np.empty(2, dtype=np.int32)
        draw_features(11, node, pool, 2, features)
        assert features[0] != features[1]
        counts[features] += 1
    assert_allclose(counts / 3000, 1 / 3, atol=0.03)
    assert_array_equal(pool, np.arange(6))
