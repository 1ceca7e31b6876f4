"""Logistic regression on curves: honest by folds, one linear model in the end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from kernsemble import KernelEnsembleClassifier
from kernsemble.maps.additive_view import fit_additive_view
from kernsemble.maps.mixed_views import fit_mixed_view
from kernsemble.maps.views import fit_rank_view, fit_scaled_view
from kernsemble.members.additive import INVERSE_STRENGTHS, LinearMember, fit_additive_member
from kernsemble.members.folded_ridge import Folds
from kernsemble.tables import MemoryTable
from kernsemble.tables.columns import Columns


def draw(n_rows, n_classes, seed=0):
    """Return rows whose classes depend on their columns one by one, and folds."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n_rows, 3)
    scores = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1], np.abs(X[:, 2])])[:, :n_classes]
    codes = np.argmax(3 * scores + rng.gumbel(size=scores.shape), axis=1)
    folds = Folds.of(np.arange(n_rows) % 5, 5).pairs()
    return MemoryTable(X, codes, np.arange(n_classes)).all, folds


def view_of(X):
    return fit_additive_view(fit_scaled_view(X), fit_rank_view(X), X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fold_is_scored_by_a_regression_that_did_not_see_it(n_classes):
    rows, folds = draw(200, n_classes)
    found = fit_additive_member(rows, folds)
    C = found.choice.inverse_strength
    models = [LogisticRegression(C=C, tol=1e-8, max_iter=1000) for _ in folds]
    for model, (rest, fold) in zip(models, folds):
        model.fit(rows.X[rest], rows.codes[rest])
        honest = softmax(found.member.honest_scores[fold], axis=1)
        assert_allclose(honest, model.predict_proba(rows.X[fold]), atol=0.01)
    if n_classes == 3:
        mean = np.mean([model.decision_function(rows.X) for model in models], axis=0)
        assert_allclose(
            softmax(found.member.scores(rows.X), axis=1), softmax(mean, axis=1), atol=0.01
        )


def test_the_strength_is_that_of_least_honest_log_loss():
    rng = np.random.RandomState(0)
    noise = MemoryTable(rng.randn(60, 30), rng.randint(2, size=60), np.arange(2)).all
    _, folds = draw(60, 2)
    assert fit_additive_member(noise, folds).choice.inverse_strength == INVERSE_STRENGTHS[0]
    rows, folds = draw(400, 2)
    assert fit_additive_member(rows, folds).choice.inverse_strength > INVERSE_STRENGTHS[0]


def test_more_rows_go_on_where_fewer_have_ended():
    rows, folds = draw(400, 3)
    few, some = draw(400, 3)[0], np.arange(200)
    few = few._replace(X=few.X[some], codes=few.codes[some])
    first = fit_additive_member(few, Folds.of(some % 5, 5).pairs())
    before = first.member.coefs.copy()
    more = fit_additive_member(rows, folds, first.choice)
    assert more.choice.inverse_strength == first.choice.inverse_strength
    assert_array_equal(first.member.coefs, before)
    whole = [
        LogisticRegression(C=more.choice.inverse_strength, tol=1e-8, max_iter=1000)
        .fit(rows.X[rest], rows.codes[rest])
        .coef_.T
        for rest, _ in folds
    ]
    assert_allclose(more.member.coefs[:-1], np.mean(whole, axis=0), atol=0.02)


def test_a_class_that_a_fold_does_not_show_is_unlikely_but_possible():
    codes = np.repeat([0, 1, 2], [20, 19, 1])
    X = np.random.RandomState(0).randn(40, 2) + codes[:, None]
    rows = MemoryTable(X, codes, np.arange(3)).all
    found = fit_additive_member(rows, [(np.arange(39), np.array([39])), (np.arange(39), [])])
    P = softmax(found.member.honest_scores[39])
    assert 0.0 < P[2] < 0.1
    # Rows of a single class have no model, but its share, and that of one further row for others.
    single = fit_additive_member(rows, [(np.arange(20), np.arange(20, 40)), (np.arange(20), [])])
    shares = np.exp(single.member.honest_scores[20:])
    assert_allclose(shares, np.tile([1.0, 1.0 / 21.0, 1.0 / 21.0], (20, 1)))


def test_weights_count_as_rows():
    rows, folds = draw(150, 2)
    doubled = rows._replace(sample_weight=np.full(150, 2.0))
    twice = rows._replace(X=np.vstack([rows.X] * 2), codes=np.concatenate([rows.codes] * 2))
    pairs = [
        (np.concatenate([rest, rest + 150]), np.concatenate([fold, fold + 150]))
        for rest, fold in folds
    ]
    weighted, copied = fit_additive_member(doubled, folds), fit_additive_member(twice, pairs)
    assert_allclose(weighted.member.coefs, copied.member.coefs, atol=0.02)


def test_a_linear_model_of_the_view_bends_at_the_quartiles():
    X = np.linspace(0.0, 1.0, 101)[:, None]
    Z = view_of(X)(X)
    bent = np.maximum(X[:, 0] - 0.5, 0.0) - 3.0 * np.maximum(X[:, 0] - 0.25, 0.0)
    # The scaled view compresses distant values a little, and so is no straight line itself.
    design = np.column_stack([Z, np.ones(101)])
    residual = bent - design @ np.linalg.lstsq(design, bent, rcond=None)[0]
    assert np.abs(residual).max() < 0.01
    assert_allclose(Z[:, 2:].mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(Z[:, 2:].std(axis=0), 1.0)


def test_a_column_of_two_values_has_no_hinge():
    X = np.column_stack([np.arange(40) % 2, np.arange(40)]).astype(float)
    assert set(view_of(X).columns) == {1}


def test_categories_and_missing_values_have_the_coordinates_of_the_scaled_view():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randint(3, size=60), rng.randn(60)])
    X[::7, 1] = np.nan
    columns = Columns(np.array([3, 0]), np.array([False, True]))
    scaled = fit_mixed_view(X, columns)
    view = fit_additive_view(scaled, fit_mixed_view(X, columns, ranks=True), X)
    Z = view(X)
    assert np.isfinite(Z).all()
    assert_array_equal(Z[:, : scaled(X).shape[1]], scaled(X))
    assert Z.shape[1] == scaled(X).shape[1] + 1 + 3


def test_sparse_rows_are_taken_as_they_are():
    rows, folds = draw(120, 2)
    dense, thin = fit_additive_member(rows, folds), rows._replace(X=sparse.csr_matrix(rows.X))
    found = fit_additive_member(thin, folds)
    assert_allclose(found.member.coefs, dense.member.coefs, atol=1e-6)
    assert_allclose(found.member.scores(thin.X), dense.member.scores(rows.X), atol=1e-6)
    assert isinstance(found.member, LinearMember)


def test_the_kind_is_well_calibrated_where_columns_act_one_by_one():
    rows, _ = draw(700, 2)
    new, _ = draw(700, 2, seed=1)
    clf = KernelEnsembleClassifier(["additive"], random_state=0).fit(rows.X, rows.codes)
    straight = LogisticRegression().fit(rows.X, rows.codes)
    ours = log_loss(new.codes, clf.predict_proba(new.X))
    assert ours < 0.95 * log_loss(new.codes, straight.predict_proba(new.X))
