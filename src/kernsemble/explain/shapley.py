"""Contributions of columns to any score, by walks from background rows to the row.

A walk puts the columns of a row into a background row one after the other, in random order; every
step is credited to its column. The mean over all orders is the Shapley value. Each order is also
walked backwards, which cancels much of the chance.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

# Rows that are scored at a time, and rows that are explained at a time.
BLOCK_ROWS = 20_000
BLOCK_EXPLAINED = 200


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


def sampled_contributions(score, x, background, groups, n_orders, rng):
    """Return estimated Shapley values of groups of columns, with standard errors.

    Parameters
    ----------
    score : callable
        `score(Z, owner)` returns the explained score of rows `Z`, of which row i belongs to the
        row `owner[i]` of `x`.
    x : ndarray of shape (n_rows, n_columns)
    background : ndarray of shape (n_background, n_columns)
    groups : list of ndarray of int
        Columns that are put in together. A column in no group stays that of the row.
    n_orders : int
        Number of orders for each background row, at least 2, each walked both ways.
    rng : RandomState

    Returns
    -------
    Contributions
    """
    orders = np.array([rng.permutation(len(groups)) for _ in range(len(background) * n_orders)])
    member = np.zeros((len(groups), x.shape[1]), dtype=bool)
    for g, columns in enumerate(groups):
        member[g, columns] = True
    parts = [
        _walk(score, np.arange(len(x))[rows], x, background, orders, member)
        for rows in gen_batches(len(x), BLOCK_EXPLAINED)
    ]
    return Contributions(*(np.concatenate(part) for part in zip(*parts)))


def _walk(score, numbers, x, background, orders, member):
    """Return values and errors of the rows of `x` with the given numbers."""
    n, n_groups, x = len(numbers), len(member), x[numbers]
    n_orders = len(orders) // len(background)
    ways = np.stack([orders, orders[:, ::-1]], axis=1)
    always = ~member.any(axis=0)
    # What is inside after each number of groups: (order, way, number of groups, column).
    inside = np.cumsum(member[ways], axis=2, dtype=np.int32)[:, :, :-1] > 0
    inside = (inside | always).reshape(-1, x.shape[1])
    starts = np.repeat(np.arange(len(background)), n_orders * 2 * (n_groups - 1))
    values = np.empty((len(inside), n))
    size = max(1, BLOCK_ROWS // n)
    for stops in (slice(start, start + size) for start in range(0, len(inside), size)):
        chosen, below = inside[stops, None], background[starts[stops], None]
        Z = np.where(chosen, x[None], below).reshape(-1, x.shape[1])
        values[stops] = score(Z, np.tile(numbers, len(Z) // n)).reshape(-1, n)
    bottom = np.where(always, x[None], background[:, None]).reshape(-1, x.shape[1])
    bottom = score(bottom, np.tile(numbers, len(background))).reshape(-1, n)
    path = np.empty((len(orders), 2, n_groups + 1, n))
    path[:, :, 1:-1] = values.reshape(len(orders), 2, n_groups - 1, n)
    path[:, :, 0] = np.repeat(bottom, n_orders, axis=0)[:, None]
    path[:, :, -1] = score(x, numbers)
    steps = np.zeros((len(orders), n_groups, n))
    for way in range(2):
        place = ways[:, way, :, None]
        found = 0.5 * np.diff(path[:, way], axis=1)
        np.put_along_axis(steps, place, np.take_along_axis(steps, place, axis=1) + found, axis=1)
    by_row = steps.reshape(len(background), n_orders, n_groups, n)
    error = np.sqrt(np.sum(by_row.var(axis=1, ddof=1) / n_orders, axis=0)) / len(background)
    return by_row.mean(axis=(0, 1)).T, error.T
