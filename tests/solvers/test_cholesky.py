"""Factors without the lock are those of SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernsemble.solvers import cholesky
from kernsemble.solvers.cholesky import factor_in_place


def system_of(n, dtype=float):
    X = np.random.RandomState(n).randn(n, n)
    return (X @ X.T + n * np.eye(n)).astype(dtype)


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


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_that_is_not_positive_definite_is_an_error(order):
    with pytest.raises(LinAlgError):
        factor_in_place(np.array(np.diag([1.0, -1.0, 2.0]), order=order))


def test_other_integers_than_expected_leave_it_to_scipy(monkeypatch):
    monkeypatch.setattr(cholesky, "_routine", lambda name: None)
    found = factor_in_place(system_of(5))
    assert_array_equal(np.triu(found[0]), np.triu(cho_factor(system_of(5))[0]))
