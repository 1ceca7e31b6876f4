"""Leading eigenpairs of a Gram matrix, centred or not."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from .gram import center_gram

__all__ = ["Spectrum", "leading_spectrum"]

# A dense solver finds all pairs at about the price of this share of them found iteratively.
ITERATIVE_SHARE = 0.05
ITERATIVE_ROWS = 500
# Residuals of the iterative solver, in shares of the largest eigenvalue.
RESIDUAL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}


class Spectrum(NamedTuple):
    """The positive part of a symmetric matrix.

    Attributes
    ----------
    values : ndarray of shape (n_components,)
        Eigenvalues, largest first.
    vectors : ndarray of shape (n_rows, n_components)
        Orthonormal eigenvectors; the entry of largest magnitude is positive.
    negative_share : float
        Sum of the negative eigenvalues over the sum of all, in magnitude; an estimate from the
        Ritz values when only the leading pairs were computed.
    """

    values: np.ndarray
    vectors: np.ndarray
    negative_share: float


def leading_spectrum(K, n_components=None, *, center=False, tol=1e-8, rng=None):
    """Return the eigenpairs of `K` above `tol` times the largest eigenvalue.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
        Symmetric.
    n_components : int, default=None
        At most so many pairs; None means all.
    center : bool, default=False
        Whether to decompose H K H with H = I - 11ᵀ/n instead, as kernel PCA does.
    tol : float, default=1e-8
        Directions below it carry rounding noise, which whitening would amplify.
    rng : RandomState, default=None
        For the start of the iterative solver.

    Returns
    -------
    Spectrum
    """
    n_rows = K.shape[0]
    n_wanted = n_rows if n_components is None else min(n_components, n_rows)
    found = None
    if n_rows >= ITERATIVE_ROWS and n_wanted <= ITERATIVE_SHARE * n_rows:
        if center and _is_nearly_constant(K):
            K = center_gram(K)
        found = _block_lanczos(K, n_wanted, center, rng or np.random.RandomState(0))
    values, vectors = _dense(K, center) if found is None else found
    # Values within rounding of zero say nothing about the kernel.
    large = np.abs(values[np.abs(values) > tol * np.abs(values).max(initial=0.0)])
    negative = -values[values < -tol * np.abs(values).max(initial=0.0)]
    negative_share = float(negative.sum() / large.sum()) if negative.size else 0.0
    n_kept = min(n_wanted, int(np.count_nonzero(values > max(tol * values[0], 0.0))))
    return Spectrum(values[:n_kept].copy(), _fix_signs(vectors[:, :n_kept]), negative_share)


def _dense(K, center):
    values, vectors = linalg.eigh(center_gram(K) if center else K, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _is_nearly_constant(K):
    """Whether products with `K` lose, by the rounding of a constant, what is left after centring.

    A sample of the rows tells. A matrix that varies is centred vector by vector, without a copy.
    """
    sample = K[:: max(1, len(K) // 64)]
    return np.ptp(sample) < 10 * np.finfo(K.dtype).eps / RESIDUAL[K.dtype] * np.abs(sample).max()


def _block_lanczos(K, n_wanted, center, rng, *, max_blocks=60):
    """Return Ritz values and leading eigenvectors, or None when convergence is too slow.

    A block of vectors costs one pass over `K`, as a single vector does, so a dozen passes do what
    a vector-by-vector method needs a hundred for. All blocks are kept orthogonal. The pairs are
    taken when every residual |Kv - λv| is within rounding of what matters; vectors lie in rows.
    The Ritz values beyond the wanted ones are not accurate, but their signs and sizes tell whether
    the matrix is indefinite.
    """
    n_rows, dtype = K.shape[0], K.dtype
    width = max(8, n_wanted // 2)
    # Beyond half of all directions a dense solver is faster.
    capacity = min(max_blocks * width, n_rows // 2)
    rtol = RESIDUAL[dtype]
    basis, images = np.empty((2, capacity, n_rows), dtype=dtype)
    projected = np.zeros((capacity, capacity), dtype=dtype)
    block = _orthonormal_rows(_centred(rng.standard_normal((width, n_rows)), center).astype(dtype))
    due, excess, looked_at = 2 * n_wanted, -np.inf, 0
    for used in range(width, capacity + 1, width):
        new = slice(used - width, used)
        basis[new] = block
        images[new] = _centred(block @ K, center)
        projected[new, :used] = images[new] @ basis[:used].T
        projected[:used, new] = projected[new, :used].T
        # Rayleigh–Ritz costs as much as several blocks when there are many: it is done after every
        # second block, or a sixth more blocks when that is later, but not after the residuals
        # should be small enough if they go on falling as they did.
        if used >= due:
            values, rotation = np.linalg.eigh(projected[:used, :used])
            values, rotation = values[::-1], rotation[:, ::-1][:, :n_wanted].T
            vectors = rotation @ basis[:used]
            residuals = rotation @ images[:used] - values[:n_wanted, None] * vectors
            largest = np.linalg.norm(residuals, axis=1).max()
            if largest <= rtol * abs(values[0]):
                return values, vectors.T
            before, excess = excess, np.log(largest / (rtol * abs(values[0])))
            due = used + max(width, used // 6) + 1
            if excess < before:
                due = min(due, used + (used - looked_at) * excess / (before - excess))
            looked_at = used
        # The second projection removes what cancellation hides from the first, whose coefficients
        # are known. Of a nearly constant kernel centring leaves little, and the mean would grow
        # back if it was not projected out each time.
        block = images[new] - projected[new, :used] @ basis[:used]
        block = _orthonormal_rows(_centred(block, center))
        block -= (block @ basis[:used].T) @ basis[:used]
        block = _orthonormal_rows(_centred(block, center))
    return None


def _centred(rows, center):
    return rows - rows.mean(axis=1, keepdims=True) if center else rows


def _orthonormal_rows(rows):
    # NumPy and SciPy bring a BLAS each, and threads of one spin while the other works: a loop must
    # keep to one of them.
    return np.linalg.qr(rows.T)[0].T


def _fix_signs(vectors):
    if not vectors.shape[1]:
        return vectors
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs).astype(vectors.dtype)
