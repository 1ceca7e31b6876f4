"""Send rows down a tree, node by node, splitting them as in training."""

import numpy as np

from ..compiled import compiled
from .frame import FramedRows
from .tree import BY_LEVEL, BY_VALUE, LEAF, MISSING_RIGHT, PLANE


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
    n_rows, n_trees = framed.columns.shape[1], roots.shape[0]
    leaves, rows = np.empty(n_rows, dtype=np.int32), np.empty((2, n_rows), dtype=np.uint32)
    projection, largest = np.empty(n_rows), tree.feature.shape[0] - roots[n_trees - 1]
    for t in range(n_trees - 1):
        largest = max(largest, roots[t + 1] - roots[t])
    stack = np.empty((largest, 3), dtype=np.int32)
    for root in roots:
        _descend_from(root, framed, tree, rows, projection, stack, leaves)
        add_leaf_shares(leaves, tree.shares, total)


@compiled
def _descend(framed, tree, leaves):
    """Write the leaf of each row."""
    n_rows = framed.columns.shape[1]
    rows, projection = np.empty((2, n_rows), dtype=np.uint32), np.empty(n_rows)
    stack = np.empty((tree.feature.shape[0], 3), dtype=np.int32)
    _descend_from(np.int32(0), framed, tree, rows, projection, stack, leaves)


@compiled
def _descend_from(root, framed, tree, row_pair, projection, stack, leaves):
    """Write the leaf of each row below a root; the arrays before the last are room to work in.

    A node reads one column for all of its rows at once. This is faster than sending rows one by
    one, because the processor neither waits for memory nor predicts branches wrongly.
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
        if f == LEAF:
            for i in range(start, stop):
                leaves[rows[i]] = node
            continue
        here, column = rows[start:stop], projection
        if f == PLANE:
            p = plane[node]
            _project(X, plane_features[p], plane_weights[p], here, projection)
        elif route[node] == BY_VALUE or not (lack_values or route[node] == BY_LEVEL):
            column = X[f]
        elif route[node] == BY_LEVEL:
            _place_levels(X[f], level_words, plane[node], threshold[node], here, projection)
        else:
            _place_missing(X[f], missing[f], route[node] == MISSING_RIGHT, here, projection)
        middle = start + _partition(column, threshold[node], here, spare)
        for side in range(2):
            first = middle if side == 1 else start
            last = stop if side == 1 else middle
            if last > first:
                stack[n_stack, 0] = child[node] + side
                stack[n_stack, 1] = first
                stack[n_stack, 2] = last
                n_stack += 1


@compiled
def _project(X, features, weights, rows, projection):
    """Write the projections of some rows on a plane, summed in the same order as in training."""
    for i in range(rows.shape[0]):
        projection[rows[i]] = 0.0
    for j in range(features.shape[0]):
        column, weight = X[features[j]], weights[j]
        for i in range(rows.shape[0]):
            projection[rows[i]] += weight * column[rows[i]]


@compiled
def _place_missing(column, missing, right, rows, places):
    """Write the values of some rows, with missing ones beyond every threshold of their side."""
    beyond = np.inf if right else -np.inf
    for i in range(rows.shape[0]):
        places[rows[i]] = beyond if missing[rows[i]] else column[rows[i]]


@compiled
def _place_levels(column, level_words, start, limit, rows, places):
    """Write a number above `limit` for rows whose level goes right, and `limit` for others."""
    last = level_words.shape[0] - 1
    for i in range(rows.shape[0]):
        code = np.int64(column[rows[i]])
        word = level_words[min(max(start + (code >> 5), 0), last)]
        places[rows[i]] = limit + ((word >> np.uint32(code & 31)) & np.uint32(1))


@compiled
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
