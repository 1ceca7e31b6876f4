"""The one way functions are compiled: without the GIL, and kept on disk where there is a place."""

import numba

__all__ = ["compiled"]


def compiled(function=None, *, fastmath=False):
    """Compile `function` when it is first called, and remember the result on disk.

    Parameters
    ----------
    function : callable
    fastmath : bool, default=False
        Let sums be reordered, so that loops over contiguous slices use vector instructions.
    """
    if function is None:
        return lambda function: compiled(function, fastmath=fastmath)
    options = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # numba found no writable cache directory: every process compiles for itself.
        return numba.njit(**options)(function)
