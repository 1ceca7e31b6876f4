"""Best single-feature threshold of a node by the Gini impurity, on dense ranks."""

import numpy as np

from .compiled import compiled

__all__ = ["best_axis_split"]

# A histogram is scanned bin by bin: worth it while it has at most this many cells per row.
_CELLS_PER_ROW = 3
# A side lighter than this is lost in the rounding of the other side's sums.
_LEAST_SHARE = 1e-12


@compiled
def best_axis_split(
    ranks, rows, features, n_drawn, labels, weights, counts, totals, n_rows_left, min_leaf, room
):
    """Return the best score, its position in `features` and the last rank on the left.

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
    n_rows_left : int
        Sum of the counts.
    min_leaf : int
        Copies each side must keep.
    room : tuple of ndarray
        (keys, sorted keys, bucket starts, histogram), reused from node to node.
    """
    keys, in_order, starts, histogram = room
    n_rows = rows.shape[0]
    n_present = totals.shape[0]
    left = np.empty(n_present)
    best_score, best_feature, best_rank = -1.0, -1, 0
    for j in range(n_drawn):
        column = ranks[features[j]]
        low = np.int64(column[rows[0]])
        high = low
        for i in range(n_rows):
            rank = np.int64(column[rows[i]])
            keys[i] = rank
            low = min(low, rank)
            high = max(high, rank)
        if low == high:
            continue
        width = high - low + 1
        if min_leaf == 1 and width * n_present <= _CELLS_PER_ROW * n_rows:
            score, rank = _scan_histogram(
                keys, n_rows, low, width, labels, weights, totals, left, histogram
            )
        else:
            _sort(keys, n_rows, low, width, starts, in_order)
            score, rank = _scan_sorted(
                in_order, n_rows, labels, weights, counts, totals, left, n_rows_left, min_leaf
            )
        if score > best_score:
            best_score, best_feature, best_rank = score, j, rank
    return best_score, best_feature, best_rank


@compiled
def _scan_histogram(keys, n_rows, low, width, labels, weights, totals, left, histogram):
    n_present = totals.shape[0]
    for i in range(n_rows):
        histogram[(keys[i] - low) * n_present + labels[i]] += weights[i]
    total, right_squares = _begin(totals, left)
    left_weight, left_squares = 0.0, 0.0
    least = _LEAST_SHARE * total
    best_score, best_rank = -1.0, np.int64(0)
    for bin in range(width - 1):
        cell = bin * n_present
        added = 0.0
        for k in range(n_present):
            weight = histogram[cell + k]
            histogram[cell + k] = 0.0
            added += weight
            left_squares += weight * (2.0 * left[k] + weight)
            right_squares += weight * (weight - 2.0 * (totals[k] - left[k]))
            left[k] += weight
        if added > 0.0:
            left_weight += added
            rest = total - left_weight
            score = left_squares / left_weight + right_squares / rest
            if score > best_score and min(left_weight, rest) > least:
                best_score, best_rank = score, bin + low
    for k in range(n_present):
        histogram[(width - 1) * n_present + k] = 0.0
    return best_score, best_rank


@compiled
def _sort(keys, n_rows, low, width, starts, in_order):
    """Write (rank, position) pairs in the order of the ranks: one counting pass, then insertions.

    Ranks are spread evenly, so with about as many buckets as rows little is left to insert.
    """
    shift = 0
    while (width >> shift) > 2 * n_rows:
        shift += 1
    n_buckets = (width >> shift) + 2
    for b in range(n_buckets):
        starts[b] = 0
    for i in range(n_rows):
        starts[((keys[i] - low) >> shift) + 1] += 1
    for b in range(1, n_buckets):
        starts[b] += starts[b - 1]
    for i in range(n_rows):
        bucket = (keys[i] - low) >> shift
        in_order[starts[bucket]] = (keys[i] << 32) | i
        starts[bucket] += 1
    if shift > 0:
        for i in range(1, n_rows):
            pair = in_order[i]
            j = i
            while j > 0 and in_order[j - 1] > pair:
                in_order[j] = in_order[j - 1]
                j -= 1
            in_order[j] = pair


@compiled
def _scan_sorted(in_order, n_rows, labels, weights, counts, totals, left, n_rows_left, min_leaf):
    total, right_squares = _begin(totals, left)
    left_weight, left_squares = 0.0, 0.0
    least = _LEAST_SHARE * total
    best_score, best_rank = -1.0, np.int64(0)
    n_left = 0
    rank = in_order[0] >> 32
    for i in range(n_rows - 1):
        position = in_order[i] & 0xFFFFFFFF
        k = labels[position]
        weight = weights[position]
        left_squares += weight * (2.0 * left[k] + weight)
        right_squares += weight * (weight - 2.0 * (totals[k] - left[k]))
        left[k] += weight
        left_weight += weight
        n_left += counts[position]
        following = in_order[i + 1] >> 32
        if following != rank:
            rest = total - left_weight
            score = left_squares / left_weight + right_squares / rest
            if score > best_score and min(left_weight, rest) > least:  # noqa: SIM102
                if n_left >= min_leaf and n_rows_left - n_left >= min_leaf:
                    best_score, best_rank = score, rank
            rank = following
    return best_score, best_rank


@compiled
def _begin(totals, left):
    total, squares = 0.0, 0.0
    for k in range(totals.shape[0]):
        left[k] = 0.0
        total += totals[k]
        squares += totals[k] * totals[k]
    return total, squares
