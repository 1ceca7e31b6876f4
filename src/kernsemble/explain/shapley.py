"""Contributions of columns to any score, by walks from background rows to the row.

A walk puts the columns of a row into a background row one after the other, in random order; every
step is credited to its column. The mean over all orders is the Shapley value. Each order is also
walked backwards, which cancels much of the chance.

Where there is a quick score that is much like the explained one, it walks further orders: they tell
how far the few orders of the explained score are from the mean of many.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils import gen_batches

# Rows that are scored at a time, and rows that are explained at a time.
BLOCK_ROWS, BLOCK_EXPLAINED = 20_000, 16
# Number of orders of a quick score for every order of the explained one.
QUICK_ORDERS = 5


class Contributions(NamedTuple):
    """What each group of columns adds to a row's score, against the mean score of the background.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_groups)
        Their sum over the groups is the score of the row minus the mean score.
    errors : ndarray of shape (n_rows, n_groups)
        Standard errors of the values; zeros when these are exact.
    """

    values: np.ndarray
    errors: np.ndarray


class Game(Protocol):
    """The scores of rows that take some groups of columns from a row, others from the background.

    Rows are meant by their numbers, and so are background rows and groups. All methods return one
    array for each score: the explained one, and the quick one if there is one.

    Attributes
    ----------
    has_quick : bool
        Whether there is a quick score.
    """

    has_quick: bool

    def ends(self, numbers) -> Any:
        """Return pairs of the scores without any group and with all.

        Returns
        -------
        without : ndarray of shape (n_background, n_numbers)
        complete : ndarray of shape (n_numbers,)
        """

    def stops(self, numbers, starts, orders, *, only_quick=False) -> Any:
        """Return the scores along walks.

        Parameters
        ----------
        numbers : ndarray of int of shape (n_numbers,)
        starts : ndarray of int of shape (n_walks,)
            The background row of each walk.
        orders : ndarray of int of shape (n_walks, n_groups)
        only_quick : bool, default=False
            Whether to return the quick score alone.

        Returns
        -------
        list of ndarray of shape (n_walks, n_groups - 1, n_numbers)
            The scores after the first group, after two, and so on.
        """


class RowGame:
    """A game that is played with whole rows, for any score.

    Parameters
    ----------
    score : callable
        `score(Z, owner)` returns the explained score of rows `Z`, of which row i belongs to the
        row `owner[i]` of `x`.
    x : ndarray of shape (n_rows, n_columns)
    background : ndarray of shape (n_background, n_columns)
    groups : list of ndarray of int
        Columns that are put in together. A column in no group stays that of the row.
    """

    has_quick = False

    def __init__(self, score, x, background, groups):
        self.score, self.x, self.background = score, x, background
        self.has = np.zeros((len(groups), x.shape[1]), dtype=bool)
        for g, columns in enumerate(groups):
            self.has[g, columns] = True
        self.always = ~self.has.any(axis=0)

    def ends(self, numbers):
        x = self.x[numbers]
        bottom = np.where(self.always, x[None], self.background[:, None])
        bottom = self.score(bottom.reshape(-1, x.shape[1]), np.tile(numbers, len(bottom)))
        return [(bottom.reshape(-1, len(numbers)), self.score(x, numbers))]

    def stops(self, numbers, starts, orders, *, only_quick=False):
        Z = self.rows(numbers, starts, orders)
        values = self.score(Z, np.tile(numbers, len(Z) // len(numbers)))
        return [values.reshape(len(orders), -1, len(numbers))]

    def rows(self, numbers, starts, orders):
        """Return the rows at the stops of walks: by walk, by stop, and by number."""
        inside = np.cumsum(self.has[orders], axis=1, dtype=np.int32)[:, :-1] > 0
        inside = (inside | self.always)[:, :, None]
        Z = np.where(inside, self.x[numbers], self.background[starts][:, None, None])
        return Z.reshape(-1, self.x.shape[1])


def sampled_contributions(game, n_rows, shape, n_orders, rng):
    """Return estimated Shapley values of groups of columns, with standard errors.

    Parameters
    ----------
    game : Game
    n_rows : int
        Number of rows that are explained.
    shape : tuple of int
        Number of background rows and of groups.
    n_orders : int
        Number of orders for each background row, at least 2, each walked both ways.
    rng : RandomState

    Returns
    -------
    Contributions
    """
    n_background, n_groups = shape
    n_all = n_orders * (QUICK_ORDERS if game.has_quick else 1)
    orders = np.array([rng.permutation(n_groups) for _ in range(n_background * n_all)])
    orders = orders.reshape(n_background, n_all, n_groups)
    blocks = gen_batches(n_rows, BLOCK_EXPLAINED)
    parts = [_explain(game, np.arange(n_rows)[rows], orders, n_orders) for rows in blocks]
    return Contributions(*(np.concatenate(part) for part in zip(*parts)))


def _explain(game, numbers, orders, n_orders):
    """Return values and errors of the rows with the given numbers."""
    ends = game.ends(numbers)
    found = _walk(game, numbers, orders[:, :n_orders], ends)
    steps = found[0]
    if not game.has_quick:
        return _summary([steps])
    (more,) = _walk(game, numbers, orders[:, n_orders:], ends[1:], only_quick=True)
    quick, share = found[1], more.shape[1] / orders.shape[1]
    # How far a step of the explained score is from its mean, for each unit of the quick one.
    gaps = [own - own.mean(axis=1, keepdims=True) for own in (steps, quick)]
    slope = np.sum(gaps[0] * gaps[1], axis=(0, 1, 2)) / np.maximum(
        np.sum(gaps[1] ** 2, axis=(0, 1, 2)), np.finfo(float).tiny
    )
    return _summary([steps - slope * share * quick, slope * share * more])


def _walk(game, numbers, orders, ends, **options):
    """Return for each score the steps: (background row, order, group, number)."""
    n, (n_background, n_orders, n_groups) = len(numbers), orders.shape
    ways = np.stack([orders, orders[..., ::-1]], axis=2).reshape(-1, n_groups)
    starts = np.repeat(np.arange(n_background), n_orders * 2)
    paths = [np.empty((len(ways), n_groups + 1, n)) for _ in ends]
    for path, (without, complete) in zip(paths, ends):
        path[:, 0], path[:, -1] = without[starts], complete
    if n_groups > 1:
        for some in gen_batches(len(ways), max(1, BLOCK_ROWS // (n * (n_groups - 1)))):
            scores = game.stops(numbers, starts[some], ways[some], **options)
            for path, own in zip(paths, scores):
                path[some, 1:-1] = own
    return [
        _by_group(path, ways).reshape(n_background, n_orders, 2, n_groups, n).mean(axis=2)
        for path in paths
    ]


def _by_group(path, ways):
    """Return the steps of walks in the order of the groups."""
    steps = np.empty((len(ways), ways.shape[1], path.shape[2]))
    np.put_along_axis(steps, ways[:, :, None], np.diff(path, axis=1), axis=1)
    return steps


def _summary(samples):
    """Return the sum of the means of samples (background row, order, group, number), and its error.

    The samples of a background row are independent of each other.
    """
    values = sum(steps.mean(axis=(0, 1)) for steps in samples)
    spread = sum(steps.var(axis=1, ddof=1).sum(axis=0) / steps.shape[1] for steps in samples)
    return values.T, np.sqrt(spread).T / samples[0].shape[0]
