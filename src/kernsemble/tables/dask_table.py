"""Tables of dask arrays and data frames, on which functions run where the chunks are."""

import sys

import numpy as np

from .base import add_all
from .chunks import ChunkedTable, find_facts
from .cluster import active_client, check_cluster, result_of

# Number of terms that one task adds.
FAN_IN = 8


def is_dask(X):
    """Return whether `X` is a dask collection.

    Parameters
    ----------
    X : object
        The rows that a user passes.

    Returns
    -------
    is_dask : bool
        Whether dask computes them.
    """
    return "dask" in sys.modules and hasattr(X, "__dask_graph__")


class DaskTable(ChunkedTable):
    """A table whose parts are the chunks of dask collections.

    Every call is one graph with a task per chunk, a tree of sums, and one result that is sent back.
    The states of a scan stay on the workers. Every pass computes the chunks again from their
    source; call `persist` on the collections if they fit into the memory of the cluster.
    """

    def __init__(self, X, y, sample_weight, class_weight, accept_sparse):
        _check_numbers(X)
        client = active_client()
        if client is not None:
            check_cluster(client)
        self.chunks = _row_chunks(X, y, sample_weight)
        facts = _compute([_delayed(find_facts)(*chunk, accept_sparse) for chunk in self.chunks])
        super().__init__(facts, class_weight, accept_sparse)

    def _parts(self, function, args, places=None, states=None):
        """Return the delayed results of the function for all parts or those at `places`."""
        from dask import delayed

        # The arguments that all parts share are one task, so they are sent only once.
        given = delayed((self.reader, function, args), traverse=False)
        run = _delayed(_run if states is None else _run_with_state)
        parts = range(len(self.places)) if places is None else places
        return [
            run(
                given,
                int(self.starts[part]),
                *self.chunks[self.places[part]],
                *(() if states is None else (states[part],)),
            )
            for part in parts
        ]

    def total(self, function, *args):
        return _compute([_tree_sum(self._parts(function, args))])[0]

    def scan(self, function, states, *args):
        from dask import persist

        states = [None] * len(self.places) if states is None else states
        pairs = self._parts(function, args, states=states)
        total = _tree_sum([_delayed(_first)(pair) for pair in pairs])
        *states, total = persist(*[_delayed(_second)(pair) for pair in pairs], total)
        client = active_client()
        if client is None:
            return total.compute(), states
        (future,) = client.futures_of(total)
        return result_of(client, future), states

    def gather(self, function, *args, finish=None, places=None):
        parts = self._parts(function, args, places)
        if finish is None:
            return _compute(parts)
        return _compute([_delayed(finish)(parts)])[0]


def _check_numbers(X):
    """Raise an error that names the columns of a data frame that are no numbers."""
    if not hasattr(X, "columns"):
        return
    kinds = {name: getattr(dtype, "kind", "O") for name, dtype in X.dtypes.items()}
    others = [str(name) for name, kind in kinds.items() if kind not in "biuf"]
    if others:
        raise TypeError(
            f"Columns {', '.join(others)} of the dask data frame hold no numbers, and levels that "
            "are spread over chunks have no common codes. Encode them, for example with "
            "dask.dataframe.get_dummies, or pass X.compute() and y.compute() if they fit into "
            "memory."
        )


def lazily(method, X, dtype, n_columns):
    """Return a lazy dask array with the results of `method` for the chunks of `X`.

    Parameters
    ----------
    method : callable
        Function from rows to an array of shape (n_rows,) or (n_rows, n_columns).
    X : dask array or data frame
        The rows.
    dtype : dtype
        Data type of the result.
    n_columns : int or None
        Number of columns of the result; None means a result of one dimension.

    Returns
    -------
    results : dask array of shape (n_rows,) or (n_rows, n_columns)
        Computed when it is asked for.
    """
    import dask.array as da
    from dask import delayed

    if hasattr(X, "columns"):
        # Partitions keep the names of their columns, but their lengths are unknown.
        shape = (np.nan,) if n_columns is None else (np.nan, n_columns)
        run = delayed(method, traverse=False)
        return da.concatenate(
            [da.from_delayed(run(part), shape, dtype=dtype) for part in X.to_delayed()]
        )
    X = X.rechunk({1: -1})
    meta = np.empty((0,) * (1 if n_columns is None else 2), dtype=dtype)
    if n_columns is None:
        return X.map_blocks(method, dtype=dtype, drop_axis=1, meta=meta)
    return X.map_blocks(method, dtype=dtype, chunks=(X.chunks[0], (n_columns,)), meta=meta)


def _delayed(function):
    from dask import delayed

    return delayed(function, pure=False)


def _compute(values):
    """Return the results of delayed values, computed on the cluster if there is one."""
    client = active_client()
    if client is None:
        import dask

        return list(dask.compute(*values))
    return [result_of(client, future) for future in client.compute(values)]


def _tree_sum(terms):
    while len(terms) > 1:
        terms = [
            _delayed(add_all)(terms[first : first + FAN_IN])
            for first in range(0, len(terms), FAN_IN)
        ]
    return terms[0]


def _run(given, start, X, y, sample_weight):
    reader, function, args = given
    return function(reader(start, X, y, sample_weight), *args)


def _run_with_state(given, start, X, y, sample_weight, state):
    reader, function, args = given
    return function(reader(start, X, y, sample_weight), state, *args)


def _first(pair):
    return pair[0]


def _second(pair):
    return pair[1]


def _row_chunks(X, y, sample_weight):
    """Return a delayed (X, y, sample_weight) for every chunk of rows."""
    if y is None:
        raise ValueError(
            "y must be given if X is a dask collection, got None; pass the labels as a dask "
            "collection with the chunks of X."
        )
    parts = _delayed_rows(X, "X", None)
    columns = [parts, _delayed_rows(y, "y", X)]
    if sample_weight is None:
        columns.append([None] * len(parts))
    else:
        columns.append(_delayed_rows(sample_weight, "sample_weight", X))
    for name, column in zip(("y", "sample_weight"), columns[1:]):
        if len(column) != len(parts):
            raise ValueError(
                f"{name} must have as many chunks as X, got {len(column)} and {len(parts)}; "
                "repartition one of them."
            )
    return list(zip(*columns))


def _delayed_rows(values, name, X):
    import dask.array as da

    if not is_dask(values):
        if not hasattr(X, "chunks") or np.isnan(X.chunks[0]).any():
            raise TypeError(f"{name} must be a dask collection like X, got {type(values)}.")
        values = da.from_array(np.asarray(values), chunks=(X.chunks[0],))
    if not hasattr(values, "chunks"):
        return values.to_delayed()
    if X is None:
        values = values.rechunk({1: -1}) if values.ndim == 2 else values
    elif hasattr(X, "chunks") and not np.isnan(X.chunks[0]).any():
        if len(values) != len(X):
            raise ValueError(f"{name} must have as many rows as X, {len(X)}, got {len(values)}.")
        values = values.rechunk({0: X.chunks[0]})
    return list(values.to_delayed().ravel())
