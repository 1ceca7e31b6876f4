"""Rotations are those of principal components."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.trees.rotation import draw_rotation


def numbers(X):
    return np.zeros(len(X), int)


def test_all_rows_give_the_principal_components_of_every_group():
    rng = np.random.RandomState(0)
    X = rng.randn(7, 60) * np.arange(1, 8)[:, None]
    X[1] += X[0]
    rotation = draw_rotation(X, np.zeros(60, int), 1, numbers(X), 3, 1.0, rng)
    groups = [sorted(set(rotation.sources[k])) for k in range(7)]
    assert [len(groups[k]) for k in (0, 3, 6)] == [3, 3, 1]
    assert_array_equal(np.sort(np.concatenate([groups[k] for k in (0, 3, 6)])), np.arange(7))
    R = rotation.back(np.eye(7))
    assert_allclose(R @ R.T, np.eye(7), atol=1e-12)
    covariance = np.cov(R @ X)
    for start, stop in ((0, 3), (3, 6)):
        block = covariance[start:stop, start:stop]
        assert_allclose(block, np.diag(np.diag(block)), atol=1e-10)


def test_rows_of_all_classes_take_their_turn():
    rng = np.random.RandomState(0)
    angles = np.deg2rad([10, 40, 70])
    codes = np.repeat(np.arange(3), 50)
    X = np.stack([np.cos(angles[codes]), np.sin(angles[codes])]) * rng.randn(150)
    seen = set()
    for _ in range(60):
        rotation = draw_rotation(X, codes, 3, numbers(X), 2, 0.75, rng)
        W = rotation.back(np.eye(2))
        seen.update(np.round(np.rad2deg(np.arctan2(W[:, 1], W[:, 0])) % 90).astype(int))
    assert {10, 40, 70} <= seen


def test_a_single_row_leaves_the_features_alone():
    X = np.array([[1.0], [2.0], [3.0]])
    rotation = draw_rotation(X, np.zeros(1, int), 1, numbers(X), 3, 0.75, np.random.RandomState(0))
    assert_allclose(np.abs(rotation.back(np.eye(3))).sum(axis=0), 1.0)
