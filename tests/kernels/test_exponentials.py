"""Compiled exponentials and powers are right to the last digits."""

from decimal import Decimal, localcontext

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.compiled import compiled
from kernsemble.kernels.exponentials import exponential, power


@compiled
def exponentials(x):
    found = np.empty_like(x)
    for i in range(len(x)):
        found[i] = exponential(x[i])
    return found


@compiled
def powers(x, exponent):
    found = np.empty_like(x)
    for i in range(len(x)):
        found[i] = power(x[i], exponent)
    return found


def exact(function, x):
    with localcontext() as context:
        context.prec = 40
        return np.array([float(function(Decimal(float(value)))) for value in x])


def test_exponentials_are_exact_but_for_rounding():
    rng = np.random.RandomState(0)
    x = np.concatenate([rng.uniform(-708, 709, 500), rng.uniform(-1, 1, 500), [0.0, -1e-300]])
    assert_allclose(exponentials(x), exact(Decimal.exp, x), rtol=4e-16)
    assert exponentials(np.zeros(1))[0] == 1.0


def test_powers_are_exact_to_fourteen_digits():
    rng = np.random.RandomState(1)
    x = np.concatenate([np.exp(rng.uniform(-300, 300, 500)), rng.uniform(0.5, 2.0, 500), [1.0]])
    for exponent in (0.01, 0.35, 0.7, 1.3, 2.0):
        expected = exact(lambda value, e=exponent: value ** Decimal(e), x)
        assert_allclose(powers(x, exponent), expected, rtol=3e-14)


def test_beyond_the_numbers_they_stay_at_the_edge():
    ends = exponentials(np.array([-np.inf, -1e6, 1e6, np.inf]))
    assert_array_equal(ends, exponentials(np.array([-708.0, -708.0, 709.0, 709.0])))
    assert np.isnan(exponentials(np.array([np.nan]))[0])
    assert_array_equal(powers(np.array([0.0, np.nan]), 0.7), [0.0, np.nan])
    assert np.isfinite(powers(np.array([np.inf, 1e308, 5e-324]), 1.9)).all()
