"""Views: functions from rows to the rows that a member sees.

A view that puts the columns on one scale comes before distances are taken.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

__all__ = [
    "MetricView",
    "ProjectedView",
    "RankView",
    "ScaledView",
    "TransformedView",
    "View",
    "fit_rank_view",
    "fit_scaled_view",
    "unchanged",
]

# Distance from the centre, in standard deviations, at which values begin to be squeezed.
SQUEEZE = 4.0
# Quartile ranges beyond the quartiles where a value no longer counts for the scale.
FENCE = 3.0
# Values of a column whose ranks are remembered.
MAX_KNOTS = 1000


class View(Protocol):
    """A fitted function from rows to the rows that a member sees."""

    def __call__(self, X: Any) -> Any: ...


def unchanged(X):
    """Return the rows as they are, the plainest view."""
    return X


class ProjectedView(NamedTuple):
    """Rows times a matrix.

    Attributes
    ----------
    matrix : ndarray of shape (n_features, n_columns)
    """

    matrix: np.ndarray

    def __call__(self, X):
        return safe_sparse_dot(X, self.matrix, dense_output=True)


class TransformedView(NamedTuple):
    """Rows as a fitted scikit-learn transformer returns them.

    Attributes
    ----------
    transformer : transformer
    """

    transformer: Any

    def __call__(self, X):
        return self.transformer.transform(X)


class ScaledView(NamedTuple):
    """Columns with centre 0 and scale 1; far values are squeezed together, smoothly.

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
        # hypot rather than a square: the square of a very large value would overflow.
        return Z / np.hypot(1.0, Z / SQUEEZE)


class RankView(NamedTuple):
    """Columns replaced by their ranks among the training rows, with mean 0 and variance near 1.

    Attributes
    ----------
    kept : ndarray of int
        Columns that vary.
    values, ranks : list of ndarray
        Knots of the map from values to ranks, per column; between them it is linear.
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
    """Columns of another view, stretched.

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
    """Return the view whose scales outliers do not move.

    The mean and standard deviation are those of each column cut at three quartile ranges beyond its
    quartiles; a column without a quartile range, like an indicator of few rows, is not cut. Without
    outliers this is the usual standardisation.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    """
    kept = _varying(X)
    X = X[:, kept].astype(np.float64)
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    reach = FENCE * (high - low)
    cut = reach > 0
    X[:, cut] = np.clip(X[:, cut], (low - reach)[cut], (high + reach)[cut])
    centre = X.mean(axis=0)
    # Squares of very large numbers would overflow, those of the ratios do not.
    span = np.abs(X - centre).max(axis=0)
    span[span == 0.0] = 1.0
    scale = span * np.sqrt(np.mean(((X - centre) / span) ** 2, axis=0))
    scale[scale == 0.0] = 1.0
    return ScaledView(kept, centre, scale)


def fit_rank_view(X):
    """Return the view of ranks; equal values share the mean of their ranks."""
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
    """Return the columns that hold more than one value; all when none does."""
    varying = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
    return varying if varying.size else np.arange(X.shape[1])
