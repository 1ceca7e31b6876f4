"""Regression trees that know missing numbers better than the joint normal distribution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble import MPRaFClassifier
from kernsemble.trees.expected import fit_expectation
from kernsemble.trees.regression import grow_regression, regression_values
from kernsemble.trees.tree import LEAF


@pytest.fixture(scope="module")
def folded():
    """Three columns of which the last is the absolute value of the first, and where gaps are."""
    rng = np.random.RandomState(0)
    a, b = rng.randn(2, 800)
    Z = np.array([a, b, np.abs(a)])
    Z = (Z - Z.mean(axis=1)[:, None]) / Z.std(axis=1)[:, None]
    missing = np.zeros(Z.shape, dtype=bool)
    missing[2] = rng.rand(800) < 0.2
    missing[1] = rng.rand(800) < 0.1
    return Z, missing


def leaf_of(nodes, root, row):
    """Walk down a tree as its record says."""
    node = root
    while nodes.feature[node] != LEAF:
        goes_right = row[nodes.feature[node]] > nodes.number[node]
        node = nodes.child[node] + int(goes_right)
    return node


def test_leaves_hold_weighted_means_of_enough_rows():
    rng = np.random.RandomState(0)
    X, target = rng.randn(4, 90), rng.randn(90)
    weights = rng.randint(0, 3, 90).astype(float)
    nodes, roots = grow_regression(X, target, weights, 7, 3, 5)
    used = weights > 0
    for root in roots:
        leaves = np.array([leaf_of(nodes, root, X[:, i]) for i in range(90)])
        for leaf in np.unique(leaves):
            here = used & (leaves == leaf)
            assert here.sum() >= 5
            mean = np.average(target[here], weights=weights[here])
            assert_allclose(nodes.number[leaf], mean, atol=1e-12)
    literal = [
        np.mean([nodes.number[leaf_of(nodes, root, X[:, i])] for root in roots]) for i in range(90)
    ]
    assert_allclose(regression_values(X, nodes, roots), literal)
    # Trees differ, and come again from the same seed.
    assert len({nodes.number[root] for root in roots}) == 3
    assert_array_equal(grow_regression(X, target, weights, 7, 3, 5)[0].number, nodes.number)


def test_a_tree_ends_where_there_is_nothing_to_tell():
    X = np.random.RandomState(0).randn(2, 40)
    for target, weights in ((np.full(40, 3.0), np.ones(40)), (X[0], np.zeros(40))):
        nodes, _ = grow_regression(X, target, weights, 0, 2, 2)
        assert_array_equal(nodes.feature, [LEAF, LEAF])
        assert_allclose(nodes.number, target[0] if weights.any() else 0.0)


def test_columns_that_determine_each_other_in_a_bent_way(folded):
    Z, missing = folded
    found = fit_expectation(np.where(missing, 0.0, Z), missing, np.arange(3))
    # The second column is noise, and keeps its mean.
    assert set(found.corrections.columns) == {2}
    errors = []
    for expectation in (found._replace(corrections=None), found):
        filled = np.where(missing, 0.0, Z)
        expectation.fill(filled, missing)
        errors.append(np.abs(filled - Z)[missing & ([[False], [False], [True]])].mean())
    assert errors[1] < 0.2 * errors[0]


def test_filling_is_what_the_steps_say(folded):
    Z, missing = folded
    found = fit_expectation(np.where(missing, 0.0, Z), missing, np.arange(3))
    filled, literal = np.where(missing, 0.0, Z), np.where(missing, 0.0, Z)
    found.fill(filled, missing)
    found._replace(corrections=None).fill(literal, missing)
    S = np.linalg.inv(found.precision)
    nodes = found.corrections.nodes
    for j, roots in zip(found.corrections.columns, found.corrections.roots):
        others = np.array([k for k in range(3) if k != j])
        for i in np.flatnonzero(missing[j]):
            row = literal[:, i].copy()
            known = row[others] - found.mean[others]
            row[j] = found.mean[j] + S[j, others] @ np.linalg.solve(
                S[np.ix_(others, others)], known
            )
            literal[j, i] = np.mean([nodes.number[leaf_of(nodes, root, row)] for root in roots])
    assert_allclose(filled, literal, rtol=1e-9, atol=1e-9)


def test_normal_columns_keep_their_expectations():
    rng = np.random.RandomState(1)
    Z = np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]]) @ rng.randn(2, 1000)
    missing = rng.rand(2, 1000) < 0.1
    assert fit_expectation(np.where(missing, 0.0, Z), missing, np.arange(2)).corrections is None


def test_trees_read_the_columns_of_the_frame_beside_categories(folded):
    Z, missing = folded
    codes = np.random.RandomState(0).randint(3, size=(1, Z.shape[1])).astype(float)
    beside, gaps = np.vstack([codes, Z]), np.vstack([np.zeros_like(codes, dtype=bool), missing])
    alone = fit_expectation(np.where(missing, 0.0, Z), missing, np.arange(3))
    found = fit_expectation(np.where(gaps, 0.0, beside), gaps, np.array([1, 2, 3]))
    filled, expected = np.where(gaps, 0.0, beside), np.where(missing, 0.0, Z)
    found.fill(filled, gaps)
    alone.fill(expected, missing)
    assert_allclose(filled[1:], expected)
    assert_array_equal(filled[0], codes[0])


def test_the_answer_does_not_depend_on_the_number_of_workers(folded):
    Z, missing = folded
    X, y = np.where(missing, np.nan, Z).T, (Z[2] > 0).astype(int)
    one, two = (MPRaFClassifier(8, n_jobs=n, random_state=0).fit(X, y) for n in (1, 2))
    assert one.estimators_[0].frame.expectation.corrections is not None
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))
