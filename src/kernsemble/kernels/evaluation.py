"""Many kernels on the same rows, every distance computed once, in blocks that stay in cache."""

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from .pairs import Pairs, Rows

__all__ = ["evaluate", "rows_per_block"]

# A block of distances of this size stays in the second-level cache while all kernels read it.
CACHE_BYTES = 1 << 20


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
    symmetric = Y is None
    x, y = _paired_rows(X, X if symmetric else Y)
    if symmetric:
        x = y
    n_x, n_y = x.X.shape[0], y.X.shape[0]
    dtype = np.result_type(x.X.dtype, y.X.dtype)
    if out is None:
        out = [np.empty((n_x, n_y), dtype=dtype) for _ in kernels]
    # The sides that blocks share are prepared before they are sliced.
    _ = y.squared_norms
    for rows in gen_batches(n_x, rows_per_block(n_y, dtype.itemsize)):
        columns = slice(rows.start, n_y) if symmetric else slice(0, n_y)
        pairs = Pairs(x[rows], y[columns], same_rows=symmetric)
        for kernel, K in zip(kernels, out):
            with np.errstate(over="ignore", invalid="ignore"):
                K[rows, columns] = _checked(kernel._gram(pairs), kernel, pairs)
            if symmetric:
                _mirror(K, rows)
    return out


def _mirror(K, rows):
    """Fill the part of `K` below the block `rows` of its upper triangle."""
    K[rows.stop :, rows] = K[rows, rows.stop :].T
    # A product of blocks is symmetric only up to rounding.
    block = K[rows, rows]
    K[rows, rows] = np.triu(block) + np.triu(block, 1).T


def _paired_rows(X, Y):
    if sparse.issparse(X) or sparse.issparse(Y):
        return Rows(X), Rows(Y)
    centre = Y.mean(axis=0)
    return Rows(X, centre), Rows(Y, centre)


def _checked(block, kernel, pairs):
    if getattr(block, "shape", None) != pairs.shape:
        raise ValueError(
            f"kernel {kernel!r} returned shape {getattr(block, 'shape', None)} "
            f"for {pairs.shape[0]} × {pairs.shape[1]} pairs."
        )
    # The sum is one cheap pass, and finite sums need no second look.
    if not np.isfinite(block.sum()) and not np.isfinite(block).all():
        raise ValueError(f"kernel {kernel!r} returned NaN or infinity.")
    return block
