"""Cholesky factors of large matrices while other threads go on.

SciPy's wrappers of LAPACK hold Python's lock until they are done, so that two members that factor
at once would wait for each other. The same routines are public for compiled code, without the lock.
"""

import ctypes
from functools import cache

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cython_lapack

_NAMES = {np.dtype(np.float64): "dpotrf", np.dtype(np.float32): "spotrf"}


def factor_in_place(system):
    """Return the factor of a positive definite matrix, in the memory of the matrix.

    Parameters
    ----------
    system : ndarray of shape (n, n)
        Symmetric; it is overwritten.

    Returns
    -------
    tuple
        What `scipy.linalg.cho_solve` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.linalg import cho_solve
    >>> cho_solve(factor_in_place(np.array([[2.0, 1.0], [1.0, 2.0]])), np.array([3.0, 3.0]))
    array([1., 1.])
    """
    routine = _routine(_NAMES[system.dtype]) if system.dtype in _NAMES else None
    if routine is None or not len(system) or not system.flags.c_contiguous:
        return cho_factor(system, overwrite_a=True, check_finite=False)
    # LAPACK counts by columns: it sees the transpose, which is the same matrix.
    n, info = ctypes.c_int(len(system)), ctypes.c_int()
    routine(b"U", ctypes.byref(n), system.ctypes.data, ctypes.byref(n), ctypes.byref(info))
    if info.value:
        raise LinAlgError(f"The leading minor of order {info.value} is not positive definite.")
    return system.T, False


@cache
def _routine(name):
    """Return a routine of LAPACK that needs no lock, or None where it has other integers."""
    api = ctypes.pythonapi
    find_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    find_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    capsule = cython_lapack.__pyx_capi__[name]
    signature = find_name(capsule)
    if not signature.startswith(b"void (char *, int *,"):
        return None
    pointers = [ctypes.c_char_p, *[ctypes.c_void_p] * 4]
    return ctypes.CFUNCTYPE(None, *pointers)(find_address(capsule, signature))
