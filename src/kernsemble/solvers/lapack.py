"""Factors and eigenpairs of matrices while other threads go on.

SciPy's wrappers of LAPACK hold Python's lock until they are done, so that two members that factor
at once would wait for each other. The same routines are public for compiled code, without the lock.
Where they have other integers than expected, and for arrays that they do not take, SciPy's wrappers
do the work.

Cholesky factors and inverses of triangles are computed in blocks, almost all of it in products of
matrices. One call of LAPACK for the whole matrix solves systems with large triangles, for which
OpenBLAS takes up to three times as long as for products.
"""

import ctypes
from functools import cache

import numpy as np
from scipy.linalg import (
    LinAlgError,
    cho_factor,
    cho_solve,
    cholesky,
    cython_blas,
    cython_lapack,
    eigh,
    lapack,
    solve_triangular,
)

from ..threads import limited_blas, threads_for

_LETTERS = {np.dtype(np.float64): "d", np.dtype(np.float32): "s"}
# Rows of the blocks that LAPACK itself factors and inverts: below, the calls would cost more than
# they save, as they do for the factor of a matrix of few rows.
BLOCK_ROWS, FEW_ROWS = 64, 256


def factor_in_place(system):
    """Return the factor of a positive definite matrix, in the memory of the matrix.

    Parameters
    ----------
    system : ndarray of shape (n, n)
        Symmetric; it is overwritten.

    Returns
    -------
    tuple
        What `solve_factored` and `scipy.linalg.cho_solve` take.

    Examples
    --------
    >>> import numpy as np
    >>> factor = factor_in_place(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> solve_factored(factor, np.array([[3.0], [3.0]]))
    array([[1.],
           [1.]])
    """
    # LAPACK counts by columns: it sees the transpose, which is the same matrix.
    if not system.flags.c_contiguous or not _factor_blocks(system.T):
        return cho_factor(system, overwrite_a=True, check_finite=False)
    return system.T, True


def lower_factor(system):
    """Return the lower factor of a positive definite matrix, with zeros above its diagonal.

    The symmetric matrix is overwritten, and its memory may become that of the factor.
    """
    n, factor, clear = len(system), system.T, _find("laset", system)
    if clear is None or not system.flags.c_contiguous or not _factor_blocks(factor):
        return cholesky(system, lower=True, overwrite_a=True, check_finite=False)
    if n > 1:
        above, zero = factor[:, 1:], np.zeros(1, dtype=system.dtype)
        _call(clear, b"U", n - 1, n - 1, zero, zero, above, n, info=False)
    return factor


def solve_factored(factor, B):
    """Return the solution of a system, given the factor of its matrix."""
    matrix, is_lower = factor
    routine = _find("potrs", matrix, B)
    if routine is None or not matrix.flags.f_contiguous:
        return cho_solve(factor, B, check_finite=False)
    n, found = len(matrix), np.array(B, order="F")
    _call(routine, b"L" if is_lower else b"U", n, B.shape[1], matrix, n, found, n)
    return found


def solve_lower(factor, B):
    """Return the solution of a system with a lower triangle."""
    routine = _find("trtrs", factor, B)
    if routine is None or not factor.flags.f_contiguous:
        return solve_triangular(factor, B, lower=True, check_finite=False)
    n, found = len(factor), np.array(B, order="F")
    if _call(routine, b"L", b"N", b"N", n, B.shape[1], factor, n, found, n):
        raise LinAlgError("The triangle is singular.")
    return found


def invert_lower(factor):
    """Return the inverse of a lower triangle, which is overwritten."""
    invert, multiply = _find("trtri", factor), _find("trmm", factor)
    if invert is None or multiply is None or not factor.flags.f_contiguous:
        return lapack.dtrtri(factor, lower=1)[0]
    with limited_blas(threads_for(len(factor))):
        _invert_blocks(factor, len(factor), invert, multiply)
    return factor


def _factor_blocks(matrix):
    """Write the lower factor into a matrix that is stored by columns; return whether it could be.

    Every block of columns is factored and taken off what is right of it.
    """
    factor, solve, square = (_find(name, matrix) for name in ("potrf", "trsm", "syrk"))
    if factor is None or solve is None or square is None:
        return False
    n, one = len(matrix), np.ones(1, matrix.dtype)
    step = n if n <= FEW_ROWS else BLOCK_ROWS
    with limited_blas(threads_for(n)):
        for start in range(0, n, step):
            stop = min(start + step, n)
            corner, size, n_left = matrix[start:stop, start:stop], stop - start, n - stop
            failed = _call(factor, b"L", size, corner, n)
            _check_definite(start + failed if failed else 0)
            if n_left:
                below, rest = matrix[stop:, start:stop], matrix[stop:, stop:]
                triangle = one, corner, n, below, n
                _call(solve, b"R", b"L", b"T", b"N", n_left, size, *triangle, info=False)
                _call(square, b"L", b"N", n_left, size, -one, below, n, one, rest, n, info=False)
    return True


def _invert_blocks(factor, n, invert, multiply):
    """Invert a lower triangle in place, one half after the other; its columns are `n` apart."""
    size = len(factor)
    if size <= BLOCK_ROWS:
        _call(invert, b"L", b"N", size, factor, n)
        return
    # Routines are fastest on whole vectors of the processor.
    half = -(-size // 16) * 8
    first, last, below = factor[:half, :half], factor[half:, half:], factor[half:, :half]
    for part in (first, last):
        _invert_blocks(part, n, invert, multiply)
    # The inverse of [[A, 0], [B, C]] has -C^-1 B A^-1 below.
    one, shape = np.ones(1, factor.dtype), (size - half, half)
    for side, scale, part in ((b"R", one, first), (b"L", -one, last)):
        triangle = side, b"L", b"N", b"N", *shape, scale, part, n
        _call(multiply, *triangle, below, n, info=False)


def eigenpairs(K):
    """Return the eigenvalues of a symmetric matrix, in rising order, and its eigenvectors."""
    routine = _find("syevd", K)
    if routine is None:
        return eigh(K, driver="evd", check_finite=False)
    n, vectors = len(K), _copy_columns(K)
    values, work = np.empty(n, K.dtype), np.empty(1 + 70 * n + 2 * n**2, K.dtype)
    integers = np.empty(3 + 5 * n, dtype=np.intc)
    sizes = work, len(work), integers, len(integers)
    if _call(routine, b"V", b"L", n, vectors, n, values, *sizes):
        raise LinAlgError("The eigenvalues did not converge.")
    return values, vectors


def pivoted_factor(K):
    """Return the pivoted lower factor of a symmetric matrix, its pivots from 0 on, and its rank.

    Values above the diagonal of the factor mean nothing.
    """
    routine = _find("pstrf", K)
    if routine is None:
        factor, pivots, rank, _ = lapack.dpstrf(K, lower=1)
        return factor, pivots - 1, rank
    n, factor, rank = len(K), _copy_columns(K), np.zeros(1, dtype=np.intc)
    pivots, work = np.empty(n, dtype=np.intc), np.empty(2 * n, K.dtype)
    by_default = np.full(1, -1.0, K.dtype)
    _call(routine, b"L", n, factor, n, pivots, rank, by_default, work)
    return factor, pivots - 1, int(rank[0])


def _copy_columns(K):
    """Return a copy of a symmetric matrix, column after column."""
    return np.array(K if K.flags.f_contiguous else K.T, order="F")


def _check_definite(info):
    if info:
        raise LinAlgError(f"The leading minor of order {info} is not positive definite.")


def _find(name, *arrays):
    """Return the routine of BLAS or LAPACK for matrices that are not empty, or None."""
    letter = _LETTERS.get(arrays[0].dtype)
    if letter is None or any(A.ndim != 2 or not A.size for A in arrays):
        return None
    if any(A.dtype != arrays[0].dtype for A in arrays[1:]):
        return None
    return _routine(letter + name)


def _call(routine, *arguments, info=True):
    """Call a routine, to which everything is passed by address; return what it tells, or 0."""
    told = ctypes.c_int()
    passed = [_address(argument) for argument in arguments]
    routine(*passed, *([ctypes.byref(told)] if info else []))
    return told.value


def _address(argument):
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data
    return argument if isinstance(argument, bytes) else ctypes.byref(ctypes.c_int(argument))


@cache
def _routine(name):
    """Return a routine of BLAS or LAPACK that needs no lock, or None for other integers."""
    api = ctypes.pythonapi
    find_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    find_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    capsule = {**cython_blas.__pyx_capi__, **cython_lapack.__pyx_capi__}[name]
    signature = find_name(capsule)
    if not signature.startswith(b"void (char *,") or b" int *" not in signature:
        return None
    pointers = [ctypes.c_void_p] * signature.count(b"*")
    return ctypes.CFUNCTYPE(None, *pointers)(find_address(capsule, signature))
