"""What a user passes to `fit` → a table, when it is not in memory."""

from .dask_table import DaskTable, is_dask
from .stream import StreamTable

__all__ = ["is_chunked", "open_table"]


def is_chunked(X, y=None):
    """Whether training data are a dask collection, or an iterable of chunks without a `y`."""
    if is_dask(X):
        return True
    if y is not None or hasattr(X, "shape") or hasattr(X, "__array__"):
        return False
    if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__iter__"):
        return False
    # An array-like of numbers has no tuples of tables in it.
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], tuple) and len(getattr(X[0][0], "shape", ())) == 2
    return True


def open_table(X, y=None, sample_weight=None, *, accept_sparse=False):
    """Return the table of chunked training data, after one pass over them.

    Parameters
    ----------
    X : dask array, dask data frame, or re-iterable of (X, y) or (X, y, sample_weight)
    y, sample_weight : dask collections, or None for an iterable
    accept_sparse : bool

    Returns
    -------
    ChunkedTable
        It needs `set_targets` before its rows can be read.
    """
    if is_dask(X):
        return DaskTable(X, y, sample_weight, accept_sparse)
    if iter(X) is X:
        raise TypeError(
            "Chunks are read several times, and an iterator only once: pass an object whose "
            f"__iter__ starts anew, such as a list or kernsemble.tables.RowChunks, got {X!r}."
        )
    if sample_weight is not None:
        raise TypeError("With chunks, sample_weight is the third entry of every chunk.")
    return StreamTable(X, accept_sparse)
