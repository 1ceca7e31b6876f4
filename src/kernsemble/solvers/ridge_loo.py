"""Exact leave-one-out scores of ridge regression for a whole grid of strengths.

The residual of a row that is left out of the fit is its ordinary residual divided by 1 - h_ii. With
the eigenpairs (lam, U) of the weighted Gram matrix S^½ K S^½, both follow for every strength alpha
from products with U: one O(n³) decomposition, then O(n² n_outputs) per strength.

A row may stand for several copies, one of which is left out. The residual is then divided by
1 - share · h_ii, where `left_out` has the share of the row's weight that one copy has. None means
that whole rows are left out.
"""

import numpy as np

from ..threads import threads_by_rows
from .lapack import eigenpairs, invert_lower, lower_factor, solve_factored, solve_lower
from .ridge_spectrum import feature_spectrum


def dual_coefs(spectrum, T, alpha):
    """Return the solution A of `solve_kernel_ridge` from the spectrum of K."""
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
    # The directions of singular values at the level of rounding errors are meaningless.
    real = values > (len(U) * np.finfo(float).eps) ** 2 * values.max()
    inside = (U.T @ (root[:, None] * T)) * (real / (values + alpha))[:, None]
    return (root[:, None] * Z).T @ (U @ inside)


@threads_by_rows(1)
def loo_path(spectrum, T, alphas, left_out=None):
    """Return the leave-one-out scores, of shape (n_alphas, n_samples, n_outputs).

    `S[a, i]` is the score of row i by the ridge of strength `alphas[a]` fitted to all other rows.
    All rows of the spectrum must have positive weights.
    """
    U, values, root = spectrum
    (n, rank), n_outputs, alphas = U.shape, T.shape[1], np.asarray(alphas, float)
    scaled = root[:, None] * T
    inside = U.T @ scaled
    # The share of a direction that the fit leaves or, with fewer directions than rows, takes. The
    # former avoids a cancellation at small strengths, where 1 - h and the residual are both tiny.
    numerator = alphas if rank == n else values[:, None]
    part = numerator / (values[:, None] + alphas)  # (rank, n_alphas)
    keep = (U**2) @ part
    residual = U @ (inside[:, None, :] * part[:, :, None]).reshape(rank, -1)
    residual = residual.reshape(n, len(alphas), n_outputs)
    if rank < n:
        keep = np.maximum(1.0 - keep, np.finfo(float).eps)
        residual = scaled[:, None, :] - residual
    keep = _keep_copies(keep, None if left_out is None else left_out[:, None])
    residual /= (keep * root[:, None])[:, :, None]
    return T - residual.transpose(1, 0, 2)


@threads_by_rows()
def solve_ridge_loo(Z, T, alpha, sample_weight=None, left_out=None):
    """Return the ridge coefficients and the leave-one-out scores for one strength.

    They are the results of `solve_ridge` and `loo_path`, from one Cholesky factor instead of a
    spectrum. Sample weights must be positive.
    """
    if sample_weight is not None:
        root = np.sqrt(sample_weight)[:, None]
        W, S = solve_ridge_loo(root * Z, root * T, alpha, left_out=left_out)
        return W, S / root
    n, d = Z.shape
    if d <= n:
        try:
            factor = _ridge_factor(Z.T @ Z, alpha)
        except np.linalg.LinAlgError:
            # The strength is below the rounding errors of Z'Z. Singular values of Z avoid them.
            spectrum = feature_spectrum(Z)
            W = feature_coefs(spectrum, Z, T, alpha)
            return W, loo_path(spectrum, T, [alpha], left_out)[0]
        W = solve_factored((factor, True), Z.T @ T)
        half = solve_lower(factor, Z.T)
        keep = np.maximum(1.0 - np.einsum("ki,ki->i", half, half), 1e-12)
        # In place, because with many classes this is as much as fits into memory.
        S = Z @ W
        S -= T
        S /= _keep_copies(keep, left_out)[:, None]
        S += T
        return W, S
    A, S = solve_kernel_ridge_loo(Z @ Z.T, T, alpha, left_out=left_out)
    return Z.T @ A, S


@threads_by_rows()
def solve_kernel_ridge_loo(K, T, alpha, sample_weight=None, left_out=None):
    """Return dual coefficients and leave-one-out scores for one strength; K is overwritten."""
    if sample_weight is not None:
        root = np.sqrt(sample_weight)[:, None]
        K *= root * root.T
        A, S = solve_kernel_ridge_loo(K, root * T, alpha, left_out=left_out)
        return root * A, S / root
    factor = _ridge_factor(K, alpha)
    A = solve_factored((factor, True), T)
    half = invert_lower(factor)
    # The residual is alpha A, and 1 - h_ii is alpha times the diagonal of the inverse.
    keep = np.einsum("ki,ki->i", half, half)
    if left_out is not None:
        keep = _keep_copies(alpha * keep, left_out) / alpha
    S = A / -keep[:, None]
    S += T
    return A, S


def moments_loo_path(moments, alphas):
    """Return a function that computes the leave-one-out scores of blocks of rows.

    It serves features that cannot be held in memory at once. A first pass over the rows sums the
    moments. A second pass calls the function, which takes Z, T, sample weights and left-out shares
    of a block and returns its scores as `loo_path` does.
    """
    values, V = eigenpairs(moments.gram)
    inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + np.asarray(alphas))
    coefs = (V.T @ moments.cross)[:, None, :] * inverse[:, :, None]

    def scores(Z, T, sample_weight=None, left_out=None):
        turned = Z @ V
        fitted = turned @ coefs.reshape(len(V), -1)
        leverage = turned**2 @ inverse
        if sample_weight is not None:
            leverage *= sample_weight[:, None]
        if left_out is not None:
            leverage *= left_out[:, None]
        fitted = fitted.reshape(len(Z), len(alphas), -1).transpose(1, 0, 2)
        # Where the features fit a row exactly, only rounding errors are left.
        keep = np.maximum(1.0 - leverage.T, 1e-12)
        return T - (T - fitted) / keep[:, :, None]

    return scores


def moments_loo_losses(moments, alphas):
    """Return a function from a block of rows to its summed squared leave-one-out errors.

    It takes what that of `moments_loo_path` takes, and returns one sum for each strength. The
    scores are not formed, because a pass over the residuals of all strengths takes as long as the
    products. With more outputs than features the residuals are not formed either:
    |t - B'z|² = |t|² - 2 z'Bt + z'BB'z.
    """
    values, V = eigenpairs(moments.gram)
    inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + np.asarray(alphas))
    cross = V.T @ moments.cross
    squares = _few_squares if cross.shape[1] <= len(V) else _many_squares

    def losses(Z, T, sample_weight=None, left_out=None):
        weights = np.ones(len(Z)) if sample_weight is None else sample_weight
        turned = Z @ V
        errors = squares(turned, inverse, cross, T)
        # New memory for the squares would cost as much as their product.
        keep = np.square(turned, out=turned) @ inverse
        keep *= -weights[:, None] if left_out is None else -(weights * left_out)[:, None]
        keep += 1.0
        # Where the features fit a row exactly, only rounding errors are left.
        np.maximum(keep, 1e-12, out=keep)
        errors /= np.square(keep, out=keep)
        return weights @ errors

    return losses


def _few_squares(turned, inverse, cross, T):
    """Return the squared residuals of rows, of shape (n_rows, n_alphas)."""
    coefs = cross[:, None, :] * inverse[:, :, None]
    residual = (turned @ coefs.reshape(len(cross), -1)).reshape(len(T), -1, T.shape[1])
    residual -= T[:, None, :]
    return np.einsum("nao,nao->na", residual, residual)


def _many_squares(turned, inverse, cross, T):
    """Return the same for more outputs than features."""
    along, products, found = T @ cross.T, cross @ cross.T, np.empty((len(T), inverse.shape[1]))
    for a, shares in enumerate(inverse.T):
        shrunk = turned * shares
        found[:, a] = np.einsum("ij,ij->i", shrunk, shrunk @ products - 2.0 * along)
    found += np.einsum("ij,ij->i", T, T)[:, None]
    return np.maximum(found, 0.0, out=found)


def _keep_copies(keep, left_out):
    """Return 1 - share · h from 1 - h."""
    return keep if left_out is None else 1.0 - left_out + left_out * keep


def _ridge_factor(gram, alpha):
    gram.flat[:: len(gram) + 1] += alpha
    return lower_factor(gram)


def loo_loss(scores, T, sample_weight=None):
    """Return the weighted mean squared error for each strength of leave-one-out scores."""
    return np.average(np.sum((scores - T) ** 2, axis=-1), axis=-1, weights=sample_weight)


def select_alpha(losses, alphas):
    """Return the index of the smallest loss; of equal losses, that of the largest strength."""
    best = np.flatnonzero(losses <= losses.min() * (1 + 1e-10))
    return best[np.argmax(np.asarray(alphas)[best])]
