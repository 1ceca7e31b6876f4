"""The best threshold on a single feature of a node by the Gini impurity, found on dense ranks.

Rows move from the left side to the right in the order of falling ranks. Therefore the rows of the
lowest rank, which are most rows of a sparse feature, never need to be sorted.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled

# A histogram is scanned bin by bin; it is used if it has at most this many cells per row.
_CELLS_PER_ROW = 3
# Insertion alone is the fastest way to sort this few rows.
_FEW_ROWS = 12
# A side that weighs less than this share of the node is lost in rounding.
_LEAST_SHARE = 1e-12
# Scores that differ by less are equal: sums of fractional weights round differently in every order.
_TIE = 1e-12


class _Arrays(NamedTuple):
    """Arrays that are used again for every node."""

    pairs: np.ndarray
    in_order: np.ndarray
    starts: np.ndarray
    histogram: np.ndarray


class _Ranked(NamedTuple):
    """The rows of a node above rank 0 of a feature.

    Attributes
    ----------
    n_rows : int
    are_all : bool
        Whether no row of the node has rank 0.
    low, high : int
        The smallest and the largest rank of these rows.
    """

    n_rows: np.int64
    are_all: bool
    low: np.int64
    high: np.int64


@compiled
def reserve_split(n_rows):
    """Return the arrays that `best_axis_split` needs for nodes of at most `n_rows` rows."""
    return _Arrays(
        np.empty(n_rows, dtype=np.int64),
        np.empty(n_rows, dtype=np.int64),
        np.empty(2 * n_rows + 4, dtype=np.int32),
        np.zeros(4 * n_rows + 4),
    )


@compiled
def best_axis_split(ranks, rows, node, size, features, min_leaf, arrays):
    """Return the best score, its position in `features` and the smallest rank on the right.

    The score of a split is sum_k L_k²/L + sum_k R_k²/R, where L_k and R_k are the weights of class
    k on the two sides, and L and R their sums. The weighted Gini impurity is one minus the score
    over the weight of the node. Of equal scores, the feature drawn first wins, then the lower
    threshold.

    Parameters
    ----------
    ranks : ndarray of shape (n_features, n_samples)
    rows : ndarray of int of shape (n_rows,)
        Numbers of the rows of the node.
    node : Node
    size : Size
    features : ndarray of shape (n_drawn,)
    min_leaf : int
        Smallest number of copies on each side.
    arrays : _Arrays
        See `reserve_split`.
    """
    # Fields of records are read before a loop, because every access counts a reference.
    pairs, in_order, starts = arrays.pairs, arrays.in_order, arrays.starts
    histogram = arrays.histogram
    n_present = size.n_present
    right = np.empty(n_present)
    best_score, best_feature, best_rank = 0.0, -1, np.int64(0)
    for j in range(features.shape[0]):
        ranked = _read_ranks(ranks[features[j]], rows, pairs)
        if ranked.n_rows == 0 or (ranked.are_all and ranked.low == ranked.high):
            continue
        width = ranked.high - ranked.low + 1
        if min_leaf == 1 and width * n_present <= _CELLS_PER_ROW * ranked.n_rows:
            score, rank = _scan_histogram(node, ranked, pairs, right, histogram)
        else:
            ordered = sort_pairs(ranked.n_rows, ranked.low, ranked.high, pairs, in_order, starts)
            score, rank = _scan_sorted(node, size, ranked, ordered, right, min_leaf)
        if score > best_score * (1.0 + _TIE):
            best_score, best_feature, best_rank = score, j, rank
    return best_score, best_feature, best_rank


@compiled
def _read_ranks(column, rows, pairs):
    """Write a pair (rank, position) for each row above rank 0; return how many there are."""
    n_ranked = np.int64(0)
    low, high = np.int64(2**31), np.int64(0)
    for i in range(rows.shape[0]):
        rank = np.int64(column[rows[i]])
        pairs[n_ranked] = (rank << 32) | i
        n_ranked += 1 if rank > 0 else 0
        high = max(high, rank)
        low = min(low, rank if rank > 0 else low)
    return _Ranked(n_ranked, n_ranked == rows.shape[0], low, high)


@compiled
def _scan_histogram(node, ranked, pairs, right, histogram):
    """Return the best score and rank, from the weight of each class at each rank."""
    labels, weights, totals = node.labels, node.weights, node.totals
    n_present = right.shape[0]
    low = ranked.low
    for i in range(ranked.n_rows):
        position = pairs[i] & 0xFFFFFFFF
        cell = ((pairs[i] >> 32) - low) * n_present + labels[position]
        histogram[cell] += weights[position]
    total, left_squares = _begin(totals, right)
    least = _LEAST_SHARE * total
    right_weight, right_squares = 0.0, 0.0
    best_score, best_rank = 0.0, np.int64(0)
    for bin in range(ranked.high - low, -1, -1):
        cell = bin * n_present
        added = 0.0
        for k in range(n_present):
            weight = histogram[cell + k]
            histogram[cell + k] = 0.0
            added += weight
            right_squares += weight * (2.0 * right[k] + weight)
            left_squares += weight * (weight - 2.0 * (totals[k] - right[k]))
            right[k] += weight
        if added > 0.0 and (bin > 0 or not ranked.are_all):
            right_weight += added
            rest = total - right_weight
            score = (left_squares * right_weight + right_squares * rest) / (right_weight * rest)
            if score >= best_score * (1.0 - _TIE) and min(right_weight, rest) > least:
                best_score, best_rank = score, bin + low
    return best_score, best_rank


@compiled
def sort_pairs(n_pairs, low, high, pairs, in_order, starts):
    """Return the pairs in the order of their ranks `low` to `high`, by counting, then by insertion.

    Ranks are spread evenly, so little is left to insert if there are about as many buckets as rows.
    """
    if n_pairs <= _FEW_ROWS:
        _insert(pairs, n_pairs)
        return pairs
    width = high - low + 1
    shift = 0
    while (width >> shift) > 2 * n_pairs:
        shift += 1
    n_buckets = ((width - 1) >> shift) + 2
    for b in range(n_buckets):
        starts[b] = 0
    for i in range(n_pairs):
        starts[(((pairs[i] >> 32) - low) >> shift) + 1] += 1
    for b in range(1, n_buckets):
        starts[b] += starts[b - 1]
    for i in range(n_pairs):
        bucket = ((pairs[i] >> 32) - low) >> shift
        in_order[starts[bucket]] = pairs[i]
        starts[bucket] += 1
    if shift > 0:
        _insert(in_order, n_pairs)
    return in_order


@compiled
def _insert(pairs, n_pairs):
    """Sort the first pairs by insertion."""
    for i in range(1, n_pairs):
        pair = pairs[i]
        j = i
        while j > 0 and pairs[j - 1] > pair:
            pairs[j] = pairs[j - 1]
            j -= 1
        pairs[j] = pair


@compiled
def _scan_sorted(node, size, ranked, ordered, right, min_leaf):
    """Return the best score and rank, from the pairs in the order of their ranks."""
    labels, weights, copies, totals = node.labels, node.weights, node.copies, node.totals
    total, left_squares = _begin(totals, right)
    least = _LEAST_SHARE * total
    right_weight, right_squares = 0.0, 0.0
    best_score, best_rank = 0.0, np.int64(0)
    n_right = 0
    rank = ordered[ranked.n_rows - 1] >> 32
    # No row would be left of the lowest one.
    for i in range(ranked.n_rows - 1, 0 if ranked.are_all else -1, -1):
        position = ordered[i] & 0xFFFFFFFF
        k = labels[position]
        weight = weights[position]
        right_squares += weight * (2.0 * right[k] + weight)
        left_squares += weight * (weight - 2.0 * (totals[k] - right[k]))
        right[k] += weight
        right_weight += weight
        n_right += copies[position]
        following = ordered[i - 1] >> 32 if i > 0 else 0
        if following != rank:
            rest = total - right_weight
            score = (left_squares * right_weight + right_squares * rest) / (right_weight * rest)
            if score >= best_score * (1.0 - _TIE) and min(right_weight, rest) > least:  # noqa: SIM102
                if n_right >= min_leaf and size.n_copies - n_right >= min_leaf:
                    best_score, best_rank = score, rank
            rank = following
    return best_score, best_rank


@compiled
def _begin(totals, right):
    """Set the weights on the right to zero; return the weight and the squares on the left."""
    total, squares = 0.0, 0.0
    for k in range(right.shape[0]):
        right[k] = 0.0
        total += totals[k]
        squares += totals[k] * totals[k]
    return total, squares
