"""Oblique splits: the bisectors of the two proximal planes of a node."""

import numpy as np

from ..compiled import compiled
from .grouping import group_classes
from .moments import Moments, class_moments, node_centre
from .proximal_plane import proximal_planes


@compiled
def may_be_regular(ranks, rows, bounds, n_present, features):
    """Return whether two groups of the rows can both have full rank.

    The test is fast, and a node that fails it needs no moments. Class k has the rows bounds[k] to
    bounds[k + 1].
    """
    n_rows, n_drawn = rows.shape[0], features.shape[0]
    largest = 0
    for k in range(n_present):
        largest = max(largest, bounds[k + 1] - bounds[k])
    # One group contains the largest class. A group with fewer rows than columns is singular.
    if n_rows - largest <= n_drawn or n_rows < 2 * (n_drawn + 1):
        return False
    # A group with a constant column is singular, too. Two classes are the two groups.
    middle = bounds[1] if n_present == 2 else n_rows
    for j in range(n_drawn):
        column = ranks[features[j]]
        if _is_constant(column, rows[:middle]) or (
            middle < n_rows and _is_constant(column, rows[middle:])
        ):
            return False
    return True


@compiled
def _is_constant(column, rows):
    i = 1
    while i < rows.shape[0] and column[rows[i]] == column[rows[0]]:
        i += 1
    return i >= rows.shape[0]


@compiled
def best_bisector(columns, rows, node, size, features, growth, split, to_right):
    """Write the better of the two bisectors; return its score, or -1 if there is none.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
    rows : ndarray of int of shape (n_rows,)
        Numbers of the rows of the node.
    node : Node
    size : Size
    features : ndarray of shape (n_drawn,)
    growth : Growth
    split : ndarray of shape (n_drawn + 1,)
        The plane w'x = b is written as (w, b).
    to_right : ndarray of bool of shape (>= n_rows,)
        Whether each row lies on the right of the plane.
    """
    n_present = size.n_present
    bounds, totals = node.bounds[: n_present + 1], node.totals[:n_present]
    n_rows, n_drawn = rows.shape[0], features.shape[0]
    Z, centred = np.empty((n_drawn, n_rows)), np.empty((n_drawn, n_rows))
    for a in range(n_drawn):
        column = columns[features[a]]
        for i in range(n_rows):
            Z[a, i] = column[rows[i]]
    moments = Moments(
        totals, np.empty((n_present, n_drawn)), np.empty((n_present, n_drawn, n_drawn))
    )
    class_moments(Z, bounds, np.sqrt(node.weights[:n_rows]), moments, centred)
    centre, spread = np.empty(n_drawn), np.empty(n_drawn)
    node_centre(moments, centre, spread)
    group = np.empty(n_present, dtype=np.int64)
    group_classes(moments, spread, group)
    n_first = 0
    for k in range(n_present):
        if group[k] == 0:
            n_first += bounds[k + 1] - bounds[k]
    planes = np.empty((2, n_drawn + 1))
    is_regular = min(n_first, n_rows - n_first) > n_drawn
    if not proximal_planes(moments, centre, spread, group, is_regular, growth, planes):
        return -1.0
    best_score = -1.0
    projection = centred[0]
    candidate = np.empty(n_drawn + 1)
    for sign in (1.0, -1.0):
        for a in range(n_drawn + 1):
            candidate[a] = planes[0, a] + sign * planes[1, a]
        _project(Z, candidate, projection)
        score = _score(node, size, projection, candidate[n_drawn], growth.min_samples_leaf)
        if score > best_score:
            best_score = score
            for a in range(n_drawn + 1):
                split[a] = candidate[a]
            for i in range(n_rows):
                to_right[i] = projection[i] > candidate[n_drawn]
    return best_score


@compiled
def _project(Z, candidate, projection):
    """Write the projections of the rows, summed in the same order as in prediction."""
    projection[:] = 0.0
    for a in range(Z.shape[0]):
        column, weight = Z[a], candidate[a]
        for i in range(Z.shape[1]):
            projection[i] += weight * column[i]


@compiled
def _score(node, size, projection, offset, min_leaf):
    """Return the score of a plane (see `best_axis_split`), or -1 if one side is too small."""
    weights, copies, bounds, totals = node.weights, node.copies, node.bounds, node.totals
    n_left = 0
    left_weight, left_squares, right_squares, total = 0.0, 0.0, 0.0, 0.0
    for k in range(size.n_present):
        left = 0.0
        for i in range(bounds[k], bounds[k + 1]):
            if projection[i] <= offset:
                left += weights[i]
                n_left += copies[i]
        left_weight += left
        left_squares += left * left
        right_squares += (totals[k] - left) ** 2
        total += totals[k]
    if n_left < min_leaf or size.n_copies - n_left < min_leaf:
        return -1.0
    return left_squares / left_weight + right_squares / (total - left_weight)
