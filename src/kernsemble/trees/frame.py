"""The form in which trees read rows: columns of mean 0 and standard deviation 1, without gaps."""

from typing import NamedTuple

import numpy as np

from .expected import Expectation, fit_expectation


class FramedRows(NamedTuple):
    """Rows as the columns of an array, in the units of a `Frame`.

    Attributes
    ----------
    columns : ndarray of shape (n_features, n_rows)
        A missing number is replaced by its expectation. A category is the code of its level, and
        one more than the largest code if it is missing.
    missing : ndarray of bool of shape (n_features, n_rows), or (n_features, 0)
        Where numbers are missing; without rows if none is.
    """

    columns: np.ndarray
    missing: np.ndarray

    @classmethod
    def complete(cls, columns):
        """Return rows of which no number is missing."""
        return cls(columns, np.zeros((len(columns), 0), dtype=bool))

    @property
    def lack_values(self):
        return self.missing.shape[1] > 0

    def take(self, rows):
        """Return the rows with the given numbers."""
        missing = np.take(self.missing, rows, axis=1) if self.lack_values else self.missing
        return FramedRows(np.take(self.columns, rows, axis=1), missing)


class Frame(NamedTuple):
    """Mean and standard deviation of every training column, and what its missing values are worth.

    The bisector of two planes depends on the units of the columns. In these units a forest does not
    depend on the units of the data, and rows far from the origin lose no digits.

    Attributes
    ----------
    centre, scale : ndarray of shape (n_features,)
        0 and 1 for a column of categories.
    n_levels : ndarray of int of shape (n_features,)
        Number of levels of each column; 0 means that it holds numbers.
    expectation : Expectation or None
        What missing numbers are expected to be; None means the mean of the column.
    """

    centre: np.ndarray
    scale: np.ndarray
    n_levels: np.ndarray
    expectation: Expectation | None = None

    def __call__(self, X):
        """Return the `FramedRows` of X, an array of shape (n_samples, n_features)."""
        columns = np.array(X.T, dtype=np.float64, order="C")
        columns -= self.centre[:, None]
        columns /= self.scale[:, None]
        for j in np.flatnonzero(self.n_levels):
            known = (columns[j] >= 0) & (columns[j] < self.n_levels[j])
            columns[j] = np.where(known, columns[j], self.n_levels[j])
        # The sum is NaN if one of its terms is, and takes less time than looking at each of them.
        if not np.isnan(columns.sum()):
            return FramedRows.complete(columns)
        missing = np.isnan(columns)
        columns[missing] = 0.0
        if self.expectation is not None:
            self.expectation.fill(columns, missing)
        return FramedRows(columns, missing)


def fit_frame(X, sample_weight=None, n_levels=None):
    """Return the frame of the rows of X, an array of shape (n_samples, n_features).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    sample_weight : ndarray of shape (n_samples,), default=None
    n_levels : ndarray of int of shape (n_features,), default=None
        Number of levels of each column; None means that all columns hold numbers.
    """
    X = np.asarray(X, dtype=np.float64)
    n_levels = np.zeros(X.shape[1], dtype=np.int64) if n_levels is None else n_levels
    lacks_values = bool(np.isnan(X[:, n_levels == 0]).any())
    centre, scale = _units(np.ma.masked_invalid(X) if lacks_values else X, sample_weight)
    centre[n_levels > 0], scale[n_levels > 0] = 0.0, 1.0
    frame = Frame(centre, scale, n_levels.astype(np.int64))
    if not lacks_values:
        return frame
    numeric = np.flatnonzero(n_levels == 0)
    columns, missing = frame(X)
    return frame._replace(expectation=fit_expectation(columns, missing, numeric, sample_weight))


def _units(X, sample_weight):
    """Return the mean and the standard deviation of every column; X may be a masked array."""
    average = np.ma.average if np.ma.isMaskedArray(X) else np.average
    centre = np.ma.filled(average(X, axis=0, weights=sample_weight), 0.0)
    # The squares of very large numbers would overflow; the squares of these ratios do not.
    reach = np.ma.filled(np.abs(X - centre).max(axis=0), 0.0)
    reach[reach == 0.0] = 1.0
    squares = average(((X - centre) / reach) ** 2, axis=0, weights=sample_weight)
    scale = reach * np.sqrt(np.ma.filled(squares, 0.0))
    # A column that varies only by rounding is constant.
    scale[scale <= 1e-14 * np.abs(centre)] = 1.0
    scale[scale == 0.0] = 1.0
    return centre, scale
