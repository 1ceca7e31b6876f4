"""Weighted sums of kernel values, k(X, Y) @ coefs, for kernels that share their rows."""

from contextlib import nullcontext
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..threads import limited_blas, threads_for_pairs
from .blocks import equal_slices, for_each_block, rows_per_block
from .evaluation import check_finite, evaluate_pairs
from .pairs import MANY_VALUES, pair_up
from .stationary import RBF, GeneralizedExponential, Laplacian

# Memory for the kernel values of one block of rows, which stay in the cache.
BLOCK_BYTES = 1 << 22
# For more columns than this, many rows are compared faster by a matrix product, unless they are as
# few as this.
MAX_COLUMNS, FEW_ROWS = 64, 16
# Number of rows that one thread takes at a time.
TASK_ROWS = 256


class Decay(NamedTuple):
    """A kernel exp(-rate distance^power).

    Attributes
    ----------
    norm : int
        1 for the city-block distance, 2 for the Euclidean one.
    power, rate : float
    """

    norm: int
    power: float
    rate: float


def decay_of(kernel):
    """Return a kernel as `Decay`, or None if it is none."""
    # A class that somebody derived from these may compute something else.
    kind = type(kernel)
    if kind is RBF:
        return Decay(2, 2.0, float(kernel.gamma))
    if kind is Laplacian:
        return Decay(1 if kernel.metric == "l1" else 2, 1.0, float(kernel.gamma))
    if kind is GeneralizedExponential and kernel.p in (1, 2):
        power = float(kernel.q)
        with np.errstate(over="ignore", under="ignore"):
            rate = float(np.float64(kernel.scale) ** -power)
        # The power of a ratio is a number where that of a scale far from 1 is not.
        return Decay(int(kernel.p), power, rate) if 0.0 < rate < np.inf else None
    return None


def kernel_sums(kernels, coefs, X, Y, *, for_few=True):
    """Return k(X, Y) @ coefs for every kernel, without storing k(X, Y).

    Parameters
    ----------
    kernels : list of Kernel
    coefs : list of ndarray of shape (n_y, n_outputs)
        Those of every kernel; the number of outputs may differ.
    X, Y : {ndarray, CSR matrix} of shape (n_x, n_features) and (n_y, n_features)
    for_few : bool, default=True
        Whether compiled code serves few rows too. The first time it takes longer to load than they
        take without it.

    Returns
    -------
    sums : list of ndarray of shape (n_x, n_outputs)
    """
    decays = [decay_of(kernel) for kernel in kernels]
    (n_x, n_features), n_y = X.shape, Y.shape[0]
    is_wide = n_features > MAX_COLUMNS and n_x > FEW_ROWS
    is_little = not for_few and n_x * n_y * n_features < MANY_VALUES
    if None in decays or is_wide or is_little or sparse.issparse(X) or sparse.issparse(Y):
        sums = sums_of_blocks(kernels, coefs, X, Y)
    else:
        sums = _decay_sums(decays, coefs, X, Y)
    for kernel, found in zip(kernels, sums):
        # The few sums are checked, and not the many values.
        check_finite(found, kernel)
    return sums


def _decay_sums(decays, coefs, X, Y):
    from .decay_sums import add_decay_sums

    X, columns = np.ascontiguousarray(X, np.float64), np.ascontiguousarray(Y.T, np.float64)
    norms, powers, rates = map(np.array, zip(*decays))
    ends = np.cumsum([0, *(own.shape[1] for own in coefs)])
    rows_of_coefs = np.ascontiguousarray(np.concatenate([own.T for own in coefs]), np.float64)
    sums = np.zeros((X.shape[0], ends[-1]))

    def add(rows):
        add_decay_sums(X[rows], columns, norms, powers, rates, ends, rows_of_coefs, sums[rows])

    blocks = equal_slices(X.shape[0], TASK_ROWS)
    threads = threads_for_pairs(X.shape[0], Y.shape[0])
    with limited_blas(threads) if len(blocks) > 1 else nullcontext():
        for_each_block(add, blocks)
    return [sums[:, first:end] for first, end in pairwise(ends)]


def sums_of_blocks(kernels, coefs, X, Y):
    """Return the same by Gram matrices of blocks of rows, for any kernels."""
    pairs, (n_x, n_y) = pair_up(X.astype(np.float64, copy=False), Y), (X.shape[0], Y.shape[0])
    # The blocks share these norms, so they are computed before the pairs are sliced.
    _ = pairs.y.squared_norms
    step = max(1, min(rows_per_block(len(kernels) * n_y, 8, BLOCK_BYTES), n_x))
    # They use the same memory too, because the system takes its time to give more.
    room = np.empty((len(kernels), step, n_y))
    sums = [np.empty((n_x, own.shape[1])) for own in coefs]
    for block in equal_slices(n_x, step):
        grams = list(room[:, : block.stop - block.start])
        evaluate_pairs(kernels, pairs.block(block, slice(0, n_y)), out=grams, check=False)
        for K, own, found in zip(grams, coefs, sums):
            np.matmul(K, own, out=found[block])
    return sums
