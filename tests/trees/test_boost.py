"""Boosted trees are those of scikit-learn where both see the same bins and all columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

from kernsemble.trees.bins import MAX_BINS, N_GRIDS, BinnedRows, find_cuts
from kernsemble.trees.boost import boost, find_slopes
from kernsemble.trees.boosted import MAX_LEAVES, BoostedTrees, BoostGrowth, Nodes, share_scores
from tests.reference.boosting import boosted_scores


def some_rows(n_classes, n_rows=300, missing=True):
    X, y = make_classification(
        n_rows, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, random_state=0
    )
    # Few different values, so that every value is a bin of its own.
    X = np.round(X, 1)
    if missing:
        X[np.random.RandomState(0).uniform(size=X.shape) < 0.1] = np.nan
    return X, y


def growth(**changes):
    usual = {
        "learning_rate": 0.2,
        "l2": 3.0,
        "max_leaves": 8,
        "min_rows": 7,
        "n_drawn": 6,
        "n_tried": 6,
    }
    return BoostGrowth(**{**usual, **changes})


def grow(X, y, n_steps, weights=None, plan=None, seed=0):
    """Return the model, and the scores of the rows that growing has kept."""
    weights = np.ones(len(y)) if weights is None else weights
    shares = np.bincount(y, weights) / weights.sum()
    start = np.log(shares) if len(shares) > 2 else np.log(shares[1:] / shares[0])
    scores = np.tile(start[:, None], len(y))
    plan = growth() if plan is None else plan
    nodes = Nodes(*boost(BinnedRows.of(X), y, weights, scores, plan, seed, 0, n_steps))
    return BoostedTrees(nodes, start, np.unique(y), X.shape[1]), scores


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_trees_are_those_of_scikit_learn(n_classes, missing):
    X, y = some_rows(n_classes, missing=missing)
    weights = np.random.RandomState(1).uniform(0.5, 2.0, len(y))
    theirs = HistGradientBoostingClassifier(
        learning_rate=0.2,
        l2_regularization=3.0,
        max_leaf_nodes=8,
        min_samples_leaf=7,
        max_iter=5,
        early_stopping=False,
    ).fit(X, y, sample_weight=weights)
    ours, _ = grow(X, y, 5, weights)
    # They add gradients in single precision.
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_are_those_of_the_equations(n_classes):
    X, y = some_rows(n_classes, 80)
    weights = np.random.RandomState(1).uniform(0.5, 2.0, len(y))
    _, scores = grow(X, y, 3, weights)
    assert_allclose(scores, boosted_scores(X, y, weights, growth(), 3), atol=1e-10)


@pytest.mark.parametrize("n_leaves", [2, 15, MAX_LEAVES])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_model_predicts_the_scores_of_its_growth(n_classes, n_leaves):
    X, y = some_rows(n_classes)
    plan = growth(max_leaves=n_leaves, min_rows=2, n_drawn=4, n_tried=2)
    model, scores = grow(X, y, 6, plan=plan)
    assert_allclose(model.predict_proba(X), share_scores(scores.T), atol=1e-12)
    assert model.n_steps == 6
    assert np.diff(model.nodes.tree_leaves).max() <= n_leaves


def test_slopes_are_derivatives_of_the_log_loss():
    rng = np.random.RandomState(0)
    for n_outputs in (1, 3):
        scores, codes = rng.randn(n_outputs, 5), rng.randint(max(n_outputs, 2), size=5)
        weights, slopes = rng.uniform(0.5, 2.0, 5), np.empty((n_outputs, 5, 2))
        find_slopes(scores, codes, weights, slopes)

        def loss(S, codes=codes, weights=weights):
            full = np.vstack([np.zeros(5), S]) if len(S) == 1 else S
            return weights * (np.log(np.exp(full).sum(axis=0)) - full[codes, np.arange(5)])

        step = 1e-4
        for k in range(n_outputs):
            move = step * (np.arange(n_outputs) == k)[:, None]
            up, here, down = loss(scores + move), loss(scores), loss(scores - move)
            assert_allclose(slopes[k, :, 0], (up - down) / (2 * step), atol=1e-7)
            assert_allclose(slopes[k, :, 1], (up - 2 * here + down) / step**2, atol=1e-5)


def test_later_steps_go_on_where_earlier_ones_ended():
    X, y = some_rows(3)
    plan, binned, weights = growth(n_tried=3), BinnedRows.of(X), np.ones(len(y))
    at_once, scores = grow(X, y, 7, plan=plan)
    first, more = grow(X, y, 4, plan=plan)
    later = first.with_more(Nodes(*boost(binned, y, weights, more, plan, 0, 4, 3)))
    assert_array_equal(more, scores)
    for own, other in zip(later.nodes, at_once.nodes):
        assert_array_equal(own, other)
    start = np.tile(first.start, (len(X), 1))
    parts = later.add_to(later.add_to(start, X, 0, 4), X, 4, 7)
    assert_allclose(share_scores(parts), at_once.predict_proba(X), atol=1e-14)


def test_rows_of_one_class_share_make_no_split():
    X, y = np.zeros((20, 2)), np.arange(20) % 2
    model, _ = grow(X, y, 2, plan=growth(n_drawn=2, n_tried=2))
    assert len(model.nodes.feature) == 0
    assert_allclose(model.predict_proba(X), 0.5)


def test_the_trees_refuse_other_columns():
    X, y = some_rows(2)
    with pytest.raises(ValueError, match="X has 3 columns, the trees 6"):
        grow(X, y, 1)[0].predict_proba(X[:, :3])


def test_intervals_hold_about_equally_many_rows():
    values = np.random.RandomState(0).randn(10_000) ** 3
    X = np.column_stack([values, np.where(values > 1.0, np.nan, np.round(values))])
    binned, missing = BinnedRows.of(X), np.isnan(X[:, 1])
    assert len(binned.codes) == N_GRIDS
    for all_codes, all_cuts, n_bins in zip(*binned):
        counts = np.bincount(all_codes[0])
        assert len(counts) == n_bins[0] == MAX_BINS
        # The first and the last intervals have what the shift of a grid leaves them.
        assert counts.max() < 1.6 * counts[1:-1].min()
        assert_array_equal(all_codes[1] == n_bins[1], missing)
        for column in range(2):
            known = ~np.isnan(X[:, column])
            own, codes, cuts = X[known, column], all_codes[column, known], all_cuts[column]
            assert np.all(own <= cuts[codes])
            above = codes > 0
            assert np.all(own[above] > cuts[codes[above] - 1])


def test_grids_of_many_values_cut_between_each_other():
    grids = find_cuts(np.arange(10_000.0))
    cuts = np.sort(np.concatenate(grids))
    assert len(cuts) == N_GRIDS * (MAX_BINS - 1)
    assert np.diff(cuts).max() < 1.2 * 10_000 / len(cuts)


def test_values_of_many_rows_leave_bins_for_the_others():
    rare = np.random.RandomState(0).randn(1000)
    alone, beside = find_cuts(rare)[0], find_cuts(np.concatenate([rare, np.zeros(50_000)]))[0]
    assert len(beside) > 0.75 * len(alone)


def test_cuts_are_in_the_middle_of_neighbours():
    assert_array_equal(find_cuts(np.array([3.0, 1.0, 1.0, 2.0])), [[1.5, 2.5]])
    assert_array_equal(find_cuts(np.array([4.0])), [[]])
    near = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert_array_equal(find_cuts(near), [near[:1]])


def test_trees_use_the_grids_in_turn():
    # A step between two cuts of every single grid is found by the trees of all.
    x = np.random.RandomState(0).uniform(size=4000)
    y = (x > 0.5031).astype(np.intp)
    plan = growth(max_leaves=2, n_drawn=1, n_tried=1, min_rows=1)
    model, _ = grow(x[:, None], y, N_GRIDS, plan=plan)
    assert len(np.unique(model.nodes.threshold)) == N_GRIDS
    together, _ = grow(x[:, None], y, 60, plan=plan)
    assert np.mean((together.predict_proba(x[:, None])[:, 1] > 0.5) == y) > 0.998


def test_a_sample_may_tell_where_columns_are_cut():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(3000), rng.randint(5, size=3000)])
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    sample = np.arange(0, 3000, 3)
    rows, own = BinnedRows.of(X, sample), BinnedRows.of(X[sample])
    assert_array_equal(rows.cuts, own.cuts)
    assert_array_equal(rows.codes[:, :, sample], own.codes)
    for grid, column in np.ndindex(rows.n_bins.shape):
        n_bins, values = rows.n_bins[grid, column], X[:, column]
        inner = np.searchsorted(rows.cuts[grid, column, : n_bins - 1], values)
        assert_array_equal(rows.codes[grid, column], np.where(np.isnan(values), n_bins, inner))


def test_replaced_columns_have_bins_of_their_own():
    X = np.column_stack([np.arange(6.0), np.arange(6.0)])
    before = BinnedRows.of(X)
    after = before.take(np.arange(4)).replaced([1], np.array([[0.0], [0.0], [1.0], [1.0]]))
    assert_array_equal(after.codes, [[[0, 1, 2, 3], [0, 0, 1, 1]]])
    assert after.n_bins.tolist() == [[6, 2]]
    assert before.n_bins.tolist() == [[6, 6]]
    more = before.replaced([0], np.zeros((6, 1)) + np.nan)
    assert more.n_bins.tolist() == [[1, 6]]
