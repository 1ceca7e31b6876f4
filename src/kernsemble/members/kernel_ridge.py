"""Kernel ridge regression whose kernel and strength are those of least leave-one-out error."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from ..kernels import Kernel, evaluate
from ..kernels.evaluation import rows_per_block
from ..maps import EmpiricalKernelMap
from ..solvers.ridge import Moments, solve_moments
from ..solvers.ridge_loo import (
    add_shares,
    class_shares,
    dual_coefs,
    loo_loss,
    loo_path,
    moments_loo_path,
    select_alpha,
    solve_kernel_ridge_loo,
)
from ..solvers.ridge_spectrum import Spectrum, gram_spectrum
from .ridge import RidgeMember

__all__ = [
    "KernelRidgeMember",
    "RidgeSearch",
    "ShareTargets",
    "fit_kernel_ridge_member",
    "fit_landmark_member",
    "fit_large_member",
]

# Gram matrices of candidates held at once; they share one distance matrix, and the next ones are
# written over them: fresh memory costs more than the distances.
GRAM_BYTES = 1 << 26
BLOCK_BYTES = 1 << 25
BLOCK_ROWS = 4096
# Eigenvectors cost as much as some fifteen Cholesky factors with their inverses.
FEW_ALPHAS = 4


class KernelRidgeMember(NamedTuple):
    """Scores k(x, rows) @ coefs + shares.

    Attributes
    ----------
    kernel : Kernel
    rows : {ndarray, CSR matrix} of shape (n_samples, n_features)
    coefs : ndarray of shape (n_samples, n_outputs)
    shares : ndarray of shape (n_outputs,)
    honest_scores : ndarray of shape (n_samples, n_outputs)
        Leave-one-out scores of the training rows.
    """

    kernel: Kernel
    rows: Any
    coefs: np.ndarray
    shares: np.ndarray
    honest_scores: np.ndarray

    def scores(self, X):
        S = np.empty((X.shape[0], self.coefs.shape[1]))
        X = X.astype(np.float64, copy=False)
        for rows in gen_batches(X.shape[0], rows_per_block(self.rows.shape[0], 8, BLOCK_BYTES)):
            S[rows] = evaluate([self.kernel], X[rows], self.rows)[0] @ self.coefs
        return S + self.shares


class RidgeSearch(NamedTuple):
    """What the search found.

    Attributes
    ----------
    member : KernelRidgeMember or RidgeMember
    kernel : Kernel
    alpha : float
    losses : ndarray of shape (n_kernels, n_alphas)
        Mean squared leave-one-out error.
    spectrum : Spectrum or None
        Of the chosen kernel, where it was computed.
    """

    member: Any
    kernel: Kernel
    alpha: float
    losses: np.ndarray
    spectrum: Spectrum | None


def fit_kernel_ridge_member(kernels, alphas, X, T, sample_weight=None, *, intercept=True):
    """Fit the kernel ridge of least squared leave-one-out error over a grid.

    Every kernel costs one eigendecomposition, whatever the number of strengths; when these are
    few, every candidate costs a Cholesky factor instead.

    Parameters
    ----------
    kernels : list of Kernel
    alphas : ndarray of shape (n_alphas,)
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    sample_weight : ndarray of shape (n_samples,), default=None
        Positive weights.
    intercept : bool, default=True
        Whether the ridge fits what the weighted mean of the targets leaves, or the targets.

    Returns
    -------
    RidgeSearch
    """
    X = X.astype(np.float64, copy=False)
    targets = ShareTargets(T, sample_weight, intercept)
    if len(alphas) <= FEW_ALPHAS and all(kernel.positive_definite for kernel in kernels):
        return _search_factors(kernels, alphas, X, targets)
    losses = np.empty((len(kernels), len(alphas)))
    best: Any = None
    n = X.shape[0]
    at_once = min(len(kernels), max(1, GRAM_BYTES // (8 * n**2)))
    grams = [np.empty((n, n)) for _ in range(at_once)]
    for batch in gen_batches(len(kernels), at_once):
        evaluate(kernels[batch], X, out=grams[: batch.stop - batch.start])
        for k, K in zip(range(batch.start, batch.stop), grams):
            spectrum = gram_spectrum(K, sample_weight)
            scores = targets.left_out(loo_path(spectrum, targets.columns, alphas))
            losses[k] = loo_loss(scores, T, sample_weight)
            row, a = _best_so_far(losses[: k + 1], alphas)
            if row == k:
                best = k, a, spectrum, scores[a]
    k, a, spectrum, honest = best
    alpha = float(alphas[a])
    coefs = dual_coefs(spectrum, T - targets.shares, alpha)
    member = KernelRidgeMember(kernels[k], X, coefs, targets.shares, honest)
    return RidgeSearch(member, kernels[k], alpha, losses, spectrum)


def _search_factors(kernels, alphas, X, targets):
    """Search by a Cholesky factor for every candidate rather than eigenvectors for every kernel."""
    losses = np.empty((len(kernels), len(alphas)))
    best: Any = None
    for k, kernel in enumerate(kernels):
        (K,) = evaluate([kernel], X)
        for a, alpha in enumerate(alphas):
            last = a == len(alphas) - 1
            A, S = solve_kernel_ridge_loo(
                K if last else K.copy(), targets.columns, float(alpha), targets.sample_weight
            )
            honest = targets.left_out(S[None])
            losses[k, a] = loo_loss(honest, targets.T, targets.sample_weight)[0]
            seen = losses.ravel()[: k * len(alphas) + a + 1]
            chosen = select_alpha(seen, np.resize(alphas, seen.size))
            if chosen == seen.size - 1:
                best = kernel, float(alpha), A, honest[0]
    kernel, alpha, A, honest = best
    member = KernelRidgeMember(kernel, X, targets.centred(A), targets.shares, honest)
    return RidgeSearch(member, kernel, alpha, losses, None)


def fit_landmark_member(
    kernels, alphas, X, T, sample_weight=None, *, intercept=True, seed, **map_options
):
    """Fit the ridge of least leave-one-out error on landmark features, in blocks of rows.

    Parameters are those of `fit_kernel_ridge_member` and the options of `EmpiricalKernelMap`; all
    kernels get the same `seed`, so that they differ in the kernel alone.
    """
    X = X.astype(np.float64, copy=False)
    targets = ShareTargets(T, sample_weight, intercept)
    blocks = list(gen_batches(X.shape[0], BLOCK_ROWS))
    losses = np.empty((len(kernels), len(alphas)))
    best: Any = None
    for k, kernel in enumerate(kernels):
        feature_map = EmpiricalKernelMap(kernel, random_state=seed, **map_options)
        moments = _landmark_moments(feature_map.fit(X, T.argmax(axis=1)), X, targets, blocks)
        left_out = moments_loo_path(moments, alphas)
        losses[k] = 0.0
        for rows, S in _landmark_scores(left_out, feature_map, X, targets, blocks):
            share = targets.weights[rows].sum() / targets.weights.sum()
            losses[k] += share * loo_loss(S, T[rows], targets.weights[rows])
        row, a = _best_so_far(losses[: k + 1], alphas)
        if row == k:
            best = k, a, feature_map, moments
    k, a, feature_map, moments = best
    alpha, honest = float(alphas[a]), np.empty(T.shape)
    left_out = moments_loo_path(moments, alphas[a : a + 1])
    for rows, S in _landmark_scores(left_out, feature_map, X, targets, blocks):
        honest[rows] = S[0]
    W = targets.centred(solve_moments(moments, alpha))
    member = RidgeMember(feature_map, np.vstack([W, targets.shares]), honest)
    return RidgeSearch(member, kernels[k], alpha, losses, None)


def fit_large_member(kernel, alphas, X, T, sample_weight=None, *, scored, seed, **map_options):
    """Fit a ridge on landmark features to all rows; leave-one-out scores for some of them.

    One pass over the rows makes the moments; the strength is that of least leave-one-out error
    over the rows `scored`, which alone are visited again.

    Parameters
    ----------
    kernel : Kernel
    alphas : ndarray of shape (n_alphas,)
    X : ndarray of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    sample_weight : ndarray of shape (n_samples,), default=None
    scored : ndarray of int
        Row numbers; `honest_scores` of the member has their scores.
    seed : int
    **map_options
        Of `EmpiricalKernelMap`.

    Returns
    -------
    RidgeMember
    """
    targets = ShareTargets(T, sample_weight, True)
    feature_map = EmpiricalKernelMap(kernel, random_state=seed, **map_options)
    feature_map.fit(X, T.argmax(axis=1))
    blocks = list(gen_batches(X.shape[0], BLOCK_ROWS))
    moments = _landmark_moments(feature_map, X, targets, blocks)
    left_out = moments_loo_path(moments, alphas)
    chunks = [scored[rows] for rows in gen_batches(len(scored), BLOCK_ROWS)]
    S = np.concatenate(
        [S for _, S in _landmark_scores(left_out, feature_map, X, targets, chunks)], axis=1
    )
    a = select_alpha(loo_loss(S, T[scored], targets.weights[scored]), alphas)
    W = targets.centred(solve_moments(moments, float(alphas[a])))
    return RidgeMember(feature_map, np.vstack([W, targets.shares]), S[a])


def _best_so_far(losses, alphas):
    return divmod(select_alpha(losses.ravel(), np.tile(alphas, len(losses))), len(alphas))


def _landmark_moments(feature_map, X, targets, blocks):
    moments = None
    for rows in blocks:
        Z = feature_map.transform(X[rows])
        moments = moments or Moments.zeros(Z.shape[1], targets.columns.shape[1])
        moments.add(Z, targets.columns[rows], targets.weights[rows])
    return moments


def _landmark_scores(left_out, feature_map, X, targets, blocks):
    for rows in blocks:
        Z = feature_map.transform(X[rows])
        S = left_out(Z, targets.columns[rows], targets.weights[rows])
        yield rows, targets.left_out(S, rows)


class ShareTargets:
    """Targets of a model p + ridge(T - p), p the weighted mean of the rows it is fitted to.

    Leaving a row out changes p. Solvers are linear in the targets, so they are given the columns T
    and a column of ones, and every p follows from their answers.

    Attributes
    ----------
    columns : ndarray of shape (n_samples, n_outputs + 1)
    shares : ndarray of shape (n_outputs,)
        p, or zeros without intercept.
    """

    def __init__(self, T, sample_weight, intercept):
        self.T, self.sample_weight, self.intercept = T, sample_weight, intercept
        self.n_outputs = T.shape[1]
        self.weights = np.ones(len(T)) if sample_weight is None else sample_weight
        self.shares, self.without = class_shares(T, sample_weight)
        self.columns = np.hstack([T, np.ones((len(T), 1))])
        if not intercept:
            self.shares = np.zeros(self.n_outputs)

    def centred(self, coefs):
        """Return the coefficients for the targets T - p from those for the columns."""
        return coefs[:, : self.n_outputs] - coefs[:, self.n_outputs :] * self.shares

    def left_out(self, S, rows=slice(None)):
        """Return the leave-one-out scores of the model from those of the columns."""
        if not self.intercept:
            return S[..., : self.n_outputs]
        return add_shares(S[..., : self.n_outputs], S[..., self.n_outputs :], self.without[rows])
