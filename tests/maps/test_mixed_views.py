"""Distances of rows with categories and missing values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.maps.mixed_views import MIN_ROWS, fit_corners, fit_mixed_view
from kernsemble.maps.views import SQUEEZE, fit_scaled_view
from kernsemble.tables import Columns


def squared_distances(Z, Y):
    return ((Z[:, None, :] - Y[None, :, :]) ** 2).sum(axis=-1)


def categories(*shares):
    return np.repeat(np.arange(float(len(shares))), shares)[:, None]


def columns_of(X, *n_levels):
    return Columns(np.array(n_levels), np.isnan(X).any(axis=0))


@pytest.mark.parametrize("shares", [(50, 50), (60, 30, 10), (20, 20, 20, 20, 20), (70, 20, 5, 5)])
def test_a_category_differs_as_much_as_a_scaled_number(shares):
    X = categories(*shares)
    Z = fit_mixed_view(X, columns_of(X, len(shares)))(X)
    D = squared_distances(Z, Z)
    assert_allclose(D.mean(), 2.0)
    # Every mismatch is of the same length.
    assert len(np.unique(D[D > 1e-9].round(9))) == 1


def test_two_equal_levels_are_a_scaled_column_of_zeros_and_ones():
    X = categories(50, 50)
    D = squared_distances(*[fit_mixed_view(X, columns_of(X, 2))(X)] * 2)
    plain = (X - X.mean()) / X.std()
    assert_allclose(D, squared_distances(plain, plain), atol=1e-12)


def test_a_rare_level_is_no_further_than_a_distant_number():
    X = categories(1990, 10)
    Z = fit_mixed_view(X, columns_of(X, 2))(X)
    assert_allclose(squared_distances(Z[:1], Z[-1:]), SQUEEZE**2)


def test_levels_of_few_rows_share_a_corner():
    rare = [MIN_ROWS - 1] * 6
    X = categories(40, 30, *rare)
    corners = fit_corners(X[:, 0], 8, np.ones(len(X)))
    assert corners.coordinates.shape == (9, 3)
    assert_allclose(np.ptp(corners.coordinates[2:8], axis=0), 0.0)


def test_a_missing_category_has_the_expected_squared_difference():
    X = np.vstack([categories(50, 30, 20), np.full((10, 1), np.nan)])
    Z = fit_mixed_view(X, columns_of(X, 3))(X)
    D = squared_distances(Z, Z)
    for row in (0, 60, 90):
        assert_allclose(D[-1, row], D[:100, row].mean())
    # Two missing values are alike.
    assert_allclose(D[-1, -2], 0.0)


@pytest.mark.parametrize("ranks", [False, True])
def test_a_missing_number_has_the_expected_squared_difference(ranks):
    rng = np.random.RandomState(0)
    X = rng.randn(400, 2)
    X[:50, 0] = np.nan
    Z = fit_mixed_view(X, columns_of(X, 0, 0), ranks=ranks)(X)
    one = Z[:, [0, 2]]  # the first column, and its coordinate for missing values
    D = squared_distances(one[:1], one[50:])[0]
    expected = squared_distances(one[50:, :1], one[50:, :1]).mean(axis=0)
    assert_allclose(D, expected, atol=0.1)


def test_a_value_that_is_newly_missing_has_the_expected_squared_difference():
    rng = np.random.RandomState(0)
    X = np.hstack([rng.randn(100, 1), categories(50, 30, 20)])
    view = fit_mixed_view(X, columns_of(X, 0, 3))
    Z = view(X)
    new = view(np.full((1, 2), np.nan))
    expected = squared_distances(Z, Z).mean(axis=0)
    assert_allclose(squared_distances(new, Z)[0], expected, atol=0.15)


def test_numbers_alone_are_scaled_as_ever():
    X = np.random.RandomState(0).standard_cauchy((50, 3))
    Z = fit_mixed_view(X, columns_of(X, 0, 0, 0))(X)
    assert_allclose(Z[:, :3], fit_scaled_view(X)(X))
    assert_allclose(Z[:, 3], 0.0)


def test_odd_columns_do_no_harm():
    X = np.full((20, 4), np.nan)
    X[:, 1] = 3.0  # constant
    X[::2, 2] = 0.0  # one level, or missing
    X[:, 3] = np.arange(20)  # many levels
    view = fit_mixed_view(X, columns_of(X, 0, 0, 1, 100))
    assert np.isfinite(view(X)).all()
    assert np.isfinite(view(np.full((2, 4), np.nan))).all()


def test_weights_count_as_rows():
    X = np.vstack([categories(30, 30), [[np.nan]]])
    weights = np.r_[np.full(30, 3.0), np.ones(31)]
    repeated = np.repeat(X, weights.astype(int), axis=0)
    one = fit_mixed_view(X, columns_of(X, 2), weights)
    other = fit_mixed_view(repeated, columns_of(X, 2))
    assert_allclose(one(X), other(X))


def test_many_levels_are_about_equally_far_apart_in_a_view_by_levels():
    rng = np.random.RandomState(0)
    X = np.concatenate([np.arange(300.0), rng.randint(300, size=2000)])[:, None]
    columns = columns_of(X, 300)
    assert fit_mixed_view(X, columns)(X).shape[1] == 1
    view = fit_mixed_view(X, columns, by_levels=True)
    Z = view(np.arange(300.0)[:, None])
    D = squared_distances(Z, Z)
    assert_allclose(squared_distances(*[view(X)] * 2).mean(), 2.0)
    apart = D[np.triu_indices(300, 1)]
    assert np.mean((apart > 1.0) & (apart < 3.5)) > 0.97 and np.mean(apart < 1e-9) < 1e-3
    # No more levels than corners: each has its own.
    few = categories(*[3] * 40)
    Z = fit_mixed_view(few, columns_of(few, 40), by_levels=True)(few)
    D = squared_distances(Z, Z)
    assert len(np.unique(D[D > 1e-9].round(9))) == 1


def test_a_view_shows_levels_or_their_class_shares():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randint(40, size=200), rng.randn(200), rng.rand(200)]).astype(float)
    columns = Columns(np.array([40, 0, 0]), np.zeros(3, dtype=bool), np.array([2, 0, 1]))
    by_shares, by_levels = fit_mixed_view(X, columns), fit_mixed_view(X, columns, by_levels=True)
    assert by_shares.numbers.tolist() == [1, 2] and not by_shares.corners
    assert by_levels.numbers.tolist() == [1] and by_levels.corners[0].column == 0
