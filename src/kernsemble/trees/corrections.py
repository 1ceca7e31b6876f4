"""What regression trees know better about missing numbers than the joint normal distribution.

Columns may determine each other without being jointly normal, as red, green and blue determine the
hue of a colour. For every column that lacks values, a few regression trees learn from the rows that
have the value. They read the other numbers and, in the place of the value, its linear expectation
given these. If a tree is nearer to values that it has not seen than this expectation, the mean of
several replaces it. After such a round the other gaps of a row are filled better than before, so
there are two.
"""

from typing import NamedTuple

import numpy as np

from .tree import LEAF, RegressionNodes

_ROUNDS, _TREES, _MIN_LEAF = 2, 6, 2
# Larger tables of gaps would take longer than the forest.
_MAX_COLUMNS, _MAX_ROWS = 50, 5_000
# A column with fewer values has too few for a tree and for its judgement.
_MIN_ROWS = 50


class Corrections(NamedTuple):
    """Regression trees that replace expectations, step by step.

    Attributes
    ----------
    columns : ndarray of int of shape (n_steps,)
        The column that each step fills, as a position in `Expectation.columns`.
    roots : ndarray of int of shape (n_steps, n_trees)
        A missing value becomes the mean of the values of these trees.
    nodes : RegressionNodes
    """

    columns: np.ndarray
    roots: np.ndarray
    nodes: RegressionNodes

    def reading(self, columns):
        """Return corrections whose trees read these columns in the place of 0, 1, …"""
        feature = self.nodes.feature
        moved = np.where(feature == LEAF, LEAF, columns[feature]).astype(feature.dtype)
        return self._replace(nodes=self.nodes._replace(feature=moved))


def fit_corrections(X, gaps, weights, expectation):
    """Grow the trees.

    Parameters
    ----------
    X : ndarray of shape (n_columns, n_rows)
        The numeric columns, with expectations in the place of missing values.
    gaps : ndarray of bool of shape (n_columns, n_rows)
    weights : ndarray of shape (n_rows,)
    expectation : Expectation
        Its columns are those of X.

    Returns
    -------
    Corrections or None
        None means that no tree knows better.
    """
    rows = np.unique(np.linspace(0, X.shape[1] - 1, min(X.shape[1], _MAX_ROWS)).astype(int))
    X, gaps, weights = X[:, rows], gaps[:, rows], weights[rows]
    lacking = np.flatnonzero(gaps.any(axis=1) & ((~gaps).sum(axis=1) >= _MIN_ROWS))
    if len(lacking) > _MAX_COLUMNS:
        return None
    from .conditional import correct_expected

    found = []
    for turn in range(_ROUNDS):
        steps = []
        for j in lacking:
            step = _fit_step(X, gaps, weights, expectation, j, turn)
            if step is not None:
                correct_expected(X, gaps, expectation, step)
                steps.append(step)
        found += steps
        # A column of which trees know nothing in one round is left alone in the next.
        lacking = np.array([step.columns[0] for step in steps], dtype=int)
    return _joined(found) if found else None


def _fit_step(X, gaps, weights, expectation, j, turn):
    """Return trees for column j, or None if its linear expectation is nearer to its values."""
    from .regression import grow_regression, regression_values

    present = np.flatnonzero(~gaps[j])
    rows, weights = np.ascontiguousarray(X[:, present]), weights[present]
    values = rows[j].copy()
    pull = expectation.precision[j] @ (rows - expectation.mean[:, None])
    rows[j] -= pull / expectation.precision[j, j]
    # The answer depends on nothing but the rows.
    seed = turn * len(X) + j
    unseen = np.arange(len(values)) % 5 == 0
    trial = grow_regression(rows, values, np.where(unseen, 0.0, weights), seed, 1, _MIN_LEAF)
    guess = regression_values(np.ascontiguousarray(rows[:, unseen]), *trial)
    error, linear_error = np.abs([guess, rows[j, unseen]] - values[unseen]) @ weights[unseen]
    if not error < linear_error:
        return None
    nodes, roots = grow_regression(rows, values, weights, seed, _TREES, _MIN_LEAF)
    return Corrections(np.array([j]), roots[None], nodes)


def _joined(steps):
    """Return the corrections of several steps as one."""
    starts = np.cumsum([0] + [len(step.nodes.feature) for step in steps[:-1]])
    nodes = [
        step.nodes._replace(child=step.nodes.child + np.int32(start))
        for step, start in zip(steps, starts)
    ]
    return Corrections(
        np.concatenate([step.columns for step in steps]),
        np.concatenate([step.roots + np.int32(start) for step, start in zip(steps, starts)]),
        RegressionNodes(*(np.concatenate(parts) for parts in zip(*nodes))),
    )
