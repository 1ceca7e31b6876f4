"""Kernels that see some of the columns."""

import numpy as np

from .base import Composed


class OnColumns(Composed):
    """k(x, y) = kernel(x[columns], y[columns]), a kernel that sees some of the columns.

    Kernels on groups of columns let multiple kernel learning tell which group matters.

    Parameters
    ----------
    kernel : Kernel
        The kernel that sees the columns.
    columns : list of int or slice
        Positions of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RBF, OnColumns
    >>> X = np.array([[0.0, 1.0, 5.0], [0.0, 1.0, 9.0]])
    >>> OnColumns(RBF(0.5), [0, 1])(X)
    array([[1., 1.],
           [1., 1.]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel, columns):
        self.kernel = kernel
        self.columns = columns

    def _check(self):
        super()._check()
        if isinstance(self.columns, slice):
            return
        columns = np.asarray(self.columns)
        if columns.ndim != 1 or columns.size == 0 or columns.dtype.kind not in "iu":
            raise ValueError(
                f"columns must be positions of columns, such as [0, 2], got {self.columns!r}."
            )

    def _gram(self, pairs):
        return self.kernel._gram(pairs.on_columns(self._positions(pairs.X)))

    def _diag(self, X):
        return self.kernel._diag(X[:, self._positions(X)])

    def _positions(self, X):
        n_columns = X.shape[1]
        if isinstance(self.columns, slice):
            positions = np.arange(n_columns)[self.columns]
        else:
            positions = np.asarray(self.columns)
        if positions.size == 0 or positions.min() < 0 or positions.max() >= n_columns:
            raise ValueError(
                f"columns must be between 0 and {n_columns - 1} for rows of {n_columns} columns, "
                f"got {self.columns!r}."
            )
        return positions
