"""Equal rows of one class → one row that counts its copies.

Two copies of a row and one row of weight 2 are the same data, so they must give the same model. The
table of a method that draws no rows for a bootstrap therefore holds every row once, with the number
of its copies, in an order that does not depend on the order in which the rows came.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from .weights import counts_rows

# Values that are multiplied at a time.
BLOCK_VALUES = 1 << 20


class Copies(NamedTuple):
    """Which rows are copies of each other.

    Attributes
    ----------
    first : ndarray of int of shape (n_merged,)
        Number of one row of every set of equal rows.
    number : ndarray of float of shape (n_merged,)
        Number of rows that each of them stands for.
    origin : ndarray of int of shape (n_rows,)
        Position in `first` that every row belongs to.
    """

    first: np.ndarray
    number: np.ndarray
    origin: np.ndarray


class Merged(NamedTuple):
    """The training rows that the rows of a table stand for.

    Attributes
    ----------
    origin : ndarray of int of shape (n_training_rows,)
        Number of the row of the table that stands for each training row.
    sample_weight : ndarray of shape (n_training_rows,) or None
        Weights of the training rows.
    """

    origin: np.ndarray
    sample_weight: np.ndarray | None


def find_copies(X, codes, counts=None):
    """Return the `Copies` of some rows, or None if every row is there once.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
    codes : ndarray of int of shape (n_rows,)
        Rows of different classes are not equal.
    counts : ndarray of shape (n_rows,), default=None
        Number of rows that each row stands for. Weights that are no counts, because they are not
        whole numbers or far too large, belong to one row each; such rows are never merged.
    """
    if counts is not None and not (counts_rows(counts.mean()) and (counts % 1.0 == 0.0).all()):
        return None
    keys = _row_keys(X, codes)
    _, first, origin = np.unique(keys, return_index=True, return_inverse=True)
    number = np.bincount(origin, counts).astype(np.float64)
    if number.max() == 1.0:
        return None
    # Different rows of one key are as good as impossible; if there are any, nothing is merged.
    return Copies(first, number, origin) if _are_equal(X, codes, first[origin]) else None


def number_distinct(X):
    """Return the numbers of rows of which no two are equal, and which every row equals one of."""
    copies = find_copies(X, np.zeros(X.shape[0], dtype=np.intp))
    return np.arange(X.shape[0]) if copies is None else np.sort(copies.first)


def _row_keys(X, codes):
    """Return a whole number for every row that is the same for equal rows, dense or sparse."""
    draw = np.random.RandomState(0).randint
    factors = draw(1, np.iinfo(np.int64).max, X.shape[1]).astype(np.uint64) | np.uint64(1)
    keys = _mixed(codes.astype(np.uint64) + np.uint64(1))
    if sparse.issparse(X):
        terms = _mixed(_bits(X.data)) * factors[X.indices]
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return keys + sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    size = max(1, BLOCK_VALUES // X.shape[1])
    for start in range(0, X.shape[0], size):
        block = slice(start, start + size)
        keys[block] += (_mixed(_bits(X[block])) * factors).sum(axis=1, dtype=np.uint64)
    return keys


def _bits(values):
    # Adding zero turns -0.0, which equals 0.0, into 0.0. Zero has the bits 0, so the zeros that a
    # sparse row does not store add nothing.
    return np.ascontiguousarray(np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)


def _mixed(bits):
    """Return numbers in which every bit of `bits` counts; 0 remains 0."""
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (29, 0xC4CEB9FE1A85EC53)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(32))


def _are_equal(X, codes, others):
    """Return whether every row equals the row whose number stands at its place in `others`."""
    repeated = np.flatnonzero(others != np.arange(len(others)))
    left, right = X[repeated], X[others[repeated]]
    if sparse.issparse(X):
        equal = (left != right).nnz == 0
    else:
        equal = np.array_equal(left, right, equal_nan=True)
    return equal and np.array_equal(codes[repeated], codes[others[repeated]])
