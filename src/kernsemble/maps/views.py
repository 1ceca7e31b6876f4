"""Views: functions that transform rows before a member uses them.

Members that compute distances use views that put all columns on one scale.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
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


class SeenRows:
    """Rows as views show them, each view computed once.

    A view that is made of other views has a method `through`, which takes what these show.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
    """

    def __init__(self, X):
        self.X = X
        self._shown: dict[int, Any] = {}

    def __call__(self, view):
        """Return the rows as a view shows them, or as they are if it is None."""
        if view is None:
            return self.X
        if id(view) not in self._shown:
            composed = hasattr(view, "through")
            self._shown[id(view)] = view.through(self) if composed else view(self.X)
        return self._shown[id(view)]


class UnchangedView(NamedTuple):
    """The rows as they are."""

    def __call__(self, X):
        return X

    def restore(self, Z, like):
        """Return rows that the view shows as `Z`; what it does not show is that of `like`."""
        return Z


class ColumnsView(NamedTuple):
    """Some columns of the rows.

    Attributes
    ----------
    kept : ndarray of int
    """

    kept: np.ndarray

    def __call__(self, X):
        return X[:, self.kept]


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

    A missing value is the centre of its column, as in all views.

    Attributes
    ----------
    kept : ndarray of int
        Columns that vary.
    centre, scale : ndarray of shape (n_kept,)
        A column of infinite scale becomes 0.
    keeps_type : bool
        Whether float32 rows stay float32; otherwise the result is float64.
    """

    kept: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    keeps_type: bool = False

    def __call__(self, X):
        dense = X.toarray() if sparse.issparse(X) else X
        Z = (dense[:, self.kept].astype(np.float64) - self.centre) / self.scale
        Z = np.nan_to_num(_squeezed(Z), copy=False)
        return Z.astype(X.dtype, copy=False) if self.keeps_type else Z

    def restore(self, Z, like):
        """Return rows that the view shows as `Z`; columns it leaves out are those of `like`."""
        rows = np.tile(np.asarray(like, dtype=np.float64), (len(Z), 1))
        # Values at the edge came from far outside; how far cannot be said any more.
        share = np.clip(Z / SQUEEZE, -1.0 + 1e-9, 1.0 - 1e-9)
        # A constant column has infinite scale; the view shows it as 0.
        scale = np.where(np.isfinite(self.scale), self.scale, 0.0)
        rows[:, self.kept] = Z / np.sqrt(1.0 - share**2) * scale + self.centre
        return rows


class SparseScaledView(NamedTuple):
    """Columns divided by their scale, with zeros kept, and distant values smoothly compressed.

    Attributes
    ----------
    scale : ndarray of shape (n_features,)
    """

    scale: np.ndarray

    def __call__(self, X):
        if not sparse.issparse(X):
            return _squeezed(X / self.scale).astype(X.dtype, copy=False)
        Z = X.astype(np.float64)
        Z.data = _squeezed(Z.data / self.scale[Z.indices])
        return Z.astype(X.dtype, copy=False)


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
        # Column by column in memory too, as the rows of other views are.
        Z = np.empty((X.shape[0], len(self.kept)), order="F")
        for j, column in enumerate(self.kept):
            Z[:, j] = np.interp(X[:, column], self.values[j], self.ranks[j])
        return np.nan_to_num(Z, copy=False)

    def __repr__(self):
        sizes = [len(values) for values in self.values]
        shown = ", ".join(map(str, [*sizes[:3], "…", *sizes[-3:]] if len(sizes) > 6 else sizes))
        return f"RankView({len(sizes)} columns; knots: {shown})"


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
        return self.through(SeenRows(X))

    def through(self, seen):
        """Return the rows that this view shows, given as `SeenRows`."""
        return seen(self.view) * self.stretch


def fit_scaled_view(X, sample_weight=None, *, keep_columns=False):
    """Return the `ScaledView` of an array, whose scales are not affected by outliers.

    The mean and standard deviation are those of each column cut at three interquartile ranges
    beyond its quartiles. A column whose interquartile range is 0, such as an indicator of few rows,
    is not cut. Without outliers this is the usual standardisation. A row of weight two counts as
    two rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    sample_weight : ndarray of shape (n_rows,), default=None
    keep_columns : bool, default=False
        Whether the view has all columns and the type of the rows. Otherwise constant columns are
        left out, and the result is float64.
    """
    kept = np.arange(X.shape[1]) if keep_columns else _varying(X)
    X = X[:, kept].astype(np.float64)
    low, high = weighted_quantiles(X, sample_weight, [0.25, 0.75])
    reach = FENCE * (high - low)
    cut = reach > 0
    X[:, cut] = np.clip(X[:, cut], (low - reach)[cut], (high + reach)[cut])
    # The mean of equal numbers may differ from them in the last digit.
    first = X[0].copy()
    centre = first + np.average(X - first, axis=0, weights=sample_weight)
    # Squares of very large numbers would overflow, but squares of the ratios do not.
    span = np.abs(X - centre).max(axis=0)
    constant = span == 0.0
    span[constant] = 1.0
    ratios = ((X - centre) / span) ** 2
    scale = span * np.sqrt(np.average(ratios, axis=0, weights=sample_weight))
    scale[constant] = np.inf if keep_columns else 1.0
    return ScaledView(kept, centre, scale, keep_columns)


def fit_sparse_view(X, sample_weight=None, *, keep_columns=True):
    """Return the `SparseScaledView` of a CSR matrix: scales are median sizes of the entries.

    Zeros are not counted, so that a rare column has the same scale as a frequent one, and an
    indicator stays as it is.
    """
    X = X.tocsc()
    scale = np.ones(X.shape[1])
    for column in range(X.shape[1]):
        own = slice(X.indptr[column], X.indptr[column + 1])
        sizes = np.abs(X.data[own]).astype(np.float64)
        filled = sizes > 0
        if filled.any():
            weights = None if sample_weight is None else sample_weight[X.indices[own]][filled]
            scale[column] = weighted_quantiles(sizes[filled, None], weights, [0.5])[0, 0]
    return SparseScaledView(scale)


def weighted_quantiles(X, sample_weight, shares):
    """Return quantiles of the columns, for which a row of weight two counts as two rows."""
    return np.quantile(X, shares, axis=0, weights=sample_weight, method="inverted_cdf")


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


def _squeezed(Z):
    # The square of a very large value would overflow, but hypot does not.
    return Z / np.hypot(1.0, Z / SQUEEZE)


def _varying(X):
    """Return the columns that have more than one value, or all columns if none has."""
    varying = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
    return varying if varying.size else np.arange(X.shape[1])
