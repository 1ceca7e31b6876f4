"""Columns in bins: every value becomes the number of its interval, in one byte.

A column of many values is cut in several ways, each with the cuts between those of the others, and
trees that follow each other use them in turn. Together they know a threshold as exactly as several
times as many bins would tell it, at the cost of few.
"""

from typing import NamedTuple

import numpy as np

# Largest number of intervals of a column; one more number stands for missing values.
MAX_BINS = 128
# Number of ways in which columns of more values than that are cut.
N_GRIDS = 4


class BinnedRows(NamedTuple):
    """Rows whose values are numbers of intervals.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (n_grids, n_columns, n_rows)
        A missing value has the number of intervals of its column.
    cuts : ndarray of shape (n_grids, n_columns, MAX_BINS)
        A value is in the first interval whose cut it does not exceed; unused cuts are infinite.
    n_bins : ndarray of int of shape (n_grids, n_columns)
        The number of intervals of each column.
    """

    codes: np.ndarray
    cuts: np.ndarray
    n_bins: np.ndarray

    @classmethod
    def of(cls, X, sample=slice(None)):
        """Return rows in intervals; there is one grid if no column has many values.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
        sample : slice or ndarray of int, default=slice(None)
            Numbers of the rows whose values are cut.
        """
        n_rows, n_columns = X.shape
        codes = np.empty((N_GRIDS, n_columns, n_rows), dtype=np.uint8)
        cuts = np.full((N_GRIDS, n_columns, MAX_BINS), np.inf)
        n_bins = np.empty((N_GRIDS, n_columns), dtype=np.int64)
        most = 1
        for column in range(n_columns):
            values = np.asarray(X[:, column], dtype=np.float64)
            missing = np.isnan(values)
            grids = find_cuts(values[sample][~missing[sample]])
            most = max(most, len(grids))
            # One search among the cuts of all grids tells the interval of every grid.
            every = np.unique(np.concatenate(grids))
            places = np.searchsorted(every, values)
            for grid in range(N_GRIDS):
                own = grids[min(grid, len(grids) - 1)]
                cuts[grid, column, : len(own)], n_bins[grid, column] = own, len(own) + 1
                if grid < len(grids):
                    below = np.searchsorted(own, every).astype(np.uint8)
                    codes[grid, column] = np.append(below, len(own))[places]
                    codes[grid, column, missing] = len(own) + 1
                else:
                    codes[grid, column] = codes[grid - 1, column]
        return cls(codes[:most], cuts[:most], n_bins[:most])

    def take(self, rows):
        """Return some of the rows."""
        return self._replace(codes=np.take(self.codes, rows, axis=2))

    def replaced(self, columns, X):
        """Return the rows with other values, of shape (n_rows, n_replaced), in some columns."""
        if not len(columns):
            return self
        own = BinnedRows.of(X)
        # Grids are used in turn, so that one grid stands for several equal ones.
        turn = np.arange(max(len(self.codes), len(own.codes)))
        parts = BinnedRows(*(part[turn % len(part)] for part in self))
        for part, other in zip(parts, own):
            part[:, columns] = other[turn % len(other)]
        return parts


def find_cuts(values):
    """Return for every grid the values between which intervals end, at most `MAX_BINS` - 1.

    A value counts with the square root of its number of rows: where most rows share a few values,
    bins with equally many rows would leave none for the others.
    """
    levels, counts = np.unique(values, return_counts=True)
    # The middle between two neighbours may be rounded up to the larger one.
    middle = 0.5 * levels[:-1] + 0.5 * levels[1:]
    middle = np.where(middle < levels[1:], middle, levels[:-1])
    if len(levels) <= MAX_BINS:
        return [middle]
    below = np.cumsum(np.sqrt(counts))
    shifts = (np.arange(N_GRIDS) + 0.5) / N_GRIDS - 0.5
    aims = (np.arange(1, MAX_BINS) + shifts[:, None]) / MAX_BINS * below[-1]
    return [middle[np.unique(np.searchsorted(below[:-2], own))] for own in aims]
