"""Kernel ridge regression whose kernel and strength minimise the leave-one-out error."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels import Kernel, evaluate
from ..maps.empirical import fit_landmark_map
from ..solvers.ridge import Moments, solve_kernel_ridge, solve_moments
from ..solvers.ridge_loo import (
    dual_coefs,
    loo_loss,
    loo_path,
    moments_loo_path,
    solve_kernel_ridge_loo,
)
from ..solvers.ridge_spectrum import Spectrum, gram_spectrum
from .grid_search import least_loss
from .kernel_expansion import KernelExpansion, KernelPart
from .ridge import RidgeMember

# Memory for the Gram matrices of several candidates, which share one distance matrix. The next ones
# overwrite them, because new memory costs more time than the distances.
GRAM_BYTES = 1 << 26
BLOCK_ROWS = 4096
# Eigenvectors cost as much as about fifteen Cholesky factors with their inverses.
FEW_ALPHAS = 4
# With this many kernels and rows, every fourth row tells first which kernels are worth a
# decomposition of all rows.
MANY_KERNELS, MANY_ROWS, SAMPLE_STEP, N_PROMISING = 6, 800, 4, 3


class RidgeSearch(NamedTuple):
    """The best member, a `KernelExpansion` or a `RidgeMember`, with its kernel and strength.

    `losses` are the mean squared leave-one-out errors of shape (n_kernels, n_alphas), NaN for
    kernels that the search ruled out. `spectrum` is that of the chosen kernel, if it was computed.
    """

    member: Any
    kernel: Kernel
    alpha: float
    losses: np.ndarray
    spectrum: Spectrum | None

    @property
    def loss(self):
        """The least of the losses."""
        return np.nanmin(self.losses)


def kernel_ridge_member(kernel, X, coefs, shares, honest=None):
    """Return the member with scores k(x, X) @ coefs + shares."""
    return KernelExpansion([KernelPart(kernel, X, coefs)], shares, honest, "one_hot", True)


def fit_kernel_ridge_member(table, kernels, alphas, *, intercept=True, starts=None):
    """Fit the kernel ridge of least squared leave-one-out error over a grid.

    Every kernel takes one eigendecomposition, whatever the number of strengths. With few strengths,
    every candidate takes a Cholesky factor instead. Of many kernels on many rows, the best on a
    quarter of the rows are tried first, and from there the search moves to neighbours in the list
    while the error falls. `walk_kernel_ridge_member` of `ridge_walk` costs a few fits instead.

    Parameters
    ----------
    table : Table
    kernels : list of Kernel
    alphas : ndarray of shape (n_alphas,)
    intercept : bool, default=True
        Whether the weighted mean of the targets is subtracted before the ridge is fitted.
    starts : sequence of int, default=None
        Numbers of the kernels that are tried first, before the neighbours of the best one; None
        means all, or the best on a quarter of the rows.

    Returns
    -------
    RidgeSearch
    """
    rows = table.all
    X, targets = ridge_problem(rows, intercept)
    if starts is None:
        starts = range(len(kernels))
        if len(kernels) >= MANY_KERNELS and table.n_rows >= MANY_ROWS:
            starts = _promising_kernels(kernels, alphas, X, targets, rows.codes)
    few = len(alphas) <= FEW_ALPHAS and all(kernel.positive_definite for kernel in kernels)
    solve = (by_factors if few else by_spectrum)(kernels, alphas, X, targets)
    losses, k, a, (scores, duals, spectrum) = least_loss(solve, starts, len(kernels), alphas)
    alpha = float(alphas[a])
    coefs = (
        targets.centred(duals[a])
        if few
        else dual_coefs(spectrum, targets.T - targets.shares, alpha)
    )
    member = kernel_ridge_member(kernels[k], X, coefs, targets.shares, scores[a])
    return RidgeSearch(member, kernels[k], alpha, losses, spectrum)


def fit_given_kernel_ridge(table, kernel, alpha):
    """Return the kernel ridge of one kernel and strength, without honest scores."""
    X, targets = ridge_problem(table.all, True)
    (K,) = evaluate([kernel], X)
    duals = solve_kernel_ridge(K, targets.columns, alpha, targets.sample_weight)
    return kernel_ridge_member(kernel, X, targets.centred(duals), targets.shares)


def ridge_problem(rows, intercept):
    """Return the inputs and the `ShareTargets` of rows."""
    X, T = rows.X.astype(np.float64, copy=False), rows.targets("one_hot")
    return X, ShareTargets(T, rows.sample_weight, intercept, left_out=rows.left_out)


def _promising_kernels(kernels, alphas, X, targets, codes):
    """Return the numbers of the best kernels on a quarter of the rows, the best one first."""
    # Every fourth row of each class: a draw without a seed.
    sample = np.argsort(codes, kind="stable")[::SAMPLE_STEP]
    solve = by_spectrum(kernels, alphas, X[sample], targets.take(sample))
    losses = [solve(k)[0].min() for k in range(len(kernels))]
    return np.argsort(losses, kind="stable")[:N_PROMISING]


def by_spectrum(kernels, alphas, X, targets):
    """Return a function from a kernel's number to its losses and its solution.

    A solution is leave-one-out scores, None and the spectrum.
    """
    n = X.shape[0]
    # The kernels of one batch share a distance matrix, and the next batch overwrites them.
    at_once = min(len(kernels), max(1, GRAM_BYTES // (8 * n**2)))
    grams = [np.empty((n, n)) for _ in range(at_once)]
    held: dict[int, np.ndarray] = {}

    def solve(k):
        if k not in held:
            first = k - k % at_once
            batch = range(first, min(first + at_once, len(kernels)))
            chosen = [kernels[j] for j in batch]
            held.clear()
            held.update(zip(batch, evaluate(chosen, X, out=grams[: len(batch)])))
        spectrum = gram_spectrum(held[k], targets.sample_weight)
        left_out = loo_path(spectrum, targets.columns, alphas, targets.share_left_out)
        scores = targets.left_out(left_out)
        return loo_loss(scores, targets.T, targets.sample_weight), (scores, None, spectrum)

    return solve


def by_factors(kernels, alphas, X, targets):
    """Do as `by_spectrum`; a solution is leave-one-out scores, dual coefficients and None."""

    def solve(k):
        (K,) = evaluate([kernels[k]], X)
        found = []
        for a, alpha in enumerate(alphas):
            own = K if a == len(alphas) - 1 else K.copy()
            weights = targets.sample_weight, targets.share_left_out
            found.append(solve_kernel_ridge_loo(own, targets.columns, float(alpha), *weights))
        duals, left_out = zip(*found)
        scores = targets.left_out(np.stack(left_out))
        return loo_loss(scores, targets.T, targets.sample_weight), (scores, duals, None)

    return solve


def fit_landmark_member(
    table, kernels, alphas, *, intercept=True, seed, n_landmarks, landmarks="uniform"
):
    """Fit the ridge of least leave-one-out error on landmark features, in blocks of rows.

    The parameters are those of `fit_kernel_ridge_member` and of `EmpiricalKernelMap`. All kernels
    get the same `seed`, so that their features differ only in the kernel.
    """
    sums = table.target_sums("one_hot")

    def solve(k):
        options = n_landmarks, landmarks, seed
        feature_map = fit_landmark_map(kernels[k], table, *options, dtype=np.float64)
        features = LandmarkFeatures(feature_map, intercept, sums)
        moments = table.total(_moments, features)
        errors = table.total(_squared_errors, features, moments_loo_path(moments, alphas))
        return errors / sums[0], (features, moments)

    numbers = range(len(kernels))
    losses, k, a, (features, moments) = least_loss(solve, numbers, len(kernels), alphas)
    member = landmark_member(features, moments, float(alphas[a]), table.scored)
    return RidgeSearch(member, kernels[k], float(alphas[a]), losses, None)


def landmark_member(features, moments, alpha, honest_rows):
    """Return the ridge of one strength, with leave-one-out scores of the given rows."""
    left_out = moments_loo_path(moments, [alpha])
    honest = np.concatenate([S[0] for _, S in features.left_out(honest_rows, left_out)])
    return features.member(moments, alpha, honest)


class LandmarkFeatures(NamedTuple):
    """Features and targets of rows for the ridge on the landmarks of an `EmpiricalKernelMap`.

    `sums` are the sum of the weights and the sums of the weighted targets of all rows.
    """

    feature_map: Any
    intercept: bool
    sums: tuple

    def member(self, moments, alpha, honest):
        """Return the ridge of one strength with the given honest scores."""
        shares = self.sums[1] / self.sums[0] * bool(self.intercept)
        W = centred_coefs(solve_moments(moments, alpha), shares)
        return RidgeMember(self.feature_map, np.vstack([W, shares]), honest)

    def blocks(self, rows):
        """Yield the features and `ShareTargets` of blocks of rows."""
        dtype = self.feature_map.landmarks_.dtype
        for part in rows.blocks(BLOCK_ROWS):
            Z = self.feature_map.transform(part.X.astype(dtype, copy=False))
            T = part.targets("one_hot")
            yield (
                Z,
                ShareTargets(T, part.sample_weight, self.intercept, self.sums, part.left_out),
            )

    def left_out(self, rows, left_out):
        """Yield targets and leave-one-out scores of blocks of rows."""
        for Z, targets in self.blocks(rows):
            weights = targets.weights, targets.share_left_out
            yield targets, targets.left_out(left_out(Z, targets.columns, *weights))


def _moments(rows, features):
    moments = None
    for Z, targets in features.blocks(rows):
        moments = moments or Moments.zeros(Z.shape[1], targets.columns.shape[1])
        moments.add(Z, targets.columns, targets.weights)
    return moments


def landmark_sums(rows, feature_map):
    """Return the moments of a chunk of rows, and its sums of weights and targets."""
    sums = rows.weights.sum(), rows.weights @ rows.targets("one_hot")
    return _moments(rows, LandmarkFeatures(feature_map, True, sums)), sums


def _squared_errors(rows, features, left_out):
    """Return the weighted sum of squared leave-one-out errors for every strength."""
    return sum(
        np.sum((S - targets.T) ** 2, axis=-1) @ targets.weights
        for targets, S in features.left_out(rows, left_out)
    )


class ShareTargets:
    """Targets of a model p + ridge(T - p), where p is the weighted mean of the training targets.

    Leaving out row i changes p to p_i. The ridge is linear in its targets, so its scores for the
    targets T - p_i are its scores for T minus p_i times its scores for a column of ones. One more
    column therefore gives exact leave-one-out scores.

    Parameters
    ----------
    T : ndarray of shape (n_samples, n_outputs)
    sample_weight : ndarray of shape (n_samples,) or None
    intercept : bool
        Whether p is used; otherwise the model is ridge(T).
    sums : tuple, default=None
        Sum of the weights and sums of the weighted targets of all rows, if `T` has only some.
    left_out : ndarray of shape (n_samples,), default=None
        Share of the weight of a row that is left out; None means all of it.

    Attributes
    ----------
    columns : ndarray of shape (n_samples, n_outputs + 1)
        The targets and a column of ones.
    shares : ndarray of shape (n_outputs,)
        The mean p, or zeros without intercept.
    """

    def __init__(self, T, sample_weight, intercept, sums=None, left_out=None):
        self.share_left_out = left_out
        self.T, self.sample_weight, self.intercept = T, sample_weight, intercept
        self.n_outputs = T.shape[1]
        self.weights = np.ones(len(T)) if sample_weight is None else sample_weight
        total, weighted = (self.weights.sum(), self.weights @ T) if sums is None else sums
        own = self.weights if left_out is None else self.weights * left_out
        rest = np.maximum(total - own, np.finfo(float).tiny)
        self.without = (weighted - own[:, None] * T) / rest[:, None]
        self.columns = np.hstack([T, np.ones((len(T), 1))])
        self.shares = weighted / total * bool(intercept)

    def take(self, rows):
        """Return the targets of some of the rows, as if there were no others."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        share = None if self.share_left_out is None else self.share_left_out[rows]
        return ShareTargets(self.T[rows], weight, self.intercept, left_out=share)

    def centred(self, coefs):
        """Return the coefficients for the targets T - p from those for the columns."""
        return centred_coefs(coefs, self.shares)

    def left_out(self, S):
        """Return the leave-one-out scores of the model from those of the columns."""
        own, ones = S[..., : self.n_outputs], S[..., self.n_outputs :]
        return own + (1.0 - ones) * self.without if self.intercept else own


def centred_coefs(coefs, shares):
    """Return the coefficients for the targets T - shares from those for T and for ones."""
    return coefs[:, :-1] - coefs[:, -1:] * shares
