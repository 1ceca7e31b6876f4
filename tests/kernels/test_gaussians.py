"""Sums of Gaussians from a table: equal to the sums of their exponentials up to rounding."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.kernels import RBF, Linear, evaluate
from kernsemble.kernels.gaussians import GaussianSum, gaussian_forms, worth_a_table
from kernsemble.kernels.mixture import Mixture, weighted_kernel

RNG = np.random.RandomState(0)
GAMMAS = [np.logspace(-3, 0.5, 9), np.logspace(-8, 6, 30), np.full(4, 0.7), np.array([1e-200])]
DISTANCES = np.concatenate([[0.0, 5e-324], 10.0 ** RNG.uniform(-30, 30, 4000)]).reshape(-1, 2)


@pytest.mark.parametrize("gammas", GAMMAS)
def test_the_table_equals_the_exponentials(gammas):
    weights = RNG.rand(len(gammas))
    expected = sum(w * np.exp(-gamma * DISTANCES) for w, gamma in zip(weights, gammas))
    assert_allclose(
        GaussianSum(gammas, weights)(DISTANCES), expected, rtol=0, atol=1e-14 * weights.sum()
    )


@pytest.mark.parametrize("gammas", GAMMAS)
def test_all_quadratic_forms_at_once_equal_those_of_each(gammas):
    W = RNG.randn(*DISTANCES.shape)
    forms = gaussian_forms(gammas, [(DISTANCES[:30], W[:30]), (DISTANCES[30:], W[30:])])
    expected = [np.vdot(W, np.exp(-gamma * DISTANCES)) for gamma in gammas]
    assert_allclose(forms, expected, rtol=0, atol=1e-14 * np.abs(W).sum())


def test_infinite_distances_have_kernel_zero_and_missing_ones_none():
    gammas, weights = np.array([0.1, 0.2, 0.5, 1.0]), np.ones(4)
    values = GaussianSum(gammas, weights)(np.array([[np.inf, np.nan]]))
    assert values[0, 0] == 0 and np.isnan(values[0, 1])


@pytest.mark.parametrize(("gammas", "expected"), [([1, 2], False), ([1, 2, 3, 4e30], False)])
def test_few_or_far_apart_gammas_need_no_table(gammas, expected):
    assert worth_a_table(gammas) is expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_sum_of_many_kernels_equals_the_sum_of_their_matrices(dtype):
    X, Y = RNG.randn(300, 3).astype(dtype), RNG.randn(400, 3).astype(dtype)
    kernels = [*(RBF(gamma) for gamma in np.logspace(-2, 1, 8)), Linear(), 2 * (RBF(3) + RBF(2))]
    kernel = weighted_kernel(kernels, np.arange(1.0, 11.0)) * Linear()
    expected = sum(m * k(X, Y) for m, k in enumerate(kernels, 1)) * Linear()(X, Y)
    K = kernel(X, Y)
    assert K.dtype == dtype
    assert_allclose(K, expected, rtol=0, atol=np.finfo(dtype).eps * 100 * np.abs(expected).max())
    assert_array_equal(np.diagonal(weighted_kernel(kernels[:8], np.ones(8))(X)), np.full(300, 8))


def test_a_weighted_sum_leaves_out_weights_of_zero():
    kernels = [RBF(1.0), 2.0 * Linear(), RBF(3.0)]
    assert weighted_kernel(kernels, [0.0, 0.5, 0.0]) == 1.0 * Linear()
    assert_array_equal(weighted_kernel(kernels, np.zeros(3))(RNG.randn(4, 2)), np.zeros((4, 4)))


def test_a_mixture_gives_the_forms_of_its_matrices():
    X, A = RNG.randn(90, 4), RNG.randn(90, 3)
    A[20:60] = 0
    kernels = [*(0.3 * RBF(gamma) for gamma in (0.01, 0.1, 0.2, 0.5)), Linear(), RBF(3) + RBF(2)]
    expected = [np.vdot(A, K @ A) for K in evaluate(kernels, X)]
    assert_allclose(Mixture(kernels, X).quadratic_forms(A), expected, rtol=1e-10)
    assert_allclose(Mixture(kernels[3:], X).quadratic_forms(A), expected[3:], rtol=1e-10)
    assert_array_equal(Mixture(kernels, X).quadratic_forms(0 * A), np.zeros(6))
    weights = np.arange(6.0)
    literal = sum(w * K for w, K in zip(weights, evaluate(kernels, X)))
    assert_allclose(Mixture(kernels, X).combine(weights), literal, atol=1e-12)
    assert len(Mixture(kernels, X)) == 6
