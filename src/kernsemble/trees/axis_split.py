"""Best single-feature threshold of a node by the Gini impurity, on dense ranks.

Rows move from left to right in the order of falling ranks, so rows of the lowest rank, which are
most rows of a sparse feature, are never ordered at all.
"""

import numpy as np

from .compiled import compiled

__all__ = ["best_axis_split"]

# A histogram is scanned bin by bin: worth it while it has at most this many cells per row.
_CELLS_PER_ROW = 3
# So few rows are ordered faster by insertions alone.
_FEW_ROWS = 12
# A side lighter than this is lost in the rounding of the other side's sums.
_LEAST_SHARE = 1e-12
# Scores that agree to this are equal: fractional weights round differently in every order.
_TIE = 1e-12


@compiled
def best_axis_split(
    ranks, rows, features, n_drawn, labels, weights, counts, totals, n_copies, min_leaf, room
):
    """Return the best score, its position in `features` and the first rank on the right.

    The score of a split is sum_k L_k²/L + sum_k R_k²/R, with L_k and R_k the weight of class k on
    either side: the weighted Gini impurity is one minus this over the node's weight. Equal scores
    go to the feature drawn first, then to the lower threshold.

    Parameters
    ----------
    ranks : ndarray of shape (n_features, n_samples)
    rows : ndarray of shape (n_rows,)
    features : ndarray of shape (>= n_drawn,)
    labels, weights, counts : ndarray of shape (n_rows,)
        Class (0 … n_present - 1), weight and number of copies of each row.
    totals : ndarray of shape (n_present,)
        Weight of each class.
    n_copies : int
        Sum of the counts.
    min_leaf : int
        Copies each side must keep.
    room : tuple of ndarray
        (pairs, sorted pairs, bucket starts, histogram), reused from node to node.
    """
    pairs, in_order, starts, histogram = room
    n_rows = rows.shape[0]
    n_present = totals.shape[0]
    right = np.empty(n_present)
    best_score, best_feature, best_rank = 0.0, -1, np.int64(0)
    for j in range(n_drawn):
        column = ranks[features[j]]
        n_raised, low, high = _read_ranks(column, rows, pairs)
        all_raised = n_raised == n_rows
        if n_raised == 0 or (all_raised and low == high):
            continue
        width = high - low + 1
        if min_leaf == 1 and width * n_present <= _CELLS_PER_ROW * n_raised:
            score, rank = _scan_histogram(
                pairs, n_raised, all_raised, low, width, labels, weights, totals, right, histogram
            )
        else:
            ordered = _sort(pairs, n_raised, low, width, starts, in_order)
            score, rank = _scan_sorted(
                ordered, n_raised, all_raised, labels, weights, counts, totals, right, n_copies,
                min_leaf,
            )  # fmt: skip
        if score > best_score * (1.0 + _TIE):
            best_score, best_feature, best_rank = score, j, rank
    return best_score, best_feature, best_rank


@compiled
def _read_ranks(column, rows, pairs):
    """Write (rank, position) of the rows above rank 0; return how many, and their range."""
    n_raised = np.int64(0)
    low, high = np.int64(2**31), np.int64(0)
    for i in range(rows.shape[0]):
        rank = np.int64(column[rows[i]])
        pairs[n_raised] = (rank << 32) | i
        n_raised += 1 if rank > 0 else 0
        high = max(high, rank)
        low = min(low, rank if rank > 0 else low)
    return n_raised, low, high


@compiled
def _scan_histogram(
    pairs, n_raised, all_raised, low, width, labels, weights, totals, right, histogram
):
    n_present = totals.shape[0]
    for i in range(n_raised):
        position = pairs[i] & 0xFFFFFFFF
        cell = ((pairs[i] >> 32) - low) * n_present + labels[position]
        histogram[cell] += weights[position]
    total, left_squares = _begin(totals, right)
    least = _LEAST_SHARE * total
    right_weight, right_squares = 0.0, 0.0
    best_score, best_rank = 0.0, np.int64(0)
    for bin in range(width - 1, -1, -1):
        cell = bin * n_present
        added = 0.0
        for k in range(n_present):
            weight = histogram[cell + k]
            histogram[cell + k] = 0.0
            added += weight
            right_squares += weight * (2.0 * right[k] + weight)
            left_squares += weight * (weight - 2.0 * (totals[k] - right[k]))
            right[k] += weight
        if added > 0.0 and (bin > 0 or not all_raised):
            right_weight += added
            rest = total - right_weight
            score = (left_squares * right_weight + right_squares * rest) / (right_weight * rest)
            if score >= best_score * (1.0 - _TIE) and min(right_weight, rest) > least:
                best_score, best_rank = score, bin + low
    return best_score, best_rank


@compiled
def _sort(pairs, n_raised, low, width, starts, in_order):
    """Return the pairs in the order of their ranks: one counting pass, then insertions.

    Ranks are spread evenly, so with about as many buckets as rows little is left to insert.
    """
    if n_raised <= _FEW_ROWS:
        _insert(pairs, n_raised)
        return pairs
    shift = 0
    while (width >> shift) > 2 * n_raised:
        shift += 1
    n_buckets = ((width - 1) >> shift) + 2
    for b in range(n_buckets):
        starts[b] = 0
    for i in range(n_raised):
        starts[(((pairs[i] >> 32) - low) >> shift) + 1] += 1
    for b in range(1, n_buckets):
        starts[b] += starts[b - 1]
    for i in range(n_raised):
        bucket = ((pairs[i] >> 32) - low) >> shift
        in_order[starts[bucket]] = pairs[i]
        starts[bucket] += 1
    if shift > 0:
        _insert(in_order, n_raised)
    return in_order


@compiled
def _insert(pairs, n_pairs):
    """Sort by insertions."""
    for i in range(1, n_pairs):
        pair = pairs[i]
        j = i
        while j > 0 and pairs[j - 1] > pair:
            pairs[j] = pairs[j - 1]
            j -= 1
        pairs[j] = pair


@compiled
def _scan_sorted(
    ordered, n_raised, all_raised, labels, weights, counts, totals, right, n_copies, min_leaf
):
    total, left_squares = _begin(totals, right)
    least = _LEAST_SHARE * total
    right_weight, right_squares = 0.0, 0.0
    best_score, best_rank = 0.0, np.int64(0)
    n_right = 0
    rank = ordered[n_raised - 1] >> 32
    # The lowest row of all has no row to its left.
    for i in range(n_raised - 1, 0 if all_raised else -1, -1):
        position = ordered[i] & 0xFFFFFFFF
        k = labels[position]
        weight = weights[position]
        right_squares += weight * (2.0 * right[k] + weight)
        left_squares += weight * (weight - 2.0 * (totals[k] - right[k]))
        right[k] += weight
        right_weight += weight
        n_right += counts[position]
        following = ordered[i - 1] >> 32 if i > 0 else 0
        if following != rank:
            rest = total - right_weight
            score = (left_squares * right_weight + right_squares * rest) / (right_weight * rest)
            if score >= best_score * (1.0 - _TIE) and min(right_weight, rest) > least:  # noqa: SIM102
                if n_right >= min_leaf and n_copies - n_right >= min_leaf:
                    best_score, best_rank = score, rank
            rank = following
    return best_score, best_rank


@compiled
def _begin(totals, right):
    total, squares = 0.0, 0.0
    for k in range(totals.shape[0]):
        right[k] = 0.0
        total += totals[k]
        squares += totals[k] * totals[k]
    return total, squares
