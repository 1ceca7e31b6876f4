"""Nodes of rows with categories and missing values equal those of the literal reference."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.trees.draws import draw_features
from kernsemble.trees.engine import Growth, SortedRows, grow, leaves_of
from kernsemble.trees.expected import fit_expectation
from kernsemble.trees.frame import FramedRows, fit_frame
from kernsemble.trees.tree import BY_LEVEL, LEAF, MISSING_LEFT, MISSING_RIGHT, PLANE, PRESENT
from tests.reference.oblique_tree import left_of, split_node


def mixed_rows(n, n_levels, n_classes, seed, missing_share=0.15):
    """Rows whose classes depend on numbers, levels, and on what is missing."""
    rng = np.random.RandomState(seed)
    n_levels = np.asarray(n_levels)
    X = np.empty((n, len(n_levels)))
    signal = rng.randn(n)
    for j, count in enumerate(n_levels):
        if count:
            X[:, j] = rng.randint(count, size=n)
            signal += rng.randn(count)[X[:, j].astype(int)]
        else:
            X[:, j] = np.round(rng.randn(n), 1)
            signal += X[:, j]
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    X[rng.rand(*X.shape) < missing_share * (0.5 + (y[:, None] == 0))] = np.nan
    return X, y, n_levels


def grow_one(X, y, n_levels, n_drawn, regularization, min_leaf=1, weights=None, bootstrap=False):
    frame = fit_frame(X, weights, n_levels)
    framed = frame(X)
    growth = Growth(n_drawn, 50, 2, min_leaf, 1e-5, regularization, 0.01, bootstrap)
    rows = SortedRows.of(framed, y, frame.n_levels)
    (tree,), copies = grow(rows, y.max() + 1, weights, growth, np.array([7]))
    return tree, framed, copies[0]


@pytest.mark.parametrize("regularization", ["axis", "tikhonov", "nullspace", None])
@pytest.mark.parametrize(
    ("n_levels", "n_classes", "options"),
    [
        ([0, 0, 3, 0, 4], 2, {}),
        ([0, 0, 6, 0, 0], 3, {"min_leaf": 4}),
        ([0, 40, 0, 0, 2], 4, {"bootstrap": True}),
        ([3, 12, 5, 2, 30], 3, {}),
        ([0, 0, 0, 0, 0], 3, {"bootstrap": True, "weighted": True}),
    ],
)
def test_every_node_matches_the_reference(regularization, n_levels, n_classes, options):
    X, y, n_levels = mixed_rows(150, n_levels, n_classes, seed=3)
    options = dict(options)
    w = np.random.RandomState(0).rand(150) + 0.1 if options.pop("weighted", False) else None
    tree, framed, copies = grow_one(X, y, n_levels, 3, regularization, weights=w, **options)
    Z, missing = framed.columns.T, framed.missing.T
    missing = missing if len(missing) else np.zeros(Z.shape, dtype=bool)
    weights = copies * (np.ones(150) if w is None else w)
    leaves = leaves_of(tree, framed)
    pool, drawn = np.arange(5, dtype=np.int32), np.empty(3, np.int32)
    stack, seen = [(0, np.flatnonzero(copies))], set()
    while stack:
        node, rows = stack.pop()
        draw_features(7, node, pool, 3, drawn)
        split, gain = ("leaf",), 0.0
        if len(np.unique(y[rows])) > 1:
            split, gain = split_node(
                Z[rows],
                y[rows],
                weights[rows],
                copies[rows],
                drawn,
                missing=missing[rows],
                n_levels=n_levels,
                regularization=regularization,
                min_samples_leaf=options.get("min_leaf", 1),
            )
        seen.add(split[0])
        if split[0] == "leaf":
            assert tree.feature[node] == LEAF
            assert (leaves[rows] == node).all()
            continue
        assert_allclose(tree.gains[node], gain * weights[rows].sum(), rtol=1e-6)
        left = compare_split(tree, node, split, Z[rows], missing[rows])
        stack.append((tree.child[node], rows[left]))
        stack.append((tree.child[node] + 1, rows[~left]))
    assert "levels" in seen or not n_levels.any()
    assert "missing" in seen or n_levels.all()
    assert "plane" in seen or regularization is None or (n_levels > 0).sum() > 3


def compare_split(tree, node, split, Z, missing):
    """Compare a node with a split of the reference; return which rows go left."""
    kind = split[0]
    if kind == "plane":
        assert tree.feature[node] == PLANE
        found = np.zeros(Z.shape[1])
        np.add.at(
            found, tree.plane_features[tree.plane[node]], tree.plane_weights[tree.plane[node]]
        )
        expected = np.zeros(Z.shape[1])
        expected[split[3]] = split[1]
        assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        return Z @ found <= tree.threshold[node]
    assert tree.feature[node] == split[1]
    left = left_of(split, Z, missing)
    if kind == "levels":
        assert tree.route[node] == BY_LEVEL
        assert_array_equal(tree.goes_right(node, Z[:, split[1]].astype(int)), ~left)
    else:
        limit = split[2] if np.isfinite(split[2]) else PRESENT
        assert_allclose(tree.threshold[node], limit)
    if kind == "missing":
        assert tree.route[node] == (MISSING_LEFT if split[3] == "left" else MISSING_RIGHT)
    return left


def test_unseen_levels_go_to_the_heavier_side():
    codes = np.r_[np.zeros(30), np.ones(10)]
    y = np.r_[np.zeros(30, int), np.ones(10, int)]
    tree, _, _ = grow_one(codes[:, None], y, np.array([5]), 1, "axis")
    side = tree.goes_right(0, np.arange(6))
    assert side[0] != side[1]
    assert_array_equal(side[2:], side[0])


def test_rare_levels_of_a_long_list_stay_together():
    rng = np.random.RandomState(0)
    codes = np.r_[np.zeros(40), np.ones(40), 2 + np.arange(38)]
    y = np.r_[np.zeros(40, int), np.ones(40, int), rng.randint(2, size=38)]
    tree, _, _ = grow_one(codes[:, None], y, np.array([40]), 1, None)
    assert len(set(tree.goes_right(0, np.arange(2, 41)))) == 1


def test_expectations_are_those_of_the_joint_normal_distribution():
    rng = np.random.RandomState(0)
    covariance = np.array([[1.0, 0.8, 0.3], [0.8, 1.0, 0.1], [0.3, 0.1, 1.0]])
    Z = np.linalg.cholesky(covariance) @ rng.randn(3, 4000)
    missing = rng.rand(3, 4000) < 0.2
    found = fit_expectation(np.where(missing, 0.0, Z), missing, np.arange(3))
    assert_allclose(np.linalg.inv(found.precision), covariance, atol=0.08)
    row = np.array([[0.0], [1.0], [-0.5]])
    found.fill(row, np.array([[True], [False], [False]]))
    S = np.linalg.inv(found.precision)
    literal = found.mean[0] + S[0, 1:] @ np.linalg.solve(S[1:, 1:], [1.0, -0.5] - found.mean[1:])
    assert_allclose(row[0, 0], literal)
    alone = np.zeros((3, 1))
    found.fill(alone, np.ones((3, 1), dtype=bool))
    assert_allclose(alone[:, 0], found.mean)


def test_columns_without_values_and_columns_that_repeat_others():
    rng = np.random.RandomState(0)
    X = rng.randn(60, 4)
    X[:, 1] = np.nan
    X[:, 3] = 2 * X[:, 0]
    X[:20, 0] = np.nan
    y = (X[:, 3] > 0).astype(int)
    tree, framed, _ = grow_one(X, y, np.zeros(4, int), 4, "axis")
    assert np.isfinite(framed.columns).all()
    assert np.corrcoef(framed.columns[0, :20], framed.columns[3, :20])[0, 1] > 0.98
    assert tree.shares[leaves_of(tree, framed), y].min() > 0.9


def test_a_complete_frame_expects_the_mean():
    X = np.random.RandomState(0).randn(50, 2) + 5
    frame = fit_frame(X)
    assert frame.expectation is None
    rows = frame(np.array([[np.nan, 6.0]]))
    assert rows.columns[0, 0] == 0.0
    assert_array_equal(rows.missing, [[True], [False]])
    assert not FramedRows.complete(rows.columns).lack_values
