"""Leading eigenvalues and eigenvectors of a Gram matrix, centred or not."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from ..threads import threads_by_rows
from .gram import center_gram

# The iterative solver is faster than the dense one if at most this share of the eigenpairs is
# wanted, from this many rows on.
ITERATIVE_SHARE = 0.05
ITERATIVE_ROWS = 500
# Largest residual of the iterative solver, relative to the largest eigenvalue.
RESIDUAL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}


class Spectrum(NamedTuple):
    """Positive eigenvalues of a symmetric matrix, with their eigenvectors.

    Attributes
    ----------
    values : ndarray of shape (n_components,)
        Eigenvalues, largest first.
    vectors : ndarray of shape (n_rows, n_components)
        Orthonormal eigenvectors. The entry of largest magnitude is positive in each of them.
    negative_share : float
        Sum of the magnitudes of the negative eigenvalues, divided by the sum of all magnitudes.
        It is an estimate from the Ritz values if only the leading pairs were computed.
    """

    values: np.ndarray
    vectors: np.ndarray
    negative_share: float


@threads_by_rows()
def leading_spectrum(K, n_components=None, *, center=False, tol=1e-8, rng=None):
    """Return the eigenpairs of `K` above `tol` times the largest eigenvalue.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
        Symmetric.
    n_components : int, default=None
        Largest number of pairs to return; None means all.
    center : bool, default=False
        Whether to decompose H K H with H = I - 11ᵀ/n instead of K, as kernel PCA does.
    tol : float, default=1e-8
        Smallest eigenvalue to return, relative to the largest one. Directions of smaller
        eigenvalues carry rounding noise, and whitening would amplify it.
    rng : RandomState, default=None
        Draws the first vectors of the iterative solver; None means a fixed seed.

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
    # Eigenvalues within rounding of zero say nothing about the kernel.
    large = np.abs(values[np.abs(values) > tol * np.abs(values).max(initial=0.0)])
    negative = -values[values < -tol * np.abs(values).max(initial=0.0)]
    negative_share = float(negative.sum() / large.sum()) if negative.size else 0.0
    n_kept = min(n_wanted, int(np.count_nonzero(values > max(tol * values[0], 0.0))))
    return Spectrum(values[:n_kept].copy(), _fix_signs(vectors[:, :n_kept]), negative_share)


def _dense(K, center):
    # The driver "evd" takes a third less time than the default, and more memory.
    matrix = center_gram(K) if center else K
    values, vectors = linalg.eigh(matrix, driver="evd", check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _is_nearly_constant(K):
    """Return whether a constant dominates `K`, judged by a sample of its rows.

    Products with such a matrix round away what centring would leave, so the matrix itself must be
    centred. For other matrices it is enough to centre the vectors, which needs no copy.
    """
    sample = K[:: max(1, len(K) // 64)]
    return np.ptp(sample) < 10 * np.finfo(K.dtype).eps / RESIDUAL[K.dtype] * np.abs(sample).max()


def _block_lanczos(K, n_wanted, center, rng, *, max_blocks=60):
    """Return Ritz values and leading eigenvectors, or None if convergence is too slow.

    A block of vectors needs one pass over `K`, as a single vector does. About a dozen passes are
    enough, where a method that works vector by vector needs a hundred. All blocks are kept
    orthogonal; the vectors are rows. The iteration ends when every residual |Kv - λv| is below
    `RESIDUAL` times the largest eigenvalue. The Ritz values beyond the wanted ones are not
    accurate, but their signs and sizes show whether the matrix is indefinite.
    """
    n_rows, dtype = K.shape[0], K.dtype
    width = max(8, n_wanted // 2)
    # A dense solver is faster if more than half of all directions are needed.
    capacity = min(max_blocks * width, n_rows // 2)
    rtol = RESIDUAL[dtype]
    basis, images = np.empty((2, capacity, n_rows), dtype=dtype)
    projected = np.zeros((capacity, capacity), dtype=dtype)
    block = _orthonormal_rows(_centred(rng.standard_normal((width, n_rows)), center).astype(dtype))
    due, excess, last_step = 2 * n_wanted, -np.inf, 0
    for used in range(width, capacity + 1, width):
        new = slice(used - width, used)
        basis[new] = block
        images[new] = _centred(block @ K, center)
        projected[new, :used] = images[new] @ basis[:used].T
        projected[:used, new] = projected[new, :used].T
        # A Rayleigh–Ritz step takes as long as several blocks once there are many. The next step
        # is due after one more block or a sixth more vectors, whichever is later, but no later
        # than the point where the residuals are small enough if they keep falling as before.
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
                due = min(due, used + (used - last_step) * excess / (before - excess))
            last_step = used
        # The coefficients of the first projection are known; the second one removes what
        # cancellation left behind. Each block is centred again, because centring leaves little of
        # a nearly constant kernel and the mean would grow back.
        block = images[new] - projected[new, :used] @ basis[:used]
        block = _orthonormal_rows(_centred(block, center))
        block -= (block @ basis[:used].T) @ basis[:used]
        block = _orthonormal_rows(_centred(block, center))
    return None


def _centred(rows, center):
    return rows - rows.mean(axis=1, keepdims=True) if center else rows


def _orthonormal_rows(rows):
    # NumPy and SciPy each have their own BLAS, and the idle threads of one slow down the other, so
    # the loop uses NumPy alone.
    return np.linalg.qr(rows.T)[0].T


def _fix_signs(vectors):
    """Make the entry of largest magnitude positive in every column."""
    if not vectors.shape[1]:
        return vectors
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs).astype(vectors.dtype)
