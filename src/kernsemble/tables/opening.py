"""The arguments of `fit` → a table."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from .base import MemoryTable
from .copies import Merged, find_copies
from .dask_table import DaskTable, is_dask
from .stream import StreamTable
from .weights import check_weights, find_kept, weigh


def is_chunked(X, y=None):
    """Return whether the data are a dask collection, or an iterable of chunks without `y`.

    Parameters
    ----------
    X : object
        The rows, or chunks of rows and labels, that a user passes to `fit`.
    y : object, default=None
        The labels; None if every chunk has its own.

    Returns
    -------
    chunked : bool
        Whether the rows come in chunks.
    """
    if is_dask(X):
        return True
    if y is not None or hasattr(X, "shape") or hasattr(X, "__array__"):
        return False
    if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__iter__"):
        return False
    # A list of chunks holds tuples of arrays; any other list is an array-like of numbers.
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], tuple) and len(getattr(X[0][0], "shape", ())) == 2
    return True


def open_memory(
    X,
    y,
    sample_weight=None,
    *,
    class_weight=None,
    classes=None,
    columns=None,
    may_scale=True,
    merge=False,
):
    """Return the table of validated rows with their labels.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Rows of weight zero are left out.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights by class; "balanced" means the same sum for every class.
    classes : ndarray, default=None
        Sorted labels of all classes, needed if `y` may lack some of them.
    columns : Columns, default=None
        What the columns of `X` hold; None means numbers, none of them missing.
    may_scale : bool, default=True
        Whether weights far from one may be scaled; not where other rows will follow.
    merge : bool, default=False
        Whether equal rows of a class, and whole-number weights, become copies of one row.

    Returns
    -------
    table : MemoryTable
        The rows with codes of their classes and their weights.
    """
    check_classification_targets(y)
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, X)
        kept = find_kept(sample_weight, y)
        if not kept.all():
            # Rows of weight zero must not be drawn as landmarks or subsets, or affect scales.
            X, y, sample_weight = X[kept], y[kept], sample_weight[kept]
    if classes is None:
        classes, codes = np.unique(y, return_inverse=True)
    else:
        codes = _known_codes(y, classes)
    copies = find_copies(X, codes, sample_weight) if merge else None
    if sample_weight is not None or class_weight is not None:
        by_class = class_weight, copies is not None
        sample_weight = weigh(sample_weight, codes, classes, *by_class, may_scale)
    if copies is None:
        return MemoryTable(X, codes, classes, sample_weight, columns)
    first, number, origin = copies
    weights = number if sample_weight is None else np.bincount(origin, sample_weight)
    return MemoryTable(
        X[first],
        codes[first],
        classes,
        weights,
        columns,
        copies=number,
        merged=Merged(origin, sample_weight),
    )


def open_chunks(X, y=None, sample_weight=None, *, class_weight=None, accept_sparse=False):
    """Return the table of chunked training data after one pass over the chunks.

    Parameters
    ----------
    X : dask array, dask data frame, or re-iterable of (X, y) or (X, y, sample_weight)
        The rows; an iterable has their labels and weights, too.
    y, sample_weight : dask collection or None, default=None
        Labels and weights of the rows; None for an iterable.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights by class; "balanced" means the same sum for every class.
    accept_sparse : bool, default=False
        Whether chunks may be CSR matrices.

    Returns
    -------
    table : DaskTable or StreamTable
        The table, which reads its chunks again in every pass.
    """
    if is_dask(X):
        return DaskTable(X, y, sample_weight, class_weight, accept_sparse)
    if iter(X) is X:
        raise TypeError(
            f"Chunks are read several times, but the iterator {X!r} can be read only once; pass an "
            "object whose __iter__ starts again, such as a list or kernsemble.tables.RowChunks."
        )
    if sample_weight is not None:
        raise TypeError(
            "sample_weight must be None if X is an iterable of chunks; pass the weights as the "
            "third entry of every chunk."
        )
    return StreamTable(X, class_weight, accept_sparse)


def _known_codes(y, classes):
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(
            f"y has labels {unknown.tolist()} that are not in classes, {classes.tolist()}."
        )
    return np.searchsorted(classes, y)
