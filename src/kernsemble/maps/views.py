"""Views: functions that transform rows before a member uses them.

Members that compute distances use views that put all columns on one scale.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

# Largest absolute value of a scaled column, which distant values approach.
SQUEEZE = 4.0
# Before the scale is computed, values are cut this many interquartile ranges beyond the quartiles.
FENCE = 3.0
# Largest number of values per column whose ranks are stored.
MAX_KNOTS = 1000


class View(Protocol):
    """A fitted function from rows to transformed rows."""

    def __call__(self, X: Any) -> Any: ...


class UnchangedView(NamedTuple):
    """The rows as they are."""

    def __call__(self, X):
        return X


class ProjectedView(NamedTuple):
    """Rows multiplied by a matrix of shape (n_features, n_columns)."""

    matrix: np.ndarray

    def __call__(self, X):
        return safe_sparse_dot(X, self.matrix, dense_output=True)


class TransformedView(NamedTuple):
    """Rows transformed by a fitted scikit-learn transformer."""

    transformer: Any

    def __call__(self, X):
        return self.transformer.transform(X)


class ScaledView(NamedTuple):
    """Columns with centre 0 and scale 1, in which distant values are smoothly compressed.

    Attributes
    ----------
    kept : ndarray of int
        Columns that vary.
    centre, scale : ndarray of shape (n_kept,)
    """

    kept: np.ndarray
    centre: np.ndarray
    scale: np.ndarray

    def __call__(self, X):
        Z = (X[:, self.kept].astype(np.float64) - self.centre) / self.scale
        # The square of a very large value would overflow, but hypot does not.
        return Z / np.hypot(1.0, Z / SQUEEZE)


class RankView(NamedTuple):
    """Columns replaced by their ranks among the training rows, with mean 0 and variance about 1.

    Attributes
    ----------
    kept : ndarray of int
        Columns that vary.
    values, ranks : list of ndarray
        Knots of the piecewise linear function from values to ranks, for each column.
    """

    kept: np.ndarray
    values: list
    ranks: list

    def __call__(self, X):
        Z = np.empty((X.shape[0], len(self.kept)))
        for j, column in enumerate(self.kept):
            Z[:, j] = np.interp(X[:, column], self.values[j], self.ranks[j])
        return Z


class MetricView(NamedTuple):
    """Columns of another view, each multiplied by a factor.

    Attributes
    ----------
    view : ScaledView or RankView
    stretch : ndarray of shape (n_kept,)
    """

    view: Any
    stretch: np.ndarray

    def __call__(self, X):
        return self.view(X) * self.stretch


def fit_scaled_view(X):
    """Return the `ScaledView` of an array, whose scales are not affected by outliers.

    The mean and standard deviation are those of each column cut at three interquartile ranges
    beyond its quartiles. A column whose interquartile range is 0, such as an indicator of few rows,
    is not cut. Without outliers this is the usual standardisation.
    """
    kept = _varying(X)
    X = X[:, kept].astype(np.float64)
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    reach = FENCE * (high - low)
    cut = reach > 0
    X[:, cut] = np.clip(X[:, cut], (low - reach)[cut], (high + reach)[cut])
    centre = X.mean(axis=0)
    # Squares of very large numbers would overflow, but squares of the ratios do not.
    span = np.abs(X - centre).max(axis=0)
    span[span == 0.0] = 1.0
    scale = span * np.sqrt(np.mean(((X - centre) / span) ** 2, axis=0))
    scale[scale == 0.0] = 1.0
    return ScaledView(kept, centre, scale)


def fit_rank_view(X):
    """Return the `RankView` of an array, in which equal values have the mean of their ranks."""
    kept = _varying(X)
    values, ranks = [], []
    for column in kept:
        distinct, counts = np.unique(X[:, column].astype(np.float64), return_counts=True)
        middle = (np.cumsum(counts) - 0.5 * counts) / len(X)
        if len(distinct) > MAX_KNOTS:
            some = np.linspace(0, len(distinct) - 1, MAX_KNOTS).round().astype(int)
            distinct, middle = distinct[some], middle[some]
            counts = np.ones_like(counts[some])
        spread = np.sqrt(np.average((middle - 0.5) ** 2, weights=counts))
        values.append(distinct)
        ranks.append((middle - 0.5) / (spread or 1.0))
    return RankView(kept, values, ranks)


def _varying(X):
    """Return the columns that have more than one value, or all columns if none has."""
    varying = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
    return varying if varying.size else np.arange(X.shape[1])
