"""Evaluate many kernels on the same rows, block by block, computing every distance only once."""

from typing import NamedTuple

import numpy as np

from ..threads import limited_blas, threads_for_pairs
from .blocks import equal_slices, for_each_block, row_blocks
from .pairs import pair_up

# Rows and columns of the tiles in which the upper triangle is copied to the lower one.
TILE_ROWS = 256
# Rounding errors grow with the power, so a chain of powers ends here.
MAX_POWER = 64
# Preparing a kernel pays off from this many pairs on.
MANY_PAIRS = 1 << 16


def evaluate(kernels, X, Y=None, *, out=None):
    """Return the Gram matrix of the rows of `X` and `Y` for each kernel.

    Parameters
    ----------
    kernels : list of Kernel
        Kernels to evaluate; distances that several of them need are computed once.
    X : {ndarray, CSR matrix} of shape (n_x, n_features)
    Y : {ndarray, CSR matrix} of shape (n_y, n_features), default=None
        None means `X`; only half of each matrix is computed then.
    out : list of ndarray of shape (n_x, n_y), default=None
        Arrays to write the matrices into; None means new arrays.

    Returns
    -------
    grams : list of ndarray of shape (n_x, n_y)
        One matrix for each kernel, in the order of `kernels`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RBF, evaluate
    >>> narrow, wide = evaluate([RBF(1.0), RBF(0.1)], np.array([[0.0], [1.0]]))
    >>> narrow.round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    >>> wide.round(3)
    array([[1.   , 0.905],
           [0.905, 1.   ]])
    """
    for kernel in kernels:
        kernel._check()
    pairs = pair_up(X, Y)
    # The blocks share these norms, so they are computed before the rows are sliced.
    _ = pairs.y.squared_norms
    return evaluate_pairs(kernels, pairs, out=out)


def evaluate_pairs(kernels, pairs, *, out=None, check=True):
    """Return the Gram matrix of each kernel on `pairs`.

    Statistics that `pairs` already holds are used; other statistics are computed block by block
    and not stored.

    Parameters
    ----------
    kernels : list of Kernel
    pairs : Pairs
        If `pairs.same_rows` is set, only half of each matrix is computed.
    out : list of ndarray of shape `pairs.shape`, default=None
        Arrays to write the matrices into; None means new arrays.
    check : bool, default=True
        Whether to raise an error if a value is not finite.

    Returns
    -------
    grams : list of ndarray of shape `pairs.shape`
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
                    _write_power(out[power.base][rows, columns], power.exponent, written)
                if check:
                    check_finite(written, kernel)

    def mirror(rows):
        for K in out:
            _mirror(K, rows)

    with limited_blas(threads_for_pairs(n_x, n_y)):
        for_each_block(write, row_blocks(n_x, n_y, dtype.itemsize))
        if pairs.same_rows:
            for_each_block(mirror, equal_slices(n_x, TILE_ROWS))
    return out


class _Power(NamedTuple):
    """A kernel that equals an earlier kernel of the list to an integer power."""

    base: int
    exponent: int


def _plan_powers(kernels):
    """Return for each kernel the earlier kernel that it is a power of, or None.

    A few products are several times faster than an exponential, and the widths of a grid are
    often integer multiples of each other.
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
    """Write `K`^exponent into `out`, by repeated squaring; `exponent` is at least 2."""
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


def check_finite(block, kernel):
    """Raise an error if a value that a kernel gave, or a sum of such values, is not finite."""
    # The sum takes one fast pass; if it is finite, so are all values.
    if not np.isfinite(block.sum()) and not np.isfinite(block).all():
        raise ValueError(f"kernel {kernel!r} returned NaN or infinity.")
