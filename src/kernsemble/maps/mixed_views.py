"""Views of rows with categories and missing values: numbers in which distances mean something.

Columns of numbers are scaled to variance 1, so that the squared difference of two rows is 2 in the
mean. Every other column is given coordinates in which the same holds.

- *Categories.* All pairs of levels are equally far apart, as in Gower's distance, so a level is a
  corner of a regular simplex. Its size makes the variance of the column 1: with the shares p of the
  levels, a mismatch has the squared length 2 / (1 - sum p²). Two levels of one half each are then 2
  apart, exactly as a scaled column of zeros and ones. The rarer all levels but one are, the longer
  this would be; it is never longer than the largest difference of two scaled numbers is wide, one
  `SQUEEZE` on one side. Levels of fewer than `MIN_ROWS` rows share one corner, because so few rows
  teach nothing that could be told from chance, and each corner costs a column.
- *Missing values.* The squared difference to a value that is not known is its expectation: the
  squared difference to the mean, plus the variance. A missing value is therefore the mean of its
  column, with one more coordinate, as long as the standard deviation, at a right angle. Two missing
  values have it in common, so they are alike, and where missingness tells something, a member can
  use the coordinate as an indicator. Columns that were complete in training share one coordinate,
  the root of the sum of their variances.
- *Categories with many levels* are represented by the class shares of their levels, which
  `kernsemble.frames.class_shares` adds as numbers, or, in a view `by_levels`, by their levels.
  Nearly all pairs of rows mismatch, but where rows come in groups that have much in common, or
  where the effect of another column depends on the level, the pairs that match are what matters.
  The frequent levels have corners of their own; each of the others is half-way between two of as
  many further corners or their opposites, so that few levels are the same and most are equally far
  apart.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..tables.columns import MANY_LEVELS
from .views import (
    SQUEEZE,
    MetricView,
    RankView,
    ScaledView,
    SparseScaledView,
    UnchangedView,
    fit_rank_view,
    fit_scaled_view,
    fit_sparse_view,
)

# Levels of fewer rows share a corner.
MIN_ROWS = 5
# Corners of all columns with many levels together, and of one of them at least.
MAX_CORNERS, MIN_CORNERS = 128, 16


class Corners(NamedTuple):
    """The coordinates of the levels of one column.

    Attributes
    ----------
    column : int
    coordinates : ndarray of shape (n_levels + 1, n_corners)
        One row for every level; the last one, for missing values, is the mean.
    deviation : float
        Square root of the variance of the coordinates, summed.
    """

    column: int
    coordinates: np.ndarray
    deviation: float

    def __call__(self, X):
        codes = X[:, self.column]
        last = len(self.coordinates) - 1
        return self.coordinates[np.where(np.isnan(codes), last, codes).astype(np.intp)]


class MixedView(NamedTuple):
    """Rows with categories and missing values as numbers.

    Attributes
    ----------
    numbers : ndarray of int
        Columns of numbers.
    scaled : ScaledView or RankView
        View of these columns.
    corners : list of Corners
    blanks : ndarray of int
        Columns with missing values in training, each of which has a coordinate for them.
    complete : ndarray of int
        Columns without, which share one.
    deviations : ndarray of shape (n_features,)
        Standard deviation of every column in the view.
    """

    numbers: np.ndarray
    scaled: Any
    corners: list
    blanks: np.ndarray
    complete: np.ndarray
    deviations: np.ndarray

    def __call__(self, X):
        missing = np.isnan(X)
        newly = np.sqrt(missing[:, self.complete] @ self.deviations[self.complete] ** 2)
        return np.hstack(
            [
                self.scaled(X[:, self.numbers]),
                *(corner(X) for corner in self.corners),
                missing[:, self.blanks] * self.deviations[self.blanks],
                newly[:, None],
            ]
        )

    def restore(self, Z, like):
        """Return rows that the view shows as `Z`; columns it leaves out are those of `like`.

        None if numbers were replaced by ranks.
        """
        if not isinstance(self.scaled, ScaledView):
            return None
        rows = np.tile(np.asarray(like, dtype=np.float64), (len(Z), 1))
        end = len(self.scaled.kept)
        rows[:, self.numbers] = self.scaled.restore(Z[:, :end], rows[0, self.numbers])
        for corner in self.corners:
            start, end = end, end + corner.coordinates.shape[1]
            # Levels that share a corner are told apart no more: the first stands for all.
            gaps = Z[:, None, start:end] - corner.coordinates[None]
            rows[:, corner.column] = np.sum(gaps**2, axis=2).argmin(axis=1)
        for column, shown in zip(self.blanks, Z[:, end:].T):
            rows[shown > 0, column] = np.nan
        return rows


def coordinate_columns(view, n_features):
    """Return the column of the rows that each coordinate of a view comes from.

    None if the coordinates of the view do not come from one column each. The coordinate for missing
    values in columns that were complete in training comes from all of these, which -1 stands for.
    """
    if isinstance(view, MetricView):
        view = view.view
    if isinstance(view, (UnchangedView, SparseScaledView)):
        return np.arange(n_features)
    if isinstance(view, MixedView):
        corners = [np.full(corner.coordinates.shape[1], corner.column) for corner in view.corners]
        numbers = view.numbers[view.scaled.kept]
        return np.concatenate([numbers, *corners, view.blanks, [-1]]).astype(np.intp)
    return view.kept if isinstance(view, (ScaledView, RankView)) else None


def fit_table_view(table, *, ranks=False, by_levels=False):
    """Return the view of a table in memory, in which numbers are scaled or replaced by ranks.

    Sparse rows are scaled in any case, because ranks would fill them. See `fit_mixed_view` for
    `by_levels`.
    """
    X = table.all.X
    if sparse.issparse(X):
        return fit_sparse_view(X, table.all.sample_weight)
    if not table.columns.is_plain:
        options = {"ranks": ranks, "by_levels": by_levels}
        return fit_mixed_view(X, table.columns, table.all.sample_weight, **options)
    return fit_rank_view(X) if ranks else fit_scaled_view(X)


def fit_mixed_view(X, columns, sample_weight=None, *, ranks=False, by_levels=False):
    """Return the `MixedView` of rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Level codes and numbers; NaN is missing.
    columns : Columns
    sample_weight : ndarray of shape (n_rows,), default=None
    ranks : bool, default=False
        Whether numbers are replaced by their ranks.
    by_levels : bool, default=False
        Whether categories with many levels are represented by these and not by class shares.
    """
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    seen = columns.by_levels if by_levels else columns.by_shares
    seen = seen[~np.isnan(X[:, seen]).all(axis=0)]
    n_levels = columns.n_levels[seen]
    numbers, few = seen[n_levels == 0], seen[(n_levels > 0) & (n_levels <= MANY_LEVELS)]
    corners = [fit_corners(X[:, j], columns.n_levels[j], weights, int(j)) for j in few]
    if by_levels:
        many = seen[n_levels > MANY_LEVELS]
        most = max(MAX_CORNERS // max(len(many), 1), MIN_CORNERS)
        corners += [fit_many(X[:, j], columns.n_levels[j], weights, most, int(j)) for j in many]
        few = np.concatenate([few, many])
    scaled = _fit_ranks(X[:, numbers]) if ranks else _fit_scales(X[:, numbers], weights)
    deviations = np.zeros(X.shape[1])
    present = weights[:, None] * ~np.isnan(X[:, numbers])
    squares = np.sum(present * scaled(X[:, numbers]) ** 2, axis=0)
    deviations[numbers] = np.sqrt(squares / present.sum(axis=0))
    deviations[few] = [corner.deviation for corner in corners]
    used = np.union1d(numbers, few).astype(np.intp)
    lacking = np.isnan(X[:, used]).any(axis=0)
    return MixedView(
        numbers,
        scaled,
        [corner for corner in corners if corner.deviation > 0],
        used[lacking],
        used[~lacking],
        deviations,
    )


def _fit_scales(X, weights):
    """Return the `ScaledView` of columns by their known values."""
    views = [fit_scaled_view(_known(column), weights[~np.isnan(column)]) for column in X.T]
    centre = np.concatenate([np.empty(0), *(view.centre for view in views)])
    scale = np.concatenate([np.empty(0), *(view.scale for view in views)])
    return ScaledView(np.arange(X.shape[1]), centre, scale)


def _fit_ranks(X):
    """Return the `RankView` of columns by their known values."""
    views = [fit_rank_view(_known(column)) for column in X.T]
    return RankView(
        np.arange(X.shape[1]),
        [view.values[0] for view in views],
        [view.ranks[0] for view in views],
    )


def _known(column):
    return column[~np.isnan(column), None]


def fit_corners(codes, n_levels, weights, column=0):
    """Return the corners of one column of level codes."""
    known = ~np.isnan(codes)
    places = codes[known].astype(np.intp)
    counts = np.bincount(places, minlength=n_levels)
    common = np.flatnonzero(counts >= MIN_ROWS)
    # All rarer levels have the last corner, if there are any.
    corner_of = np.full(n_levels, len(common))
    corner_of[common] = np.arange(len(common))
    n_corners = len(common) + (len(common) < n_levels)
    if n_corners == 2:
        corners = np.sqrt(2.0) * np.array([[0.0], [1.0]])
    else:
        corners = np.eye(n_corners)
    return _place(column, corners[corner_of], places, weights[known])


def fit_many(codes, n_levels, weights, n_corners, column=0):
    """Return the corners of one column of level codes that has many levels."""
    known = ~np.isnan(codes)
    places = codes[known].astype(np.intp)
    order = np.argsort(-np.bincount(places, minlength=n_levels), kind="stable")
    own = n_levels if n_levels <= n_corners else n_corners // 2
    points = np.zeros((n_levels, min(n_levels, n_corners)))
    points[order[:own], np.arange(own)] = 1.0
    rest, further, rng = order[own:], points.shape[1] - own, np.random.RandomState(0)
    if rest.size:
        first = rng.randint(further, size=rest.size)
        second = (first + rng.randint(1, further, size=rest.size)) % further
        for end in (first, second):
            points[rest, own + end] = rng.choice([-1.0, 1.0], size=rest.size) / np.sqrt(2.0)
    return _place(column, points, places, weights[known])


def _place(column, points, places, weights):
    """Return the corners of levels at some points, in a size that makes the variance 1.

    Parameters
    ----------
    column : int
    points : ndarray of shape (n_levels, n_corners)
        Points of length 1, or of 0 and the root of 2 on a line.
    places : ndarray of int
        Levels of the rows where they are known.
    weights : ndarray of float
        Weights of these rows.
    """
    shares = np.bincount(places, weights, minlength=len(points)) / weights.sum()
    centre = shares @ points
    # Half the mean squared distance of two rows.
    mismatch = max(float(shares @ np.sum((points - centre) ** 2, axis=1)), 0.0)
    size = min(1.0 / np.sqrt(mismatch), SQUEEZE / np.sqrt(2.0)) if mismatch > 1e-12 else 0.0
    coordinates = size * (np.vstack([points, centre]) - centre)
    return Corners(column, coordinates, float(size * np.sqrt(mismatch)))
