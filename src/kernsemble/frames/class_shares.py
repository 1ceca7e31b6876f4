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
are what the shares lack.
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
    column : int
        Position of the column in the encoded array.
    shares : ndarray of shape (n_levels + 1, n_outputs)
        One row for every level; the last one is for missing values and unknown levels.
    """

    column: int
    shares: np.ndarray

    @property
    def n_outputs(self):
        return self.shares.shape[1]

    def __call__(self, Z):
        """Return the columns of some encoded rows."""
        return self.shares[level_places(Z[:, self.column], len(self.shares) - 1)]


def level_places(codes, n_levels):
    """Return level codes as positions; NaN has the position `n_levels`."""
    return np.where(np.isnan(codes), n_levels, codes).astype(np.intp)


def fit_class_shares(Z, columns, y, sample_weight=None):
    """Return the class shares of all columns with many levels.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        Encoded training rows, one for every row of the user: equal rows must not be one row here,
        because they would be in one fold.
    columns : Columns
    y : ndarray of shape (n_rows,)
        Labels of the classes.
    sample_weight : ndarray of shape (n_rows,), default=None

    Returns
    -------
    found : list of ClassShares
    training : ndarray of shape (n_rows, n_outputs)
        The columns of the training rows, each row by the other folds.
    """
    found: list[Any] = []
    training = [np.empty((len(Z), 0))]
    many = np.flatnonzero(columns.n_levels > MANY_LEVELS)
    if many.size:
        weights = np.ones(len(Z)) if sample_weight is None else sample_weight
        T = _targets(y) * weights[:, None]
        # The same folds for every seed: what the columns hold does not depend on it.
        folds = np.random.RandomState(0).permutation(len(Z)) % N_FOLDS
    for column in many:
        sums = _Sums.of(Z[:, column], columns.n_levels[column], T, weights, folds)
        prior = sums.strength()
        if np.isfinite(prior):
            found.append(ClassShares(int(column), sums.shares(prior)))
            training.append(sums.left_out(prior))
    return found, np.hstack(training)


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
