"""What is computed without the lock is what SciPy computes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigh, solve_triangular
from scipy.linalg.lapack import dpstrf, dtrtri

from kernsemble.solvers import lapack
from kernsemble.solvers.lapack import factor_in_place


def system_of(n, dtype=float):
    X = np.random.RandomState(n).randn(n, n)
    return (X @ X.T + n * np.eye(n)).astype(dtype)


@pytest.fixture(params=["without the lock", "by SciPy"])
def routines(request, monkeypatch):
    """Routines with the integers that are expected, or with others."""
    if request.param == "by SciPy":
        monkeypatch.setattr(lapack, "_routine", lambda name: None)
    return lapack


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [1, 7, 300])
def test_factors_are_those_of_scipy(n, order, dtype):
    system, b = system_of(n, dtype), np.arange(n, dtype=dtype)
    found = factor_in_place(np.array(system, order=order))
    assert found[0].dtype == dtype
    expected = cho_solve(cho_factor(system), b)
    digits = np.finfo(dtype).resolution * 100 * abs(expected).max()
    assert_allclose(cho_solve(found, b), expected, atol=digits, rtol=0)


def test_the_memory_of_the_matrix_is_used():
    system = system_of(50)
    factor, _ = factor_in_place(system)
    assert np.shares_memory(factor, system)


@pytest.mark.parametrize("factor", [factor_in_place, lapack.lower_factor])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_that_is_not_positive_definite_is_an_error(order, factor):
    with pytest.raises(LinAlgError):
        factor(np.array(np.diag([1.0, -1.0, 2.0]), order=order))


@pytest.mark.parametrize("place", [10, 299, 399])
def test_a_block_that_is_not_positive_definite_is_named(place):
    system = np.eye(400)
    system[place, place] = -1.0
    with pytest.raises(LinAlgError, match=f"order {place + 1} "):
        lapack.lower_factor(system)


def test_other_integers_than_expected_leave_it_to_scipy(monkeypatch):
    monkeypatch.setattr(lapack, "_routine", lambda name: None)
    found = factor_in_place(system_of(5))
    assert_array_equal(np.triu(found[0]), np.triu(cho_factor(system_of(5))[0]))


@pytest.mark.parametrize("n", [257, 300, 400])
def test_factors_in_blocks_are_as_exact_as_one_call(routines, n):
    system, expected = system_of(n), cholesky(system_of(n), lower=True)
    factor = routines.lower_factor(system.copy())
    size = np.abs(system).max()
    assert_allclose(factor @ factor.T, system, rtol=0, atol=1e-14 * n * size)
    assert_allclose(factor, expected, rtol=0, atol=1e-14 * n * np.abs(expected).max())
    assert_array_equal(np.triu(factor, 1), 0.0)
    inverse = np.tril(routines.invert_lower(factor.copy(order="F")))
    assert_allclose(inverse @ factor, np.eye(n), rtol=0, atol=1e-11)


@pytest.mark.parametrize("n", [1, 2, 40])
def test_lower_factors_and_what_they_solve(routines, n):
    system, B = system_of(n), np.random.RandomState(0).randn(n, 3)
    expected = cholesky(system, lower=True)
    factor = routines.lower_factor(system.copy())
    assert_allclose(factor, expected, rtol=1e-12)
    assert_array_equal(np.triu(factor, 1), 0.0)
    assert_allclose(routines.solve_factored((factor, True), B), cho_solve((expected, True), B))
    half = solve_triangular(expected, B, lower=True)
    assert_allclose(routines.solve_lower(factor, B), half, atol=1e-12)
    # A part of wider rows is not in one piece.
    assert_allclose(routines.solve_lower(factor, np.hstack([B, B])[:, 3:]), half, atol=1e-12)
    assert_allclose(routines.invert_lower(factor), dtrtri(expected, lower=1)[0], atol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_eigenpairs(routines, n, order):
    system = np.array(system_of(n), order=order)
    before = system.copy()
    values, vectors = routines.eigenpairs(system)
    assert_array_equal(system, before)
    assert_allclose(values, eigh(system, eigvals_only=True), rtol=1e-10)
    assert_allclose(vectors * values @ vectors.T, system, atol=1e-10 * values.max())


def test_pivoted_factors_find_the_rank(routines):
    Z = np.random.RandomState(0).randn(30, 4)
    K = Z @ Z.T
    factor, pivots, rank = routines.pivoted_factor(K[::2, ::2])
    assert (rank, len(pivots)) == (dpstrf(K[::2, ::2], lower=1)[2], 15) == (4, 15)
    half = np.empty((15, 4))
    half[pivots] = np.tril(factor[:, :4])
    assert_allclose(half @ half.T, K[::2, ::2], atol=1e-10)


def test_a_triangle_that_is_singular_is_an_error(routines):
    with pytest.raises(LinAlgError):
        routines.solve_lower(np.zeros((2, 2), order="F"), np.ones((2, 1)))
