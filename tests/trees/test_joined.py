"""Joined boosted trees score rows as their models do, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from test_boost import grow, growth, some_rows

from kernsemble.frames.compiled_parts import check_compiled_parts
from kernsemble.trees.joined import WIDTHS, join_trees, leaf_places
from kernsemble.trees.predict_joined import BLOCK_ROWS, FEW_ROWS


def own_scores(models, X):
    """Return the scores of models one by one, of shape (n_scores, n_rows)."""
    starts = [np.tile(model.start, (len(X), 1)) for model in models]
    found = [model.add_to(S, X, 0, model.n_steps) for model, S in zip(models, starts)]
    return np.hstack(found).T


def some_models(n_classes, max_leaves=15, missing=True):
    """Return two models of the same columns, and rows for them."""
    X, y = some_rows(n_classes, missing=missing)
    plan = growth(max_leaves=max_leaves, min_rows=2, n_drawn=4, n_tried=2)
    return [grow(X, y, n, plan=plan, seed=n)[0] for n in (3, 5)], X


@pytest.mark.parametrize("n_bits", WIDTHS)
def test_every_leaf_has_a_place_of_its_own(n_bits):
    assert sorted(leaf_places(n_bits)) == list(range(n_bits))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("max_leaves, n_bits", [(2, 16), (15, 16), (31, 32), (64, 64)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_joined_trees_score_as_their_models(n_classes, max_leaves, n_bits, missing):
    models, X = some_models(n_classes, max_leaves, missing)
    joined = join_trees(models, [[], []])
    assert joined.value.shape[1] == 8 * joined.rank.itemsize == n_bits
    rows = np.vstack([X, np.where(np.isnan(X), np.nan, X + 0.05)])
    rows[5:9] = [[np.nan], [np.inf], [-np.inf], [-0.0]]
    expected = own_scores(models, rows)
    assert_array_equal(joined.scores(rows), expected)
    for n in (0, 1, FEW_ROWS, FEW_ROWS + 1, 33, BLOCK_ROWS, BLOCK_ROWS + 1):
        assert_array_equal(joined.scores(rows[:n]), expected[:, :n])
        assert_array_equal(joined.scores(rows[9 : 9 + n]), expected[:, 9 : 9 + n])


def test_models_may_have_different_numbers_of_scores():
    (two, _), X = some_models(2)
    three = some_models(3)[0][0]
    models = [two, three, two]
    joined = join_trees(models, [[], [], []])
    assert len(joined.start) == 5
    assert_array_equal(joined.scores(X), own_scores(models, X))


@pytest.mark.parametrize("n_steps", [0, 3])
def test_trees_of_a_single_leaf_and_no_trees_at_all(n_steps):
    X, y = some_rows(3)
    plan = growth(min_rows=len(X))
    model = grow(X, y, n_steps, plan=plan)[0]
    assert len(model.nodes.feature) == 0
    joined = join_trees([model], [[]])
    check_compiled_parts(joined)
    for n in (1, len(X)):
        assert_array_equal(joined.scores(X[:n]), own_scores([model], X[:n]))


def test_levels_have_the_places_of_their_model():
    models, X = some_models(2)
    X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, np.arange(len(X)) % 5)
    places = [np.array([0.3, -1.0, 2.0, 0.1, -0.2]), np.array([0.0, 0.4, -0.7, 1.0, 0.2])]
    joined = join_trees(models, [[(1, own)] for own in places])
    seen = []
    for own in places:
        Z = X.copy()
        known = ~np.isnan(X[:, 1])
        Z[known, 1] = own[X[known, 1].astype(int)]
        seen.append(Z)
    expected = np.vstack([own_scores([model], Z) for model, Z in zip(models, seen)])
    assert_array_equal(joined.scores(X), expected)
    assert_array_equal(joined.scores(X[:2]), expected[:, :2])
    # A level that has no place counts as missing.
    strange, absent = X[:6].copy(), X[:6].copy()
    strange[:, 1], absent[:, 1] = [5.0, 1e300, -1.0, np.inf, -np.inf, np.nan], np.nan
    assert_array_equal(joined.scores(strange), joined.scores(absent))


def test_many_thresholds_need_wider_ranks():
    (model, _), X = some_models(2, missing=False)
    nodes = model.nodes
    n = 1 << 15
    # A tree of one split for each threshold.
    many = nodes._replace(
        tree_nodes=np.arange(n + 1),
        tree_leaves=2 * np.arange(n + 1),
        feature=np.zeros(n, dtype=np.int32),
        threshold=np.linspace(-2.0, 2.0, n),
        missing_right=np.zeros(n, dtype=bool),
        spared=np.full(n, 2, dtype=np.uint64),
        value=np.arange(2.0 * n),
    )
    stumps = replace(model, nodes=many)
    joined = join_trees([stumps], [[]])
    assert joined.rank.dtype == np.int32
    assert_array_equal(joined.scores(X[:8]), own_scores([stumps], X[:8]))
