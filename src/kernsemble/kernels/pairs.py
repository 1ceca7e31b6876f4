"""Two sets of rows and what kernels ask about every pair: inner products and distances."""

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from .blocks import for_each_block, row_blocks

__all__ = ["Pairs", "Rows", "pair_up"]


class Rows:
    """The rows of a table with their centred copy and squared norms, each computed once.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_rows, n_features)
    centre : ndarray of shape (n_features,), default=None
        Subtracted before distances are computed. |x|² + |y|² - 2xy loses digits when the data lie
        far from the origin, and distances do not change when both sides move. Sparse rows stay
        where they are, and then so must the rows they are paired with.
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

    def __getitem__(self, rows):
        """Return a slice of the rows; what is already computed is sliced along."""
        part = Rows(self.X[rows], self.centre)
        for name in ("centred", "squared_norms"):
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name][rows]
        return part


class Pairs:
    """All pairs (x, y) with x a row of `X` and y a row of `Y`.

    Each statistic is computed on first use and kept, so any number of kernels evaluated on the
    same pairs share one inner-product and one distance matrix. The returned arrays are shared:
    a kernel must not write into them.

    Parameters
    ----------
    x, y : Rows
        The two sides, with the same `centre`.
    same_rows : bool, default=False
        Whether the first rows of `y` are the rows of `x`, in order. Their distances are then
        exactly zero rather than zero up to rounding.
    """

    def __init__(self, x, y, *, same_rows=False):
        self.x = x
        self.y = y
        self.same_rows = same_rows
        self._kept = {}

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
        """Return x·y, of shape (n_x, n_y)."""
        return self._statistic("inner products")

    def squared_distances(self):
        """Return |x - y|², of shape (n_x, n_y)."""
        return self._statistic("squared distances")

    def distances(self, p=2.0):
        """Return the l_p distance of x and y, of shape (n_x, n_y)."""
        return self._statistic("distances" if p == 2 else p)

    def block(self, rows, columns):
        """Return the pairs of some rows and columns; what is already computed is sliced along."""
        same_rows = self.same_rows and rows.start == columns.start
        part = Pairs(self.x[rows], self.y[columns], same_rows=same_rows)
        part._kept = {name: values[rows, columns] for name, values in self._kept.items()}
        return part

    def keep_for(self, kernel):
        """Compute the statistics that `kernel` asks for, so that blocks need not."""
        probe = self.block(slice(0, 1), slice(0, 1))
        kernel._gram(probe)
        for name in probe._kept:
            self._statistic(name)

    def _statistic(self, name):
        if name not in self._kept:
            self._kept[name] = self._compute(name)
        return self._kept[name]

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
        _ = x.squared_norms, y.squared_norms  # computed here rather than by every thread

        def write(rows):
            part = squared[rows]
            part[...] = safe_sparse_dot(x.centred[rows], y.centred.T, dense_output=True)
            part *= -2.0
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
            return manhattan_distances(X, Y).astype(X.dtype, copy=False)
        X = X.toarray() if sparse.issparse(X) else X
        Y = Y.toarray() if sparse.issparse(Y) else Y
        metric = {"metric": "cityblock"} if p == 1 else {"metric": "minkowski", "p": p}
        return cdist(X, Y, **metric).astype(X.dtype, copy=False)


def pair_up(X, Y=None):
    """Return the pairs of the rows of `X` with those of `Y`, by default with themselves."""
    is_sparse = sparse.issparse(X) or sparse.issparse(Y)
    centre = None if is_sparse else (X if Y is None else Y).mean(axis=0)
    x = Rows(X, centre)
    return Pairs(x, x if Y is None else Rows(Y, centre), same_rows=Y is None)
