"""Inner products and distances of all pairs from two sets of rows."""

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from .blocks import for_each_block, row_blocks

# Compiled code is several times faster than SciPy's, but has to be loaded first: from this many
# differences on it is worth that.
MANY_VALUES = 1 << 20


class Rows:
    """Rows with their centred copy and squared norms, each computed on first use and stored.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_rows, n_features)
    centre : ndarray of shape (n_features,), default=None
        Subtracted from the rows before distances are computed, because |x|² + |y|² - 2xy loses
        digits if the data lie far from the origin. Distances do not change if both sides have
        the same centre. Sparse rows are not centred, and neither are rows paired with them.
    """

    def __init__(self, X, centre=None):
        self.X = X
        self.centre = centre

    @cached_property
    def centred(self):
        return self.X if self.centre is None else self.X - self.centre

    @cached_property
    def squared_norms(self):
        return row_norms(self.centred, squared=True)

    def on_columns(self, columns):
        """Return the rows with only some of the columns, by their positions."""
        return Rows(self.X[:, columns], None if self.centre is None else self.centre[columns])

    def __getitem__(self, rows):
        """Return a slice of the rows, together with the values that are already computed."""
        part = Rows(self.X[rows], self.centre)
        for name in ("centred", "squared_norms"):
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name][rows]
        return part


class Pairs:
    """All pairs (x, y) of a row x of `X` and a row y of `Y`.

    Each statistic is computed on first use and stored, so all kernels that are evaluated on the
    same pairs share one matrix of inner products and one of distances. A kernel must not write
    into the arrays that the methods return.

    Parameters
    ----------
    x, y : Rows
        The two sides, with the same `centre`.
    same_rows : bool, default=False
        Whether the first rows of `y` are the rows of `x`, in the same order. The distance of a
        row to itself is then exactly zero.
    """

    def __init__(self, x, y, *, same_rows=False):
        self.x = x
        self.y = y
        self.same_rows = same_rows
        self._stored = {}
        self._narrowed = {}

    @property
    def X(self):
        return self.x.X

    @property
    def Y(self):
        return self.y.X

    @property
    def shape(self):
        return self.X.shape[0], self.Y.shape[0]

    def inner_products(self):
        """Return x·y, an array of shape (n_x, n_y)."""
        return self._statistic("inner products")

    def squared_distances(self):
        """Return |x - y|², an array of shape (n_x, n_y)."""
        return self._statistic("squared distances")

    def distances(self, p=2.0):
        """Return the l_p distance of x and y, an array of shape (n_x, n_y)."""
        return self._statistic("distances" if p == 2 else p)

    def block(self, rows, columns):
        """Return the pairs of a slice of each side, with the statistics computed so far."""
        same_rows = self.same_rows and rows.start == columns.start
        part = Pairs(self.x[rows], self.y[columns], same_rows=same_rows)
        part._stored = {name: values[rows, columns] for name, values in self._stored.items()}
        return part

    def on_columns(self, columns):
        """Return the pairs of rows that have only some of the columns, by their positions.

        The answer is stored, so that kernels on the same columns share its statistics.
        """
        key = tuple(columns)
        if key not in self._narrowed:
            x = self.x.on_columns(columns)
            y = x if self.y is self.x else self.y.on_columns(columns)
            self._narrowed[key] = Pairs(x, y, same_rows=self.same_rows)
        return self._narrowed[key]

    def keep_for(self, kernel):
        """Compute and store the statistics that `kernel` uses, so that all blocks share them."""
        probe = self.block(slice(0, 1), slice(0, 1))
        kernel._gram(probe)
        for name in probe._stored:
            self._statistic(name)

    def _statistic(self, name):
        if name not in self._stored:
            self._stored[name] = self._compute(name)
        return self._stored[name]

    def _compute(self, name):
        if name == "inner products":
            return safe_sparse_dot(self.X, self.Y.T, dense_output=True)
        if name == "squared distances":
            return self._squared_distances()
        if name == "distances":
            return np.sqrt(self.squared_distances())
        return self._minkowski(p=name)

    def _squared_distances(self):
        x, y = self.x, self.y
        squared = np.empty(self.shape, dtype=np.result_type(x.X.dtype, y.X.dtype))
        # Computed here, because otherwise every thread would compute them.
        _ = x.squared_norms, y.squared_norms

        is_sparse = sparse.issparse(x.X) or sparse.issparse(y.X)

        def write(rows):
            part = squared[rows]
            if is_sparse:
                part[...] = safe_sparse_dot(x.centred[rows], y.centred.T, dense_output=True)
                part *= -2.0
            else:
                # The few values of the rows are multiplied, and not the many products.
                np.matmul(-2.0 * x.centred[rows], y.centred.T, out=part)
            part += x.squared_norms[rows, None]
            part += y.squared_norms[None, :]
            np.maximum(part, 0.0, out=part)

        n_x, n_y = self.shape
        for_each_block(write, row_blocks(n_x, n_y, squared.itemsize))
        if self.same_rows:
            np.fill_diagonal(squared[:, : squared.shape[0]], 0.0)
        return squared

    def _minkowski(self, p):
        X, Y = self.X, self.Y
        if p == 1 and sparse.issparse(X) and sparse.issparse(Y):
            return manhattan_distances(*map(_narrow_indices, (X, Y))).astype(X.dtype, copy=False)
        X = X.toarray() if sparse.issparse(X) else X
        Y = Y.toarray() if sparse.issparse(Y) else Y
        if p == 1 and X.dtype == Y.dtype == np.float64 and X.size * Y.shape[0] >= MANY_VALUES:
            return _city_block(X, Y)
        metric = {"metric": "cityblock"} if p == 1 else {"metric": "minkowski", "p": p}
        return cdist(X, Y, **metric).astype(X.dtype, copy=False)


def _city_block(X, Y):
    from .city_block import write_city_block

    distances = np.empty((X.shape[0], Y.shape[0]))
    write_city_block(np.ascontiguousarray(X.T), np.ascontiguousarray(Y.T), distances)
    return distances


def pair_up(X, Y=None):
    """Return all pairs of a row of `X` and a row of `Y`, which is `X` by default."""
    is_sparse = sparse.issparse(X) or sparse.issparse(Y)
    centre = None if is_sparse else (X if Y is None else Y).mean(axis=0)
    x = Rows(X, centre)
    return Pairs(x, x if Y is None else Rows(Y, centre), same_rows=Y is None)


def _narrow_indices(X):
    """Return sparse rows with 32-bit indices, the only ones that these distances take."""
    if X is None or X.indices.dtype == np.int32:
        return X
    parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)(parts, shape=X.shape)
