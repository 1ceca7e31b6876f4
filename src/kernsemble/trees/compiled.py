"""The one way functions are compiled: without the GIL, and kept on disk where there is a place."""

import gc
from contextlib import contextmanager
from functools import wraps
from threading import Lock

__all__ = ["compiled"]

_loading = Lock()


@contextmanager
def _no_collection():
    """Look for no garbage: numba brings a million objects that stay, and each look passes them."""
    with _loading:
        collecting = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collecting:
                gc.enable()


with _no_collection():
    import numba


def compiled(function=None, *, fastmath=False, entry=False):
    """Compile `function` when it is first called.

    Parameters
    ----------
    function : callable
    fastmath : bool, default=False
        Let sums be reordered, so that loops over contiguous slices use vector instructions.
    entry : bool, default=False
        Keep the result on disk, with all it calls: for functions that only Python calls.
    """
    if function is None:
        return lambda function: compiled(function, fastmath=fastmath, entry=entry)
    options = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    if not entry:
        return numba.njit(**options)(function)
    try:
        machine = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # numba found no writable cache directory: every process compiles for itself.
        machine = numba.njit(**options)(function)

    loaded = False

    @wraps(function)
    def call(*args):
        nonlocal loaded
        if not loaded:
            with _no_collection():
                machine.compile(tuple(numba.typeof(arg) for arg in args))
            loaded = True
        return machine(*args)

    return call
