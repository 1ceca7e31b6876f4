"""Categories with many levels → columns with the class shares of their levels.

Nearly all pairs of rows differ in a column with hundreds of levels, so that a mismatch says little.
What a level says about the classes is the share of each class among its rows, shrunk towards the
shares of all rows: a level with n rows keeps n / (n + m) of its own shares. The number m is the
ratio of the variance of labels within levels to the variance of the shares between levels, by
moments. A column whose levels differ no more than chance would have it, by a chi-squared statistic
with three standard deviations to spare, has no shares at all.

A training row gets the shares that the rows of the other folds give to its level. Its own label
never reaches its own row, so that scores of models that leave it out stay honest. The shares take
the place of the level codes: from both together a tree could tell the labels of the own fold, which
are what the shares lack. An ensemble of several kinds of members gets both; a member sees either.

A moment that several rows have in common, to the second, may be what they have in common besides:
a visit, an order, an accident. Such moments are levels too, if rows of one moment are alike beyond
what rows of the moments before and after are.
"""

from typing import Any, NamedTuple

import numpy as np

from ..tables.columns import MANY_LEVELS

N_FOLDS = 10
# Standard deviations by which levels must differ more than chance would have it.
SIGNIFICANT = 3.0
# A class of fewer rows than those of this many others has no column of its own.
MAX_CLASSES = 10


class ClassShares(NamedTuple):
    """The class shares of the levels of one column.

    Attributes
    ----------
    columns : list of int
        Position of the column in the encoded array, or of the days and hours of a date.
    shares : ndarray of shape (n_levels + 1, n_outputs)
        One row for every level; the last one is for missing values and unknown levels.
    moments : ndarray or None
        The moments that are levels, sorted; None for a column of level codes.
    """

    columns: list
    shares: np.ndarray
    moments: np.ndarray | None = None

    @property
    def n_outputs(self):
        return self.shares.shape[1]

    def __call__(self, Z):
        """Return the columns of some encoded rows."""
        n_levels = len(self.shares) - 1
        if self.moments is None:
            return self.shares[level_places(Z[:, self.columns[0]], n_levels)]
        given = read_moments(Z, self.columns)
        places = np.minimum(np.searchsorted(self.moments, given), n_levels - 1)
        return self.shares[np.where(self.moments[places] == given, places, n_levels)]


def read_moments(Z, columns):
    """Return the moments of encoded rows from their days and hours, or from either alone."""
    *days, last = Z[:, columns].T
    hours = last + 24.0 * days[0] if days else last
    # Whole microseconds, so that equal moments are equal numbers.
    return np.round(hours * 3.6e9)


def level_places(codes, n_levels):
    """Return level codes as positions; NaN has the position `n_levels`."""
    return np.where(np.isnan(codes), n_levels, codes).astype(np.intp)


def fit_class_shares(Z, columns, y, sample_weight=None, dates=()):
    """Return the class shares of all columns with many levels, and of moments.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        Encoded training rows, one for every row of the user: equal rows must not be one row here,
        because they would be in one fold.
    columns : Columns
    y : ndarray of shape (n_rows,)
        Labels of the classes.
    sample_weight : ndarray of shape (n_rows,), default=None
    dates : list of list, default=()
        Columns of the days and hours of every date whose moments may be levels.

    Returns
    -------
    found : list of ClassShares
    training : ndarray of shape (n_rows, n_outputs)
        The columns of the training rows, each row by the other folds.
    """
    found: list[Any] = []
    training = [np.empty((len(Z), 0))]
    many = np.flatnonzero(columns.n_levels > MANY_LEVELS)
    levels = [([int(j)], Z[:, j], int(columns.n_levels[j]), None) for j in many]
    levels += [own for own in (_moment_levels(Z, date) for date in dates) if own is not None]
    if levels:
        weights = np.ones(len(Z)) if sample_weight is None else sample_weight
        T = _targets(y) * weights[:, None]
        # The same folds for every seed: what the columns hold does not depend on it.
        folds = np.random.RandomState(0).permutation(len(Z)) % N_FOLDS
    for places, codes, n_levels, moments in levels:
        sums = _Sums.of(codes, n_levels, T, weights, folds)
        prior = sums.strength()
        if np.isfinite(prior) and (moments is None or sums.differ_from_neighbours()):
            found.append(ClassShares(places, sums.shares(prior), moments))
            training.append(sums.left_out(prior))
    return found, np.hstack(training)


def _moment_levels(Z, columns):
    """Return columns, level codes, number of levels and the levels of moments that repeat."""
    given = read_moments(Z, columns)
    known = ~np.isnan(given)
    moments, codes = np.unique(given[known], return_inverse=True)
    if not MANY_LEVELS < len(moments) <= known.sum() / 2:
        return None
    places = np.full(len(given), np.nan)
    places[known] = codes
    return columns, places, len(moments), moments


def _targets(y):
    """Return a column of zeros and ones for every class, or for one of two, or for the largest."""
    classes, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    kept = np.sort(np.argsort(-sizes, kind="stable")[:MAX_CLASSES])
    kept = kept[:1] if len(classes) == 2 else kept
    return (codes[:, None] == kept).astype(np.float64)


class _Sums(NamedTuple):
    """Sums of the weights and of the weighted targets by level and fold."""

    places: np.ndarray
    folds: np.ndarray
    weights: np.ndarray
    targets: np.ndarray

    @classmethod
    def of(cls, codes, n_levels, T, weights, folds):
        places = level_places(codes, n_levels)
        cells, n_cells = places * N_FOLDS + folds, (n_levels + 1) * N_FOLDS
        columns = [np.bincount(cells, values, minlength=n_cells) for values in (weights, *T.T)]
        W, *S = [column.reshape(n_levels + 1, N_FOLDS) for column in columns]
        return cls(places, folds, W, np.stack(S, axis=-1))

    def strength(self):
        """Return the number of rows that the shares of all rows count for, by moments.

        It is infinite if the levels do not differ.
        """
        n, S = self.weights.sum(axis=1), self.targets.sum(axis=1)
        total, seen = n.sum(), n > 0
        mean = S.sum(axis=0) / total
        within = np.sum(mean * (1.0 - mean))
        squares = np.sum((S[seen] / n[seen, None] - mean) ** 2, axis=1)
        # Shares of n rows scatter with variance within / n, whatever the level.
        freedom = np.sum(seen) - 1.0
        excess = n[seen] @ squares - freedom * within
        spread = total - np.sum(n[seen] ** 2) / total
        differ = excess > SIGNIFICANT * np.sqrt(2.0 * freedom) * within
        return within * spread / excess if differ and spread > 0 else np.inf

    def differ_from_neighbours(self):
        """Return whether the shares of levels next to each other differ more than by chance."""
        n, S = self.weights.sum(axis=1)[:-1], self.targets.sum(axis=1)[:-1]
        n, S = n[n > 0], S[n > 0]
        mean = S.sum(axis=0) / n.sum()
        within = np.sum(mean * (1.0 - mean))
        squares = np.sum(np.diff(S / n[:, None], axis=0) ** 2, axis=1)
        ratios = squares / (within * (1.0 / n[1:] + 1.0 / n[:-1]))
        # Each has mean 1 and variance 2 at most; that every level is in two adds half as much.
        return np.sum(ratios - 1.0) > SIGNIFICANT * np.sqrt(3.0 * len(ratios))

    def shares(self, prior):
        S, n = self.targets.sum(axis=1), self.weights.sum(axis=1)
        return _shrunk(S, n, S.sum(axis=0) / n.sum(), prior)

    def left_out(self, prior):
        """Return the shares for every row, by the rows of the other folds."""
        S = self.targets.sum(axis=1, keepdims=True) - self.targets
        n = self.weights.sum(axis=1, keepdims=True) - self.weights
        means = S.sum(axis=0) / np.maximum(n.sum(axis=0), np.finfo(float).tiny)[:, None]
        return _shrunk(S, n, means, prior)[self.places, self.folds]


def _shrunk(sums, n, mean, prior):
    return (sums + prior * mean) / (n + prior)[..., None]
