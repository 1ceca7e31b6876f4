"""Many kernels on the same rows, every distance computed once, in blocks that stay in cache."""

import numpy as np
from sklearn.utils import gen_batches

from .pairs import pair_up

__all__ = ["evaluate", "evaluate_pairs", "rows_per_block"]

# A block of distances of this size stays in the second-level cache while all kernels read it.
CACHE_BYTES = 1 << 20
TILE_ROWS = 128


def rows_per_block(n_columns, itemsize, n_bytes=CACHE_BYTES, *, at_least=16):
    """Return how many rows of `n_columns` values fit into `n_bytes`."""
    return max(at_least, n_bytes // max(1, n_columns * itemsize))


def evaluate(kernels, X, Y=None, *, out=None):
    """Return the Gram matrix of each kernel on the rows of `X` against those of `Y`.

    Parameters
    ----------
    kernels : list of Kernel
    X : {ndarray, CSR matrix} of shape (n_x, n_features)
    Y : {ndarray, CSR matrix} of shape (n_y, n_features), default=None
        None means `X`, and then only half of each matrix is computed.
    out : list of ndarray of shape (n_x, n_y), default=None
        Where to write the matrices; by default they are allocated.

    Returns
    -------
    grams : list of ndarray of shape (n_x, n_y)
    """
    for kernel in kernels:
        kernel._check()
    pairs = pair_up(X, Y)
    # What all blocks share is prepared before it is sliced.
    _ = pairs.y.squared_norms
    return evaluate_pairs(kernels, pairs, out=out)


def evaluate_pairs(kernels, pairs, *, out=None):
    """Return the Gram matrix of each kernel on `pairs`.

    Statistics that `pairs` holds already are used, and those it does not hold are not kept.

    Parameters
    ----------
    kernels : list of Kernel
    pairs : Pairs
        Of rows with themselves, if `pairs.same_rows`.
    out : list of ndarray of shape `pairs.shape`, default=None
    """
    n_x, n_y = pairs.shape
    dtype = np.result_type(pairs.X.dtype, pairs.Y.dtype)
    if out is None:
        out = [np.empty((n_x, n_y), dtype=dtype) for _ in kernels]
    for rows in gen_batches(n_x, rows_per_block(n_y, dtype.itemsize)):
        block = pairs.block(rows, slice(rows.start if pairs.same_rows else 0, n_y))
        for kernel, K in zip(kernels, out):
            written = K[rows, -block.shape[1] :]
            with np.errstate(over="ignore", invalid="ignore"):
                kernel._write_gram(block, written)
                _check_finite(written, kernel)
    if pairs.same_rows:
        for K in out:
            _mirror(K)
    return out


def _mirror(K):
    """Copy the upper triangle of `K` to the lower one, tile by tile to stay in cache."""
    tiles = list(gen_batches(K.shape[0], TILE_ROWS))
    for number, rows in enumerate(tiles):
        block = K[rows, rows]
        K[rows, rows] = np.triu(block) + np.triu(block, 1).T
        for columns in tiles[number + 1 :]:
            K[columns, rows] = K[rows, columns].T


def _check_finite(block, kernel):
    # The sum is one cheap pass, and finite sums need no second look.
    if not np.isfinite(block.sum()) and not np.isfinite(block).all():
        raise ValueError(f"kernel {kernel!r} returned NaN or infinity.")
