"""Compiled regression trees, grown on random splits.

Every feature is compared with the middle between two random rows of the node, and the best of these
splits is taken. Such trees take a fraction of the time of the best thresholds, and the mean of
several is smooth.
"""

import numpy as np

from ..compiled import compiled
from .draws import below, mix
from .tree import LEAF, RegressionNodes

# A node whose rows differ by less than this variance is a leaf; that of a column is about 1.
_LEAST = 1e-3


@compiled(entry=True)
def grow_regression(X, target, weights, seed, n_trees, min_leaf):
    """Grow trees that tell `target` from the features of a row.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_rows)
    target, weights : ndarray of shape (n_rows,)
        Rows of weight 0 play no part.
    seed : int
    n_trees : int
    min_leaf : int
        Smallest number of rows on each side of a split.

    Returns
    -------
    nodes : RegressionNodes
    roots : ndarray of int of shape (n_trees,)
    """
    n_rows = X.shape[1]
    most = n_trees * 2 * (n_rows // min_leaf + 1)
    feature, number, child = np.empty(most, np.int32), np.empty(most), np.zeros(most, np.int32)
    nodes = RegressionNodes(feature, number, child)
    roots, n_nodes = np.empty(n_trees, np.int32), 0
    rows = np.flatnonzero(weights > 0.0)
    for t in range(n_trees):
        roots[t] = n_nodes
        n_nodes = _grow(X, target, weights, rows, seed * n_trees + t, min_leaf, nodes, n_nodes)
    feature, number, child = feature[:n_nodes], number[:n_nodes], child[:n_nodes]
    return RegressionNodes(feature.copy(), number.copy(), child.copy()), roots


@compiled(entry=True)
def regression_values(X, nodes, roots):
    """Return the mean value of the trees for each row of X, of shape (n_features, n_rows)."""
    values = np.empty(X.shape[1])
    for i in range(X.shape[1]):
        values[i] = mean_value(X, i, nodes, roots)
    return values


@compiled
def mean_value(X, row, nodes, roots):
    """Return the mean value of the leaves that a row reaches."""
    total = 0.0
    for root in roots:
        node = np.int64(root)
        while nodes.feature[node] != LEAF:
            above = X[nodes.feature[node], row] > nodes.number[node]
            node = nodes.child[node] + np.int64(above)
        total += nodes.number[node]
    return total / roots.shape[0]


@compiled
def _grow(X, target, weights, rows, seed, min_leaf, nodes, root):
    """Write a tree whose root has the number `root`; return the number after its last node."""
    stack = np.empty((rows.shape[0] + 2, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = root, 0, rows.shape[0]
    n_stack, n_nodes = 1, root + 1
    while n_stack > 0:
        n_stack -= 1
        node, start, stop = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        here = rows[start:stop]
        total, weight, squares = 0.0, 0.0, 0.0
        for i in here:
            total += weights[i] * target[i]
            weight += weights[i]
            squares += weights[i] * target[i] * target[i]
        nodes.feature[node], nodes.number[node] = LEAF, total / weight if weight > 0.0 else 0.0
        if stop - start < 2 * min_leaf or squares - total * nodes.number[node] < _LEAST * weight:
            continue
        state = mix(np.uint64(seed) ^ mix(np.uint64(node - root)))
        f, cut = _best_split(X, target, weights, here, total, weight, state, min_leaf)
        if f == LEAF:
            continue
        nodes.feature[node], nodes.number[node], nodes.child[node] = f, cut, n_nodes
        middle = start + _part(X[f], cut, here)
        for side in range(2):
            stack[n_stack, 0] = n_nodes + side
            stack[n_stack, 1] = middle if side == 1 else start
            stack[n_stack, 2] = stop if side == 1 else middle
            n_stack += 1
        n_nodes += 2
    return n_nodes


@compiled
def _best_split(X, target, weights, here, total, weight, state, min_leaf):
    """Return the feature and the threshold of the best split; LEAF if none explains more."""
    n_rows = here.shape[0]
    best, best_feature, best_cut = total * total / weight, LEAF, 0.0
    # What only rounding gains is no gain.
    best += 1e-12 * (best + weight)
    for f in range(X.shape[0]):
        values = X[f]
        state = mix(state)
        one = values[here[below(state, n_rows)]]
        state = mix(state)
        cut = 0.5 * (one + values[here[below(state, n_rows)]])
        left, left_weight, n_left = 0.0, 0.0, 0
        for i in here:
            # A product instead of a branch, which the processor could not foresee.
            is_left = values[i] <= cut
            own = weights[i] * is_left
            left += own * target[i]
            left_weight += own
            n_left += is_left
        if n_left < min_leaf or n_rows - n_left < min_leaf:
            continue
        right = total - left
        score = left * left / left_weight + right * right / (weight - left_weight)
        if score > best:
            best, best_feature, best_cut = score, f, cut
    return best_feature, best_cut


@compiled
def _part(values, cut, rows):
    """Move the rows whose value is at most `cut` to the front; return how many there are."""
    n_left = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if values[row] <= cut:
            rows[i], rows[n_left] = rows[n_left], row
            n_left += 1
    return n_left
