import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import StandardScaler

from kernsemble.maps.additive_view import fit_additive_view
from kernsemble.maps.mixed_views import fit_mixed_view
from kernsemble.maps.views import (
    MAX_KNOTS,
    MetricView,
    SeenRows,
    fit_rank_view,
    fit_scaled_view,
)
from kernsemble.tables import Columns


def test_without_outliers_the_scaled_view_is_the_usual_one_but_for_the_squeeze():
    X = np.random.RandomState(0).uniform(size=(300, 4)) * [1, 10, 100, 1e-3] + [0, 5, -3, 2]
    Z, usual = fit_scaled_view(X)(X), StandardScaler().fit_transform(X)
    assert_allclose(Z, usual / np.sqrt(1 + (usual / 4) ** 2))


def test_an_outlier_moves_neither_the_scale_nor_far_away():
    rng = np.random.RandomState(1)
    X = rng.randn(200, 2)
    spoilt = X.copy()
    spoilt[0, 0] = 1e12
    clean, view = fit_scaled_view(X), fit_scaled_view(spoilt)
    assert_allclose(view.scale[0], clean.scale[0], rtol=0.2)
    assert np.abs(view(spoilt)).max() <= 4.0


@pytest.mark.parametrize("fit_view", [fit_scaled_view, fit_rank_view])
def test_constant_columns_are_left_out_and_huge_values_stay_finite(fit_view):
    X = np.column_stack([np.ones(20), np.linspace(-1e300, 1e300, 20), np.arange(20) % 2])
    view = fit_view(X)
    assert view.kept.tolist() == [1, 2]
    assert np.isfinite(view(X)).all()
    constant = fit_view(np.ones((5, 2)))
    assert_allclose(constant(np.ones((3, 2))), 0.0)


def test_ranks_do_not_depend_on_a_monotone_change_of_the_columns():
    X = np.random.RandomState(2).randn(100, 3)
    changed = np.column_stack([np.exp(X[:, 0]), X[:, 1] ** 3, 5 * X[:, 2]])
    Z = fit_rank_view(X)(X)
    assert_allclose(fit_rank_view(changed)(changed), Z)
    assert_allclose(Z.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(Z.std(axis=0), 1.0)


def test_ties_share_a_rank_and_new_values_lie_between():
    view = fit_rank_view(np.array([[0.0], [0.0], [1.0], [3.0]]))
    low, middle, high = view(np.array([[0.0], [1.0], [3.0]]))[:, 0]
    assert view(np.array([[2.0]]))[0, 0] == pytest.approx((middle + high) / 2)
    assert view(np.array([[-9.0]]))[0, 0] == low


def test_long_columns_keep_a_bounded_number_of_knots():
    X = np.random.RandomState(3).randn(5 * MAX_KNOTS, 1)
    view = fit_rank_view(X)
    exact = X[:, 0].argsort().argsort() / len(X)
    assert len(view.values[0]) == MAX_KNOTS
    assert np.corrcoef(view(X)[:, 0], exact)[0, 1] > 0.9999


def test_a_metric_stretches_another_view():
    X = np.random.RandomState(4).randn(30, 2)
    view = fit_scaled_view(X)
    assert_allclose(MetricView(view, np.array([2.0, 0.0]))(X), view(X) * [2.0, 0.0])


def test_rows_are_restored_from_what_a_view_shows():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(40) * 5 + 3, np.full(40, 7.0), rng.randn(40)])
    view = fit_scaled_view(X)
    assert_allclose(view.restore(view(X), X[0]), X)
    whole = fit_scaled_view(X, keep_columns=True)
    assert_allclose(whole.restore(whole(X), X[0]), X)
    X[::7, 0] = np.nan
    X[:, 1] = rng.randint(3, size=40)
    X[::9, 1] = np.nan
    columns = Columns(np.array([0, 3, 0]), np.array([True, True, False]))
    mixed = fit_mixed_view(X, columns)
    assert_allclose(mixed.restore(mixed(X), X[0]), X)
    ranks = fit_mixed_view(X, columns, ranks=True)
    assert ranks.restore(ranks(X), X[0]) is None


def test_the_representation_of_ranks_is_one_line():
    view = fit_rank_view(np.random.RandomState(0).randn(50, 9))
    assert repr(view) == "RankView(9 columns; knots: 50, 50, 50, …, 50, 50, 50)"


class Counted:
    """A view that counts how often it is computed."""

    def __init__(self, view):
        self.view, self.calls = view, 0

    def __call__(self, X):
        self.calls += 1
        return self.view(X)


def test_views_made_of_others_share_what_these_show():
    X = np.random.RandomState(4).randn(60, 3)
    scaled, ranks = Counted(fit_scaled_view(X)), Counted(fit_rank_view(X))
    stretched = MetricView(scaled, np.array([1.0, 2.0, 0.5]))
    curves = fit_additive_view(scaled, ranks, X)
    views = stretched, curves, scaled, ranks
    alone = [view(X) for view in views]
    scaled.calls = ranks.calls = 0
    seen = SeenRows(X)
    for view, expected in zip(views, alone, strict=True):
        assert_allclose(seen(view), expected, rtol=0, atol=0)
        assert seen(view) is seen(view)
    assert (scaled.calls, ranks.calls) == (1, 1)
    assert seen(None) is X
