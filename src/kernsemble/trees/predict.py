"""Send rows down a tree, node by node, splitting them as in training."""

import numpy as np

from ..compiled import compiled
from .frame import FramedRows
from .tree import BY_LEVEL, BY_VALUE, LEAF, MISSING_RIGHT, PLANE
from .walk import find_bit, walk

# A node with at most this many rows hands them over to `walk`.
FEW_ROWS = 24
# Number of ways through trees that `walk` follows in turn; more would leave the nearest cache.
MANY_WAYS = 128


@compiled(entry=True)
def find_leaves(framed, tree, leaves):
    """Write the leaf of each row.

    Parameters
    ----------
    framed : FramedRows
    tree : Tree
    leaves : ndarray of int of shape (n_rows,)
    """
    _descend(framed, tree, leaves)


@compiled(entry=True)
def add_tree_scores(framed, tree, vote, total):
    """Add the class shares of the leaf of each row to `total`, or its vote if `vote` is set.

    Parameters
    ----------
    framed : FramedRows
    tree : Tree
    vote : bool
    total : ndarray of shape (n_rows, n_classes)
    """
    leaves = np.empty(framed.columns.shape[1], dtype=np.int32)
    _descend(framed, tree, leaves)
    if vote:
        add_leaf_votes(leaves, tree.shares, total)
    else:
        add_leaf_shares(leaves, tree.shares, total)


@compiled(entry=True)
def add_forest_scores(framed, tree, roots, total):
    """Add the class shares of the leaf of each row to `total`, for each of the merged trees.

    Parameters
    ----------
    framed : FramedRows
    tree : Tree
        The nodes of all trees.
    roots : ndarray of int of shape (n_trees,)
    total : ndarray of shape (n_rows, n_classes)
    """
    _add_merged(framed, tree, roots, total)


@compiled(entry=True)
def add_turned_forest_scores(framed, tree, roots, rotations, turns, total):
    """Do as `add_forest_scores` for trees that were grown on rotated columns.

    Parameters
    ----------
    framed : FramedRows
    tree : Tree
        No node of it asks whether a number is missing.
    roots : ndarray of int of shape (n_trees,)
    rotations : Rotation
        Several of them, along a first axis.
    turns : ndarray of int of shape (n_trees,)
        Number of the rotation of each tree. Neighbours should share one.
    total : ndarray of shape (n_rows, n_classes)
    """
    turned = np.empty_like(framed.columns)
    first = 0
    for t in range(1, len(roots) + 1):
        if t < len(roots) and turns[t] == turns[first]:
            continue
        turn = turns[first]
        _turn(framed.columns, rotations.sources[turn], rotations.weights[turn], turned)
        _add_merged(FramedRows(turned, framed.missing), tree, roots[first:t], total)
        first = t


@compiled
def _add_merged(framed, tree, roots, total):
    """Send rows down together as long as a node has many of them, and walk the rest of the way."""
    n_rows, n_trees = framed.columns.shape[1], roots.shape[0]
    # With few rows several trees are walked at once.
    together = min(max(1, MANY_WAYS // max(1, n_rows)), n_trees)
    largest = tree.feature.shape[0] - roots[n_trees - 1]
    for t in range(n_trees - 1):
        largest = max(largest, roots[t + 1] - roots[t])
    row_pair, places = np.empty((2, n_rows), dtype=np.uint32), np.empty(n_rows)
    stack = np.empty((largest, 3), dtype=np.int32)
    rows, nodes = _repeat_rows(n_rows, together), np.empty(n_rows * together, dtype=np.int32)
    waiting = np.empty(nodes.shape[0], dtype=np.uint32)
    for first in range(0, n_trees, together):
        n_ways = 0
        for root in roots[first : first + together]:
            nodes[n_ways : n_ways + n_rows] = root
            if n_rows > FEW_ROWS:
                own, few = nodes[n_ways : n_ways + n_rows], np.int64(FEW_ROWS)
                _descend_from(root, framed, tree, few, row_pair, places, stack, own)
            n_ways += n_rows
        walk(framed, tree, rows[:n_ways], nodes, waiting)
        for way in range(n_ways):
            row, leaf = rows[way], nodes[way]
            for k in range(total.shape[1]):
                total[row, k] += tree.shares[leaf, k]


@compiled
def _descend(framed, tree, leaves):
    """Write the leaf of each row."""
    n_rows = framed.columns.shape[1]
    rows, places = np.empty((2, n_rows), dtype=np.uint32), np.empty(n_rows)
    stack = np.empty((tree.feature.shape[0], 3), dtype=np.int32)
    _descend_from(np.int32(0), framed, tree, np.int64(0), rows, places, stack, leaves)


@compiled(inline="always")
def _repeat_rows(n_rows, times):
    rows = np.empty(n_rows * times, dtype=np.uint32)
    for k in range(times):
        for i in range(n_rows):
            rows[k * n_rows + i] = i
    return rows


@compiled
def _descend_from(root, framed, tree, few, row_pair, places, stack, reached):
    """Send rows down from a root; write the first node of each that is a leaf or has few rows.

    With `few` = 0 it is always a leaf. The arrays before the last are room to work in.

    A node reads one column for all of its rows at once. With many rows this is faster than sending
    them one by one, because the processor neither waits for memory nor predicts branches wrongly.
    """
    X, missing = framed.columns, framed.missing
    n_rows = X.shape[1]
    feature, threshold, child, plane = tree.feature, tree.threshold, tree.child, tree.plane
    route, level_words = tree.route, tree.level_words
    lack_values = missing.shape[1] > 0
    plane_features, plane_weights = tree.plane_features, tree.plane_weights
    rows, spare = row_pair[0], row_pair[1]
    for i in range(n_rows):
        rows[i] = i
    stack[0, 0], stack[0, 1], stack[0, 2] = root, 0, n_rows
    n_stack = 1
    while n_stack > 0:
        n_stack -= 1
        node, start, stop = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        f = feature[node]
        if f == LEAF or stop - start <= few:
            for i in range(start, stop):
                reached[rows[i]] = node
            continue
        here, column = rows[start:stop], places
        if f == PLANE:
            p = plane[node]
            _project(X, plane_features[p], plane_weights[p], here, places)
        elif route[node] == BY_VALUE or not (lack_values or route[node] == BY_LEVEL):
            column = X[f]
        elif route[node] == BY_LEVEL:
            _place_levels(X[f], level_words, plane[node], threshold[node], here, places)
        else:
            _place_missing(X[f], missing[f], route[node] == MISSING_RIGHT, here, places)
        middle = start + _partition(column, threshold[node], here, spare)
        for side in range(2):
            first = middle if side == 1 else start
            last = stop if side == 1 else middle
            if last > first:
                stack[n_stack, 0] = child[node] + side
                stack[n_stack, 1] = first
                stack[n_stack, 2] = last
                n_stack += 1


@compiled(inline="always")
def _project(X, features, weights, rows, places):
    """Write the projections of some rows on a plane, summed in the same order as in training."""
    n_parts, first = features.shape[0], 0
    if n_parts >= 4:
        # Most planes have four parts or more, and so many in one pass write every sum once.
        c0, c1, c2, c3 = X[features[0]], X[features[1]], X[features[2]], X[features[3]]
        w0, w1, w2, w3 = weights[0], weights[1], weights[2], weights[3]
        for i in range(rows.shape[0]):
            row = rows[i]
            place = ((0.0 + w0 * c0[row]) + w1 * c1[row]) + w2 * c2[row]
            places[row] = place + w3 * c3[row]
        first = 4
    else:
        for i in range(rows.shape[0]):
            places[rows[i]] = 0.0
    for j in range(first, n_parts):
        column, weight = X[features[j]], weights[j]
        for i in range(rows.shape[0]):
            places[rows[i]] += weight * column[rows[i]]


@compiled(inline="always")
def _place_missing(column, missing, right, rows, places):
    """Write the values of some rows, with missing ones beyond every threshold of their side."""
    beyond = np.inf if right else -np.inf
    for i in range(rows.shape[0]):
        places[rows[i]] = beyond if missing[rows[i]] else column[rows[i]]


@compiled(inline="always")
def _place_levels(column, level_words, start, limit, rows, places):
    """Write a number above `limit` for rows whose level goes right, and `limit` for others."""
    for i in range(rows.shape[0]):
        places[rows[i]] = limit + find_bit(column[rows[i]], level_words, start)


@compiled(inline="always")
def _partition(column, limit, rows, spare):
    """Move the rows whose value is at most `limit` to the front; return how many there are."""
    n_left, n_right = np.uint64(0), np.uint64(0)
    for i in range(rows.shape[0]):
        row = rows[i]
        above = column[row] > limit
        # The row is written to both sides and counted on one, so there is no branch to predict.
        rows[n_left] = row
        spare[n_right] = row
        n_right += np.uint64(above)
        n_left += np.uint64(not above)
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return np.int64(n_left)


@compiled
def add_leaf_shares(leaves, shares, total):
    """Add the class shares of the leaf of each row to the row of `total`."""
    for i in range(leaves.shape[0]):
        leaf = leaves[i]
        for k in range(total.shape[1]):
            total[i, k] += shares[leaf, k]


@compiled
def add_leaf_votes(leaves, shares, total):
    """Add one vote for the largest class of the leaf of each row; the first of equals wins."""
    for i in range(leaves.shape[0]):
        leaf = leaves[i]
        best = 0
        for k in range(1, total.shape[1]):
            if shares[leaf, k] > shares[leaf, best]:
                best = k
        total[i, best] += 1.0


@compiled(entry=True)
def rotate_columns(X, rotation, out):
    """Write the rotated columns; the result for a row does not depend on the other rows."""
    _turn(X, rotation.sources, rotation.weights, out)


@compiled
def _turn(X, sources, weights, out):
    for k in range(X.shape[0]):
        column = out[k]
        column[:] = 0.0
        for j in range(sources.shape[1]):
            source, weight = X[sources[k, j]], weights[k, j]
            for i in range(X.shape[1]):
                column[i] += weight * source[i]
