"""Send rows down joined boosted trees, all nodes of a tree after each other for a block of rows."""

import numpy as np

from ..compiled import compiled

# Rows whose ranks and bits stay in the nearest cache.
BLOCK_ROWS = 256
# A block is filled up to a multiple of this many rows, so that whole vectors hold all of them.
VECTOR_ROWS = 32
# Up to this many rows are sent down one by one.
FEW_ROWS = 4
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled(entry=True)
def add_ranked_values(columns, trees, multiplier, scores):
    """Add the value of the leaf of each row in each tree to the scores.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_rows)
    trees : JoinedTrees
    multiplier : uint64
        The highest bits of its product with the bit of a leaf are the place of the leaf's value.
    scores : ndarray of shape (n_scores, n_rows)
    """
    n_rows, n_bits = columns.shape[1], np.uint64(trees.value.shape[1])
    shift = n_bits
    while np.uint64(1) << (n_bits - shift) < n_bits:
        shift -= np.uint64(1)
    size = min(BLOCK_ROWS, -(-n_rows // VECTOR_ROWS) * VECTOR_ROWS) if n_rows > FEW_ROWS else 1
    ranks = np.zeros((2 * trees.source.shape[0], size), dtype=trees.rank.dtype)
    reached = np.empty(size, dtype=trees.spared.dtype)
    for start in range(0, n_rows, size):
        stop = min(start + size, n_rows)
        _find_ranks(columns, trees, start, stop, ranks)
        if size == 1:
            _add_to_row(ranks, trees, multiplier, shift, scores, start)
        else:
            _add_to_block(ranks, trees, multiplier, shift, reached, scores[:, start:stop])


@compiled(inline="always")
def _add_to_row(ranks, trees, multiplier, shift, scores, row):
    """Add the values of a single row, for which a loop over the rows of a block would cost more."""
    # Numbers of nodes are unsigned, because signed indices are compared with 0 first.
    node, all_leaves = np.uint64(0), ALL_BITS >> (np.uint64(64) - np.uint64(trees.value.shape[1]))
    for tree in range(trees.target.shape[0]):
        left, end = all_leaves, np.uint64(trees.tree_nodes[tree + 1])
        while node < end:
            stays = ranks[np.uint32(trees.seen[node]), 0] <= trees.rank[node]
            # A number of only ones if the row goes left, so that there is no branch to predict.
            left &= np.uint64(trees.spared[node]) | -np.uint64(stays)
            node += np.uint64(1)
        product = (left & (~left + np.uint64(1))) * multiplier
        place = (product & all_leaves) >> shift
        scores[trees.target[tree], row] += trees.value[tree, place]


@compiled(inline="always")
def _add_to_block(ranks, trees, multiplier, shift, reached, scores):
    """Add the values of a block of rows; `reached` is room for the leaves that they may reach."""
    reached[:] = ALL_BITS
    node, all_leaves = np.uint64(0), reached[0]
    for tree in range(trees.target.shape[0]):
        end = np.uint64(trees.tree_nodes[tree + 1])
        reached[:] = all_leaves
        while node < end:
            own, limit = ranks[np.uint32(trees.seen[node])], trees.rank[node]
            spared = trees.spared[node]
            for i in range(reached.shape[0]):
                reached[i] &= spared if own[i] > limit else all_leaves
            node += np.uint64(1)
        for i in range(reached.shape[0]):
            # The highest bits of the product tell which bit is the lowest of those that remain.
            bits = np.uint64(reached[i])
            reached[i] = (bits & (~bits + np.uint64(1))) * multiplier
        target = trees.target[tree]
        for i in range(scores.shape[1]):
            scores[target, i] += trees.value[tree, np.uint64(reached[i]) >> shift]


@compiled(inline="always")
def _find_ranks(columns, trees, start, stop, ranks):
    """Write the ranks of values twice: missing ones come first, and then last."""
    n_bits = np.uint64(trees.value.shape[1])
    last = np.int64(ALL_BITS >> (np.uint64(65) - n_bits))
    for k in range(trees.source.shape[0]):
        column = columns[trees.source[k]]
        cuts = trees.cuts[trees.cut_starts[k] : trees.cut_starts[k + 1]]
        places = trees.places[trees.place_starts[k] : trees.place_starts[k + 1]]
        for i in range(start, stop):
            value = column[i]
            if places.shape[0] > 0:
                value = places[np.int64(value)] if 0.0 <= value < places.shape[0] else np.nan
            n_below = _count_below(cuts, value)
            ranks[2 * k, i - start] = n_below
            ranks[2 * k + 1, i - start] = last if np.isnan(value) else n_below


@compiled(inline="always")
def _count_below(cuts, value):
    """Return how many of the ascending cuts are smaller than a value, 0 for a missing one."""
    low, n_left = np.uint64(0), np.uint64(cuts.shape[0])
    while n_left > np.uint64(0):
        half = n_left >> np.uint64(1)
        below = cuts[low + half] < value
        low = low + half + np.uint64(1) if below else low
        n_left = n_left - half - np.uint64(1) if below else half
    return np.int64(low)
