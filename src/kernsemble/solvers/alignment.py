"""Centred kernel-target alignment: weights of kernels without training a machine."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from ..threads import threads_by_rows


@threads_by_rows(1)
def solve_alignment(grams, Y, weight, *, method="alignf"):
    """Return kernel weights on the simplex that align the kernels with the one-hot classes `Y`.

    With centred matrices K_m, a_m = <K_m, YY'> and M_lm = <K_l, K_m>, the method "align" takes
    a_m / |K_m|, and "alignf" minimises v'Mv - 2 v'a over v >= 0, which gives the weighted sum the
    best alignment. See `kernsemble.solvers.tasks` for `grams` and `weight`.

    Returns
    -------
    weights : ndarray of shape (n_kernels,)
    alignment : float
        Centred alignment of the weighted kernel with YY', which is at most 1.
    """
    rows = np.flatnonzero(weight > 0)
    share = weight[rows] / weight[rows].sum()
    root = np.sqrt(share)
    centred = [_centre(K[np.ix_(rows, rows)], share) * root[:, None] * root for K in grams]
    target = (Y[rows] - share @ Y[rows]) * root[:, None]
    a = np.array([np.vdot(target, K @ target) for K in centred])
    M = np.array([[np.vdot(K, L) for L in centred] for K in centred])
    norms = np.sqrt(np.diag(M))
    if method == "align":
        weights = np.divide(a, norms, out=np.zeros_like(a), where=norms > 0)
    else:
        weights = _nonnegative_minimum(M, a)
    weights = np.maximum(weights, 0.0)
    if weights.sum() <= 0:  # No kernel is aligned with the classes.
        weights = np.ones_like(weights)
    weights /= weights.sum()
    norm = np.sqrt(max(weights @ M @ weights, 0.0)) * np.linalg.norm(target.T @ target)
    return weights, float(weights @ a / norm) if norm > 0 else 0.0


def _centre(K, share):
    """Return the Gram matrix of the features minus their weighted mean."""
    means = K @ share
    return K - means - means[:, None] + share @ means


def _nonnegative_minimum(M, a):
    """Minimise v'Mv - 2 v'a over v >= 0 by non-negative least squares."""
    scale = np.trace(M) / M.shape[0]
    if scale <= 0:
        return np.zeros_like(a)
    # Equal kernels make M singular; the small ridge gives them equal weights.
    root = cholesky(M / scale + 1e-10 * np.eye(M.shape[0]), lower=True)
    solution, _ = nnls(root.T, solve_triangular(root, a / scale, lower=True), maxiter=100 * a.size)
    return solution
