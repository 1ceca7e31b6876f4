"""The best split of the levels of a category, found in the order of a class share at the node."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled

# In a column with more levels than this, the share of a class among the few rows of a rare level
# says more about chance than about the level; levels with fewer copies than _FEW_COPIES are pooled.
_FEW_LEVELS, _FEW_COPIES = 10, 5
# Scores that differ by less are equal, as in `best_axis_split`.
_TIE = 1e-12


class LevelArrays(NamedTuple):
    """Arrays that are used again for every node.

    Attributes
    ----------
    place : ndarray of int of shape (largest number of levels + 1,)
        Group of each level at the present node, or -1.
    codes, copies : ndarray of int of shape (>= n_groups,)
        A level of each group, and its number of copies of rows.
    weights : ndarray of shape (>= n_groups * n_present,)
        Weight of each class in each group.
    is_right : ndarray of bool of shape (>= n_groups,)
        The side of each group.
    """

    place: np.ndarray
    codes: np.ndarray
    copies: np.ndarray
    weights: np.ndarray
    is_right: np.ndarray


@compiled
def reserve_levels(n_rows, n_classes, max_levels):
    """Return the arrays that `best_level_split` needs for nodes of at most `n_rows` rows."""
    n_groups = min(n_rows, max_levels + 1)
    return LevelArrays(
        np.full(max_levels + 1, -1, dtype=np.int32),
        np.empty(n_groups, dtype=np.int64),
        np.empty(n_groups, dtype=np.int64),
        np.empty(n_groups * n_classes),
        np.empty(n_groups, dtype=np.bool_),
    )


@compiled
def best_level_split(column, n_levels, rows, node, size, min_leaf, least, arrays, words, to_right):
    """Split the levels if that beats the score `least`; return the score, or -1.

    The levels at the node are ordered by the share of one class: the class whose shares vary most
    between them. For two classes no division of the levels is better than the best one in this
    order. Levels with equal shares are in the order of their codes. Missing values are a level like
    the others. Levels that do not occur at the node go with the pool of rare levels, or to the
    heavier side if there is none.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
        Codes of the levels; `n_levels` if missing.
    n_levels : int
    rows : ndarray of int of shape (n_rows,)
    node : Node
    size : Size
    min_leaf : int
        Smallest number of copies on each side.
    least : float
        Score that must be beaten; see `best_axis_split`.
    arrays : LevelArrays
    words : ndarray of uint32
        Bit c of the words says whether level c goes to the right.
    to_right : ndarray of bool of shape (>= n_rows,)
    """
    place, is_right = arrays.place, arrays.is_right
    n_groups, pool = _read_groups(column, n_levels, rows, node, size, arrays)
    score = -1.0
    if n_groups > 1:
        order = _order_groups(arrays, n_groups, pool, size.n_present, n_levels)
        score, n_left = _scan(node, size, arrays, order, min_leaf, least)
    if score > 0.0:
        for g in range(n_groups):
            is_right[order[g]] = g >= n_left
        others = _heavier_side(arrays, n_groups, size.n_present) if pool < 0 else is_right[pool]
        for w in range(n_levels // 32 + 1):
            words[w] = np.uint32(0xFFFFFFFF) if others else np.uint32(0)
        for i in range(rows.shape[0]):
            code = np.int64(column[rows[i]])
            to_right[i] = is_right[place[code]]
            bit = np.uint32(1) << np.uint32(code & 31)
            if to_right[i]:
                words[code >> 5] |= bit
            else:
                words[code >> 5] &= ~bit
    for i in range(rows.shape[0]):
        place[np.int64(column[rows[i]])] = -1
    return score


@compiled
def _read_groups(column, n_levels, rows, node, size, arrays):
    """Write the groups; return their number and the one that pools rare levels, or -1."""
    place, codes, copies = arrays.place, arrays.codes, arrays.copies
    weights, n_present = arrays.weights, size.n_present
    node_copies, node_weights, labels = node.copies, node.weights, node.labels
    n_seen = 0
    for i in range(rows.shape[0]):
        code = np.int64(column[rows[i]])
        if place[code] < 0:
            place[code] = n_seen
            codes[n_seen], copies[n_seen] = code, 0
            n_seen += 1
        copies[place[code]] += node_copies[i]
    n_groups, pool = 0, -1
    for g in range(n_seen):
        code = codes[g]
        if n_levels > _FEW_LEVELS and copies[g] < _FEW_COPIES:
            if pool < 0:
                pool = n_groups
                codes[n_groups] = code
                n_groups += 1
            place[code] = pool
        else:
            codes[n_groups] = code
            place[code] = n_groups
            n_groups += 1
    weights[: n_groups * n_present] = 0.0
    copies[:n_groups] = 0
    for i in range(rows.shape[0]):
        g = place[np.int64(column[rows[i]])]
        weights[g * n_present + labels[i]] += node_weights[i]
        copies[g] += node_copies[i]
    return n_groups, pool


@compiled
def _order_groups(arrays, n_groups, pool, n_present, n_levels):
    """Return the groups in the order of the class share that varies most between them."""
    weights, codes = arrays.weights, arrays.codes
    sums = np.zeros(n_groups)
    totals, squares = np.zeros(n_present), np.zeros(n_present)
    for g in range(n_groups):
        for k in range(n_present):
            sums[g] += weights[g * n_present + k]
        for k in range(n_present):
            weight = weights[g * n_present + k]
            totals[k] += weight
            squares[k] += weight * weight / sums[g]
    total = totals.sum()
    best, most = 0, -1.0
    for k in range(n_present):
        variance = squares[k] - totals[k] * totals[k] / total
        if variance > most * (1.0 + _TIE):
            best, most = k, variance
    shares = np.empty(n_groups)
    # Codes are floats here, so that one compiled sort serves both.
    code = np.empty(n_groups)
    for g in range(n_groups):
        shares[g] = weights[g * n_present + best] / sums[g]
        # Sorted by code first, because the sort by share keeps the order of equals.
        code[g] = n_levels + 1 if g == pool else codes[g]
    order = np.argsort(code, kind="mergesort")
    return order[np.argsort(shares[order], kind="mergesort")]


@compiled
def _scan(node, size, arrays, order, min_leaf, least):
    """Return the best score and the number of groups on its left side, or -1 and 0."""
    totals, weights, copies = node.totals, arrays.weights, arrays.copies
    n_present = size.n_present
    left = np.zeros(n_present)
    total = totals[:n_present].sum()
    best_score, best_left = -1.0, 0
    left_weight, n_left = 0.0, 0
    for g in range(order.shape[0] - 1):
        first = order[g] * n_present
        for k in range(n_present):
            left[k] += weights[first + k]
            left_weight += weights[first + k]
        n_left += copies[order[g]]
        left_squares, right_squares = 0.0, 0.0
        for k in range(n_present):
            left_squares += left[k] * left[k]
            right_squares += (totals[k] - left[k]) ** 2
        score = left_squares / left_weight + right_squares / (total - left_weight)
        if score > max(least, best_score) * (1.0 + _TIE):  # noqa: SIM102
            if min(n_left, size.n_copies - n_left) >= min_leaf:
                best_score, best_left = score, g + 1
    return best_score, best_left


@compiled
def _heavier_side(arrays, n_groups, n_present):
    """Return whether more weight goes to the right."""
    weights, is_right = arrays.weights, arrays.is_right
    surplus = 0.0
    for g in range(n_groups):
        for k in range(n_present):
            weight = weights[g * n_present + k]
            surplus += weight if is_right[g] else -weight
    return surplus > 0.0
