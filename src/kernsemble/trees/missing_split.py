"""The best threshold on a feature whose missing values all go to one side."""

import numpy as np

from ..compiled import compiled
from .axis_split import sort_pairs

# The smallest rank on the right if only missing values go there.
ONLY_MISSING = np.int64(2**31)
# As in `best_axis_split`.
_TIE, _LEAST_SHARE = 1e-12, 1e-12


@compiled
def best_missing_split(ranks, missing, rows, node, size, min_leaf, arrays):
    """Return the best score, the smallest rank on its right, and whether missing values go right.

    The score is -1 if no value at the node is missing. Of equal scores, the lower threshold wins,
    then missing values on the left. The highest threshold divides missing from present values.

    Parameters
    ----------
    ranks : ndarray of shape (n_samples,)
    missing : ndarray of bool of shape (n_samples,)
    rows : ndarray of int of shape (n_rows,)
    node : Node
    size : Size
    min_leaf : int
        Smallest number of copies on each side.
    arrays : _Arrays
        See `reserve_split`.
    """
    labels, weights, copies, totals = node.labels, node.weights, node.copies, node.totals
    pairs, n_present = arrays.pairs, size.n_present
    gone, right = np.zeros(n_present), np.zeros(n_present)
    n_gone, n_pairs = 0, np.int64(0)
    low, high = np.int64(2**31), np.int64(0)
    for i in range(rows.shape[0]):
        if missing[rows[i]]:
            gone[labels[i]] += weights[i]
            n_gone += copies[i]
            continue
        rank = np.int64(ranks[rows[i]])
        pairs[n_pairs] = (rank << 32) | i
        n_pairs += 1
        low, high = min(low, rank), max(high, rank)
    if n_gone == 0 or n_pairs == 0:
        return -1.0, ONLY_MISSING, False
    ordered = sort_pairs(n_pairs, low, high, pairs, arrays.in_order, arrays.starts)
    least = _LEAST_SHARE * totals[:n_present].sum()
    best_score, best_rank, best_side = -1.0, ONLY_MISSING, False
    n_right, rank = 0, ONLY_MISSING
    for i in range(n_pairs - 1, -1, -1):
        if ordered[i] >> 32 != rank:
            for side in (True, False):
                n_other = n_right + (n_gone if side else 0)
                if n_other < min_leaf or size.n_copies - n_other < min_leaf:
                    continue
                score = _score(totals, right, gone, side, least)
                if score > 0.0 and score >= best_score * (1.0 - _TIE):
                    best_score, best_rank, best_side = score, rank, side
            rank = ordered[i] >> 32
        position = ordered[i] & 0xFFFFFFFF
        right[labels[position]] += weights[position]
        n_right += copies[position]
    return best_score, best_rank, best_side


@compiled
def missing_score(missing, rows, node, size, min_leaf):
    """Return the score of the split that sends missing values right and present ones left, or -1.

    The parameters are those of `best_missing_split`.
    """
    labels, weights, copies = node.labels, node.weights, node.copies
    gone, right = np.zeros(size.n_present), np.zeros(size.n_present)
    n_gone = 0
    for i in range(rows.shape[0]):
        if missing[rows[i]]:
            gone[labels[i]] += weights[i]
            n_gone += copies[i]
    if n_gone == 0 or n_gone < min_leaf or size.n_copies - n_gone < min_leaf:
        return -1.0
    return _score(node.totals, right, gone, True, 0.0)


@compiled
def _score(totals, right, gone, side, least):
    """Return the score with the missing weights on one side, or -1 if a side is almost empty."""
    left_weight, right_weight = 0.0, 0.0
    left_squares, right_squares = 0.0, 0.0
    for k in range(right.shape[0]):
        there = right[k] + (gone[k] if side else 0.0)
        here = totals[k] - there
        left_weight += here
        right_weight += there
        left_squares += here * here
        right_squares += there * there
    if not min(left_weight, right_weight) > least:
        return -1.0
    return left_squares / left_weight + right_squares / right_weight
