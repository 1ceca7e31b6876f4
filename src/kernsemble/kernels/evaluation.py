"""Many kernels on the same rows, every distance computed once, in blocks that stay in cache."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from .blocks import for_each_block, row_blocks
from .pairs import pair_up

__all__ = ["evaluate", "evaluate_pairs"]

TILE_ROWS = 256
MAX_POWER = 64
# Fewer pairs are not worth what a kernel does to prepare itself.
MANY_PAIRS = 1 << 16


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
    powers = _plan_powers(kernels)
    is_large = n_x * n_y >= MANY_PAIRS
    fastest = [kernel._prepared() if is_large else kernel for kernel in kernels]

    def write(rows):
        block = pairs.block(rows, slice(rows.start if pairs.same_rows else 0, n_y))
        columns = slice(-block.shape[1], None)
        for kernel, fast, K, power in zip(kernels, fastest, out, powers):
            written = K[rows, columns]
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                if power is None:
                    fast._write_gram(block, written)
                else:
                    _write_power(out[power.of][rows, columns], power.exponent, written)
                _check_finite(written, kernel)

    def mirror(rows):
        for K in out:
            _mirror(K, rows)

    for_each_block(write, row_blocks(n_x, n_y, dtype.itemsize))
    if pairs.same_rows:
        for_each_block(mirror, list(gen_batches(n_x, TILE_ROWS)))
    return out


class _Power(NamedTuple):
    """A kernel that is an earlier one to an integer power."""

    of: int
    exponent: int


def _plan_powers(kernels):
    """Return for each kernel the earlier one it is a power of, or None.

    A few products are several times faster than an exponential, and grids of widths are made of
    integer multiples. Rounding errors grow with the power, so that a chain of them has an end.
    """
    plan: list[_Power | None] = []
    from_scratch: list[int] = []
    for number, kernel in enumerate(kernels):
        found, total = None, 1
        for earlier in range(number):
            exponent = kernel._power_of(kernels[earlier])
            if exponent is not None and exponent * from_scratch[earlier] <= MAX_POWER:
                found, total = _Power(earlier, exponent), exponent * from_scratch[earlier]
        plan.append(found)
        from_scratch.append(total)
    return plan


def _write_power(K, exponent, out):
    """Write `K` to an integer power of at least 2 into `out`, from the leading binary digit on."""
    np.multiply(K, K, out=out)
    for place, digit in enumerate(bin(exponent)[3:]):
        if place:
            out *= out
        if digit == "1":
            out *= K


def _mirror(K, rows):
    """Copy some rows of the upper triangle of `K` to the lower one."""
    block = K[rows, rows]
    np.copyto(block, block.T.copy(), where=np.tri(len(block), k=-1, dtype=bool))
    for start in range(rows.stop, K.shape[0], TILE_ROWS):
        columns = slice(start, start + TILE_ROWS)
        K[columns, rows] = K[rows, columns].T


def _check_finite(block, kernel):
    # The sum is one cheap pass, and finite sums need no second look.
    if not np.isfinite(block.sum()) and not np.isfinite(block).all():
        raise ValueError(f"kernel {kernel!r} returned NaN or infinity.")
