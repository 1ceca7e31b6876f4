"""Coupled ridges zero the paper's gradient, reduce to independent ones, leave rows out exactly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.solvers.co_ridge import solve_co_ridge
from kernsemble.solvers.ridge import solve_kernel_ridge
from kernsemble.solvers.ridge_spectrum import feature_spectrum, gram_spectrum
from tests.reference import closed_form as ref


def problem(n_views=2, n=18, rank=None, seed=0):
    rng = np.random.RandomState(seed)
    T = np.eye(3)[rng.randint(3, size=n)]
    s = rng.uniform(0.3, 2.0, n)
    if rank is None:
        views = [rng.randn(n, 3) for _ in range(n_views)]
        grams = [np.exp(-0.2 * ((V[:, None] - V[None]) ** 2).sum(2)) for V in views]
        spectra = [gram_spectrum(K, s) for K in grams]
    else:
        views = [rng.randn(n, rank) for _ in range(n_views)]
        grams = [Z @ Z.T for Z in views]
        spectra = [feature_spectrum(Z, s) for Z in views]
    return grams, spectra, T, s, np.array([0.05, 0.4, 1.0, 0.2])[:n_views]


@pytest.mark.parametrize("n_views", [2, 3])
def test_equation_27_is_stationary(n_views):
    grams, spectra, T, s, alphas = problem(n_views)
    C2 = 0.3
    fit = solve_co_ridge(spectra, T, alphas, 2 * n_views * C2)
    everywhere, rng, h = np.ones(len(T)), np.random.RandomState(1), 1e-5
    for _ in range(5):
        steps = [h * rng.randn(*A.shape) for A in fit.coefs]
        moved = [[A + sign * d for A, d in zip(fit.coefs, steps)] for sign in (1, -1)]
        up, down = (ref.co_objective(grams, C, T, alphas, C2, s, everywhere) for C in moved)
        assert abs(up - down) / (2 * h) < 1e-6


def test_two_views_equal_the_corrected_equation_31():
    grams, _, T, _, alphas = problem()
    spectra = [gram_spectrum(K) for K in grams]
    fit = solve_co_ridge(spectra, T, alphas, 4 * 0.7)
    for A, expected in zip(fit.coefs, ref.co_krr_two_views(*grams, T, *alphas, 0.7)):
        assert_allclose(A, expected, atol=1e-9)


def test_zero_coupling_gives_independent_ridges():
    grams, spectra, T, s, alphas = problem(3)
    fit = solve_co_ridge(spectra, T, alphas, 0.0)
    for A, K, alpha in zip(fit.coefs, grams, alphas):
        assert_allclose(A, solve_kernel_ridge(K, T, alpha, s), atol=1e-10)


def test_strong_coupling_is_the_parallel_sum_kernel():
    grams, _, T, _, _ = problem()
    spectra = [gram_spectrum(K) for K in grams]
    fit = solve_co_ridge(spectra, T, [0.2, 0.2], 1e8)
    K = grams[0] @ np.linalg.solve(grams[0] + grams[1], grams[1])
    expected = K @ solve_kernel_ridge((K + K.T) / 2, T, 0.1)
    assert_allclose(fit.scores[0], expected, atol=1e-5)
    assert_allclose(fit.scores[0], fit.scores[1], atol=1e-5)


@pytest.mark.parametrize("n_views, rank", [(2, None), (3, None), (2, 4), (3, 5), (3, 8)])
@pytest.mark.parametrize("coupling", [0.0, 0.5, 40.0])
@pytest.mark.parametrize("n_unlabelled", [0, 6])
def test_leave_one_out_equals_refitting(n_views, rank, coupling, n_unlabelled):
    grams, spectra, T, s, alphas = problem(n_views, rank=rank)
    labelled = np.arange(len(T)) >= n_unlabelled
    C2 = coupling / (2 * n_views)
    fit = solve_co_ridge(spectra, T, alphas, coupling, labelled, loo=True)
    brute = ref.co_krr_brute(grams, T, alphas, C2, s, labelled)
    expected = ref.co_leave_one_out(grams, T, alphas, C2, s, labelled)
    for v in range(n_views):
        assert_allclose(fit.coefs[v], brute[v], atol=1e-8)
        assert_allclose(fit.scores[v], grams[v] @ brute[v], atol=1e-8)
        assert_allclose(fit.loo_scores[v][labelled], expected[v][labelled], atol=1e-8)


def test_unlabelled_rows_without_coupling_change_nothing():
    grams, spectra, T, s, alphas = problem()
    labelled = np.arange(len(T)) >= 6
    fit = solve_co_ridge(spectra, T, alphas, 0.0, labelled)
    for A, K, alpha in zip(fit.coefs, grams, alphas):
        inside = solve_kernel_ridge(K[6:, 6:], T[6:], alpha, s[6:])
        assert_allclose(A[6:], inside, atol=1e-10)
        assert_allclose(A[:6], 0, atol=1e-10)
