"""Ridge solvers agree with each other, with chunks and with refitting row by row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.members.kernel_ridge import ShareTargets
from kernsemble.solvers.ridge import Moments, solve_kernel_ridge, solve_moments, solve_ridge
from kernsemble.solvers.ridge_loo import (
    dual_coefs,
    feature_coefs,
    loo_loss,
    loo_path,
    moments_loo_losses,
    moments_loo_path,
    select_alpha,
    solve_kernel_ridge_loo,
    solve_ridge_loo,
)
from kernsemble.solvers.ridge_spectrum import feature_spectrum, gram_spectrum, leading_spectra
from tests.reference import closed_form as ref


def problem(n=25, d=6, n_outputs=3, seed=0):
    rng = np.random.RandomState(seed)
    T = np.eye(n_outputs)[rng.randint(n_outputs, size=n)]
    return rng.randn(n, d), T, rng.uniform(0.2, 3.0, n)


def gaussian(X, gamma):
    return np.exp(-gamma * np.sum((X[:, None] - X[None]) ** 2, axis=2))


def test_primal_and_dual_ridge_agree():
    Z, T, s = problem(30, 8)
    wide = np.hstack([Z, np.zeros((30, 40))])
    assert_allclose(solve_ridge(wide, T, 0.1)[:8], solve_ridge(Z, T, 0.1))
    assert_allclose(solve_ridge(wide, T, 0.1, s)[:8], solve_ridge(Z, T, 0.1, s))


def test_weights_are_repeats_and_zero_weight_is_absence():
    Z, T, _ = problem()
    s = np.arange(25) % 3.0
    repeated = np.repeat(np.arange(25), s.astype(int))
    assert_allclose(solve_ridge(Z, T, 0.3, s), solve_ridge(Z[repeated], T[repeated], 0.3))
    A = solve_kernel_ridge(gaussian(Z, 0.2), T, 0.3, s)
    assert np.all(A[s == 0] == 0)


def test_ridge_zeroes_the_gradient_of_its_objective():
    Z, T, s = problem()
    W = solve_ridge(Z, T, 0.7, s)
    assert_allclose(Z.T @ (s[:, None] * (Z @ W - T)) + 0.7 * W, 0, atol=1e-12)


def test_moments_of_chunks_fit_the_whole():
    Z, T, s = problem()
    first = Moments.zeros(6, 3).add(Z[:10], T[:10], s[:10])
    second = Moments.zeros(6, 3).add(Z[10:], T[10:], s[10:])
    assert_allclose(solve_moments(first + second, 0.5), solve_ridge(Z, T, 0.5, s))


def test_kernel_ridge_matches_the_reference():
    X, T, s = problem()
    K = gaussian(X, 0.3)
    assert_allclose(solve_kernel_ridge(K, T, 0.01, s), ref.kernel_ridge(K, T, 0.01, s))
    assert_allclose(dual_coefs(gram_spectrum(K, s), T, 0.01), ref.kernel_ridge(K, T, 0.01, s))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gamma", [1e-4, 0.1, 50.0])
def test_leave_one_out_equals_refitting(gamma, weighted):
    X, T, s = problem()
    s = s if weighted else np.ones(len(X))
    K, alphas = gaussian(X, gamma), [2.0**-10, 0.1, 30.0]
    spectrum = gram_spectrum(K, s if weighted else None)
    path = loo_path(spectrum, T, alphas)
    targets = ShareTargets(T, s, True)
    with_shares = targets.left_out(loo_path(spectrum, targets.columns, alphas))
    for a, alpha in enumerate(alphas):
        assert_allclose(path[a], ref.leave_one_out(K, T, alpha, s, ref.plain_model), atol=1e-8)
        assert_allclose(with_shares[a], ref.leave_one_out(K, T, alpha, s), atol=1e-8)


@pytest.mark.parametrize("n_features", [6, 40])
def test_leave_one_out_in_feature_space_equals_refitting(n_features):
    Z, T, s = problem(d=n_features)
    spectrum = feature_spectrum(Z, s)
    for alpha in (1e-3, 1.0):
        expected = ref.leave_one_out(Z @ Z.T, T, alpha, s, ref.plain_model)
        assert_allclose(loo_path(spectrum, T, [alpha])[0], expected, atol=1e-8)
        W = feature_coefs(spectrum, Z, T, alpha)
        assert_allclose(W, solve_ridge(Z, T, alpha, s), atol=1e-8)
        for found, wanted in zip(solve_ridge_loo(Z, T, alpha, s), (W, expected)):
            assert_allclose(found, wanted, atol=1e-8)


def test_ties_go_to_the_larger_strength():
    assert select_alpha(np.array([0.2, 0.1, 0.1]), [1.0, 4.0, 2.0]) == 1


def test_loss_is_the_weighted_mean_of_squares():
    S, T = np.zeros((1, 2, 2)), np.array([[1.0, 0.0], [2.0, 1.0]])
    assert_allclose(loo_loss(S, T, np.array([3.0, 1.0])), (3 * 1 + 5) / 4)


@pytest.mark.parametrize("gamma", [1e-5, 1e5])
def test_wide_and_narrow_kernels_take_the_short_way_to_the_same_scores(gamma):
    X, T, s = problem(150, 2)
    X[:20] = X[20:40]  # narrow kernels leave pairs
    K, alphas = gaussian(X, gamma), [1e-3, 1.0]
    short = gram_spectrum(K, s)
    assert short.vectors.shape[1] < 50 if gamma < 1 else np.count_nonzero(short.vectors) < 400
    path = loo_path(short, T, alphas)
    for a, alpha in enumerate(alphas):
        assert_allclose(path[a], ref.leave_one_out(K, T, alpha, s, ref.plain_model), atol=1e-8)


def test_one_strength_of_a_gram_matrix_equals_refitting():
    X, T, s = problem()
    K = gaussian(X, 0.3)
    A, S = solve_kernel_ridge_loo(K.copy(), T, 0.02, s)
    assert_allclose(A, ref.kernel_ridge(K, T, 0.02, s), atol=1e-9)
    assert_allclose(S, ref.leave_one_out(K, T, 0.02, s, ref.plain_model), atol=1e-8)


def test_leave_one_out_in_chunks_equals_refitting():
    Z, T, s = problem()
    moments = Moments.zeros(6, 3)
    chunks = [slice(0, 9), slice(9, 25)]
    for rows in chunks:
        moments.add(Z[rows], T[rows], s[rows])
    left_out = moments_loo_path(moments, [0.01, 2.0])
    S = np.concatenate([left_out(Z[rows], T[rows], s[rows]) for rows in chunks], axis=1)
    for a, alpha in enumerate((0.01, 2.0)):
        expected = ref.leave_one_out(Z @ Z.T, T, alpha, s, ref.plain_model)
        assert_allclose(S[a], expected, atol=1e-8)


@pytest.mark.parametrize("n_outputs", [3, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_of_many_outputs_need_no_scores(n_outputs, weighted):
    Z, T, s = problem(n_outputs=n_outputs)
    weights = s if weighted else None
    moments, alphas = Moments.zeros(6, n_outputs).add(Z, T, weights), [0.01, 2.0]
    share = np.linspace(0.2, 1.0, len(Z))
    S = moments_loo_path(moments, alphas)(Z, T, weights, share)
    found = moments_loo_losses(moments, alphas)(Z, T, weights, share)
    total = s.sum() if weighted else len(Z)
    assert_allclose(found, total * loo_loss(S, T, weights), rtol=1e-8)


def test_features_of_wild_scale_fall_back_to_singular_values():
    Z, T, _ = problem()
    wild = np.hstack([1e8 * Z, 1e8 * Z[:, :2]])
    W, S = solve_ridge_loo(wild, T, 1e-4)
    assert_allclose(wild @ W, Z @ np.linalg.lstsq(Z, T)[0], atol=1e-5)
    assert_allclose(S, ref.leave_one_out(Z @ Z.T, T, 1e-9, np.ones(25), ref.plain_model), atol=1e-4)


def test_a_strength_below_rounding_still_gives_a_fit():
    Z, T, _ = problem()
    wild = np.hstack([1e8 * Z, 1e8 * Z[:, :2]])
    W = solve_moments(Moments.zeros(8, 3).add(wild, T), 1e-4)
    assert_allclose(wild @ W, Z @ np.linalg.lstsq(Z, T)[0], atol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("orthogonal", [False, True])
def test_spectra_of_leading_columns(orthogonal, weighted):
    Z, T, s = problem()
    weights, root = (s, np.sqrt(s)) if weighted else (None, np.ones(len(s)))
    if orthogonal:
        Z = np.linalg.qr(Z)[0] * [5.0, 3.0, 1.0, 0.5, 0.1, 1e-3] / root[:, None]
    for number, found in zip((2, 6), leading_spectra(Z, (2, 6), weights)):
        wanted = feature_spectrum(Z[:, :number], weights)
        scores = [loo_path(spectrum, T, [0.1, 1.0]) for spectrum in (found, wanted)]
        assert_allclose(*scores, atol=1e-9)
