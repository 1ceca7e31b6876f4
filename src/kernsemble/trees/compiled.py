"""The one way functions are compiled: without the GIL, and kept on disk where there is a place."""

import gc

_collecting = gc.isenabled()
# numba brings a million objects that stay; to look for garbage among them takes a third longer.
gc.disable()
try:
    import numba
finally:
    if _collecting:
        gc.enable()

__all__ = ["compiled"]


def compiled(function=None, *, fastmath=False, entry=False):
    """Compile `function` when it is first called.

    Parameters
    ----------
    function : callable
    fastmath : bool, default=False
        Let sums be reordered, so that loops over contiguous slices use vector instructions.
    entry : bool, default=False
        Keep the result on disk, with all it calls: for functions that Python calls.
    """
    if function is None:
        return lambda function: compiled(function, fastmath=fastmath, entry=entry)
    options = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        return numba.njit(cache=entry, **options)(function)
    except RuntimeError:
        # numba found no writable cache directory: every process compiles for itself.
        return numba.njit(**options)(function)
