"""Columns in bins: every value becomes the number of its interval, in one byte."""

from typing import NamedTuple

import numpy as np

# Largest number of intervals of a column; one more number stands for missing values.
MAX_BINS = 128


class BinnedRows(NamedTuple):
    """Rows whose values are numbers of intervals.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (n_columns, n_rows)
        A missing value has the number of intervals of its column.
    cuts : ndarray of shape (n_columns, MAX_BINS)
        A value is in the first interval whose cut it does not exceed; unused cuts are infinite.
    n_bins : ndarray of int of shape (n_columns,)
        The number of intervals of each column.
    """

    codes: np.ndarray
    cuts: np.ndarray
    n_bins: np.ndarray

    @classmethod
    def of(cls, X):
        """Return rows in intervals that hold about equally many of them."""
        n_rows, n_columns = X.shape
        codes = np.empty((n_columns, n_rows), dtype=np.uint8)
        cuts = np.full((n_columns, MAX_BINS), np.inf)
        n_bins = np.empty(n_columns, dtype=np.int64)
        for column in range(n_columns):
            values = np.asarray(X[:, column], dtype=np.float64)
            missing = np.isnan(values)
            own = find_cuts(values[~missing])
            cuts[column, : len(own)], n_bins[column] = own, len(own) + 1
            codes[column] = np.searchsorted(own, values)
            codes[column, missing] = len(own) + 1
        return cls(codes, cuts, n_bins)

    def take(self, rows):
        """Return some of the rows."""
        return self._replace(codes=self.codes[:, rows])

    def replaced(self, columns, X):
        """Return the rows with other values, of shape (n_rows, n_replaced), in some columns."""
        if not len(columns):
            return self
        own, parts = BinnedRows.of(X), BinnedRows(*(part.copy() for part in self))
        for part, other in zip(parts, own):
            part[columns] = other
        return parts


def find_cuts(values):
    """Return the values between which intervals end, at most `MAX_BINS` - 1 of them."""
    levels = np.unique(values)
    if len(levels) > MAX_BINS:
        levels = np.unique(
            np.quantile(values, np.linspace(0.0, 1.0, MAX_BINS + 1)[1:-1], method="lower")
        )
        return levels
    # The middle between two neighbours may be rounded up to the larger one.
    middle = 0.5 * levels[:-1] + 0.5 * levels[1:]
    return np.where(middle < levels[1:], middle, levels[:-1])
