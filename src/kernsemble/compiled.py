"""The decorator `compiled`, with which trees, distances and games of features are compiled."""

import gc
import os
from contextlib import contextmanager, suppress
from functools import wraps
from threading import Lock

_loading = Lock()


@contextmanager
def _no_garbage_collection():
    """Switch the garbage collector off while numba or compiled code is loaded.

    numba creates about a million objects that stay, and every collection would examine all of them.
    """
    with _loading:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was_enabled:
                gc.enable()


with _no_garbage_collection():
    import numba

    from .code_cache import CheckedCache


def compiled(function=None, *, fastmath=False, entry=False, inline="never"):
    """Compile `function` when it is first called; the compiled code releases the GIL.

    Parameters
    ----------
    function : callable
    fastmath : bool, default=False
        Whether sums may be reordered, so that loops over contiguous slices use vector instructions.
    entry : bool, default=False
        Whether to keep the compiled code on disk, together with all functions it calls. Set it for
        the functions that Python calls.
    inline : {"never", "always"}, default="never"
        Whether the function becomes a part of those that call it, which saves the references that
        a call with many arrays counts.
    """
    if function is None:
        return lambda function: compiled(function, fastmath=fastmath, entry=entry, inline=inline)
    # No C code calls these functions, so they need no wrapper for it.
    options = {"fastmath": fastmath, "inline": inline, "no_cfunc_wrapper": True}
    machine = numba.njit(nogil=True, error_model="numpy", **options)(function)
    # numba returns the function itself if the variable NUMBA_DISABLE_JIT is set.
    if not entry or machine is function:
        return machine
    cache = _open_cache(function)
    if cache is not None:
        machine._cache = cache  # type: ignore[attr-defined]  # numba has no public name for it
    loaded = False

    @wraps(function)
    def call(*args):
        nonlocal loaded
        if not loaded:
            with _no_garbage_collection():
                machine.compile(tuple(numba.typeof(arg) for arg in args))
            loaded = True
        return machine(*args)

    return call


def _open_cache(function):
    """Return the cache on disk for `function`, or None if there is no folder for it."""
    try:
        cache = CheckedCache(function)
    except RuntimeError:
        # numba found no folder that it may write to, so every process compiles for itself.
        return None
    if cache.cache_path.startswith("~"):
        # Without a home directory numba creates a folder named "~" in the working directory.
        with suppress(OSError):
            os.removedirs(cache.cache_path)
        return None
    return cache
