"""Exact leave-one-out scores of ridge regression for a whole grid of strengths.

With the eigenpairs (lam, U) of the weighted Gram matrix S^½ K S^½, the residual of row i left out
of the fit is its ordinary residual over 1 - h_ii, and both follow for every strength alpha from
products with U: one O(n³) decomposition, then O(n² n_outputs) per strength.
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky, eigh, lapack, solve_triangular

from .ridge_spectrum import feature_spectrum

__all__ = [
    "add_shares",
    "class_shares",
    "dual_coefs",
    "feature_coefs",
    "loo_loss",
    "loo_path",
    "moments_coefs",
    "moments_loo_path",
    "select_alpha",
    "solve_kernel_ridge_loo",
    "solve_ridge_loo",
]


def dual_coefs(spectrum, T, alpha):
    """Return A minimising sum_i s_i |(K A)_i - t_i|² + alpha tr(A' K A) from a spectrum."""
    U, values, root = spectrum
    scaled = root[:, None] * T
    inside = U.T @ scaled
    if U.shape[1] == len(U):
        return root[:, None] * (U @ (inside / (values + alpha)[:, None]))
    # Outside the span of U the matrix K + alpha I is alpha I.
    fitted = U @ (inside * (values / (values + alpha))[:, None])
    return root[:, None] * (scaled - fitted) / alpha


def feature_coefs(spectrum, Z, T, alpha):
    """Return the ridge coefficients W of features Z from their spectrum."""
    U, values, root = spectrum
    # Singular values that are rounding of the largest have no direction in the features.
    real = values > (len(U) * np.finfo(float).eps) ** 2 * values.max()
    inside = (U.T @ (root[:, None] * T)) * (real / (values + alpha))[:, None]
    return (root[:, None] * Z).T @ (U @ inside)


def loo_path(spectrum, T, alphas):
    """Return the leave-one-out scores of every row for every strength.

    Parameters
    ----------
    spectrum : Spectrum
        Of rows with positive weights.
    T : ndarray of shape (n_samples, n_outputs)
    alphas : ndarray of shape (n_alphas,)

    Returns
    -------
    S : ndarray of shape (n_alphas, n_samples, n_outputs)
        `S[a, i]` is the score of row i by the ridge of strength `alphas[a]` fitted to all others.
    """
    U, values, root = spectrum
    (n, rank), n_outputs, alphas = U.shape, T.shape[1], np.asarray(alphas, float)
    scaled = root[:, None] * T
    inside = U.T @ scaled
    # What the fit leaves of a direction, or takes of it. With all directions the former avoids a
    # cancellation at small strengths, where 1 - h and the residual are tiny and their ratio is not.
    numerator = alphas if rank == n else values[:, None]
    part = numerator / (values[:, None] + alphas)  # (rank, n_alphas)
    keep = (U**2) @ part
    residual = U @ (inside[:, None, :] * part[:, :, None]).reshape(rank, -1)
    residual = residual.reshape(n, len(alphas), n_outputs)
    if rank < n:
        keep = np.maximum(1.0 - keep, np.finfo(float).eps)
        residual = scaled[:, None, :] - residual
    residual /= (keep * root[:, None])[:, :, None]
    return T - residual.transpose(1, 0, 2)


def solve_ridge_loo(Z, T, alpha, sample_weight=None):
    """Return the ridge coefficients and leave-one-out scores for one strength.

    The same as `solve_ridge` and `loo_path`, from one Cholesky factor in place of a spectrum.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    alpha : float
    sample_weight : ndarray of shape (n_samples,), default=None
        Positive weights; None means ones.

    Returns
    -------
    W : ndarray of shape (n_features, n_outputs)
    S : ndarray of shape (n_samples, n_outputs)
    """
    if sample_weight is not None:
        root = np.sqrt(sample_weight)[:, None]
        W, S = solve_ridge_loo(root * Z, root * T, alpha)
        return W, S / root
    n, d = Z.shape
    if d <= n:
        try:
            factor = _ridge_factor(Z.T @ Z, alpha)
        except np.linalg.LinAlgError:
            # The strength drowns in the rounding of Z'Z; singular values need no squares.
            spectrum = feature_spectrum(Z)
            return feature_coefs(spectrum, Z, T, alpha), loo_path(spectrum, T, [alpha])[0]
        W = cho_solve((factor, True), Z.T @ T, check_finite=False)
        half = solve_triangular(factor, Z.T, lower=True, check_finite=False)
        keep = np.maximum(1.0 - np.einsum("ki,ki->i", half, half), 1e-12)
        return W, T - (T - Z @ W) / keep[:, None]
    A, S = solve_kernel_ridge_loo(Z @ Z.T, T, alpha)
    return Z.T @ A, S


def solve_kernel_ridge_loo(K, T, alpha, sample_weight=None):
    """Return the dual coefficients and leave-one-out scores for one strength; K is overwritten."""
    if sample_weight is not None:
        root = np.sqrt(sample_weight)[:, None]
        K *= root * root.T
        A, S = solve_kernel_ridge_loo(K, root * T, alpha)
        return root * A, S / root
    factor = _ridge_factor(K, alpha)
    A = cho_solve((factor, True), T, check_finite=False)
    half, _ = lapack.dtrtri(factor, lower=1)
    return A, T - A / np.einsum("ki,ki->i", half, half)[:, None]


def moments_loo_path(moments, alphas):
    """Return a function of a block of rows that gives their leave-one-out scores.

    For features too many or too long to hold at once: the first pass over the rows makes the
    moments, the second calls the function `(Z, T, sample_weight) -> S` of the shape
    (n_alphas, n_rows, n_outputs), with S as in `loo_path`.
    """
    values, V = eigh(moments.gram, driver="evd", check_finite=False)
    inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + np.asarray(alphas))
    coefs = (V.T @ moments.cross)[:, None, :] * inverse[:, :, None]

    def left_out(Z, T, sample_weight=None):
        turned = Z @ V
        fitted = turned @ coefs.reshape(len(V), -1)
        leverage = turned**2 @ inverse
        if sample_weight is not None:
            leverage *= sample_weight[:, None]
        fitted = fitted.reshape(len(Z), len(alphas), -1).transpose(1, 0, 2)
        # Features that fit a row exactly leave nothing of it, up to rounding.
        keep = np.maximum(1.0 - leverage.T, 1e-12)
        return T - (T - fitted) / keep[:, :, None]

    return left_out


def moments_coefs(moments, alpha):
    """Return the ridge coefficients from the eigenpairs of moments; survives tiny strengths."""
    values, V = eigh(moments.gram, driver="evd", check_finite=False)
    return V @ ((V.T @ moments.cross) / (np.maximum(values, 0.0) + alpha)[:, None])


def _ridge_factor(gram, alpha):
    gram.flat[:: len(gram) + 1] += alpha
    return cholesky(gram, lower=True, overwrite_a=True, check_finite=False)


def class_shares(T, sample_weight=None, sums=None):
    """Return the weighted mean of the targets and, per row, the mean without that row.

    `sums` are the summed weights and weighted targets of all rows, where `T` has only some.
    """
    weight = np.ones(len(T)) if sample_weight is None else sample_weight
    total, weighted = (weight.sum(), weight @ T) if sums is None else sums
    shares = weighted / total
    rest = np.maximum(total - weight, np.finfo(float).tiny)
    return shares, (total * shares - weight[:, None] * T) / rest[:, None]


def add_shares(loo_targets, loo_ones, shares_without):
    """Return leave-one-out scores of the model shares + ridge(T - shares).

    Leaving row i out changes the shares too. The ridge is linear in its targets, so its score for
    the targets T - shares_without[i] is the score for T less shares_without[i] times the score for
    a column of ones: exact, at the price of that one column.
    """
    return loo_targets + (1.0 - loo_ones) * shares_without


def loo_loss(scores, T, sample_weight=None):
    """Return the weighted mean squared error of each layer of leave-one-out scores."""
    return np.average(np.sum((scores - T) ** 2, axis=-1), axis=-1, weights=sample_weight)


def select_alpha(losses, alphas):
    """Return the index of the smallest loss; equal losses go to the largest strength."""
    best = np.flatnonzero(losses <= losses.min() * (1 + 1e-10))
    return best[np.argmax(np.asarray(alphas)[best])]
