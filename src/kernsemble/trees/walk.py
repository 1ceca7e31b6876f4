"""Follow the ways of rows through trees step by step, many ways in turn."""

import numpy as np

from ..compiled import compiled
from .tree import BY_LEVEL, BY_VALUE, LEAF, MISSING_RIGHT, PLANE


@compiled(inline="always")
def walk(framed, tree, rows, nodes, waiting):
    """Follow the way of each row from its node to a leaf, and write the leaf in its place.

    All ways make one step in turn. A single way would wait for memory at every step, and so do
    these, but all at the same time.

    Parameters
    ----------
    framed : FramedRows
    tree : Tree
    rows : ndarray of uint32 of shape (n_ways,)
    nodes : ndarray of int of shape (n_ways,)
    waiting : ndarray of uint32 of shape (n_ways,) or more
        Room to work in: the ways that have not come to a leaf.
    """
    X, missing = framed.columns, framed.missing
    feature, threshold, child, plane = tree.feature, tree.threshold, tree.child, tree.plane
    plane_features, plane_weights = tree.plane_features, tree.plane_weights
    asks = missing.shape[1] > 0 or tree.level_words.shape[0] > 0
    # Indices are unsigned because signed ones are compared with 0 first.
    n_waiting = np.uint32(0)
    for way in range(rows.shape[0]):
        waiting[n_waiting] = way
        n_waiting += np.uint32(feature[nodes[way]] != LEAF)
    while n_waiting > 0:
        n_left = np.uint32(0)
        for k in range(n_waiting):
            way = waiting[k]
            node, row = np.uint32(nodes[way]), rows[way]
            if feature[node] == PLANE:
                p, place = np.uint32(plane[node]), 0.0
                for j in range(plane_features.shape[1]):
                    place += plane_weights[p, j] * X[np.uint32(plane_features[p, j]), row]
                right = place > threshold[node]
            else:
                right = X[np.uint32(feature[node]), row] > threshold[node]
                if asks and tree.route[node] != BY_VALUE:
                    right = _goes_right(X, missing, tree, node, row, right)
            node = np.uint32(child[node]) + np.uint32(right)
            nodes[way] = node
            # The way is kept if it goes on, and otherwise overwritten by the next.
            waiting[n_left] = way
            n_left += np.uint32(feature[np.uint32(node)] != LEAF)
        n_waiting = n_left


@compiled(inline="always")
def _goes_right(X, missing, tree, node, row, right):
    """Return whether a row goes right at a node that asks for a level or for missing values."""
    route, f = tree.route[node], tree.feature[node]
    if route == BY_LEVEL:
        return find_bit(X[f, row], tree.level_words, tree.plane[node]) == np.uint32(1)
    if missing.shape[1] > 0 and missing[f, row]:
        return route == MISSING_RIGHT
    return right


@compiled(inline="always")
def find_bit(code, level_words, start):
    """Return the bit of a level, of which the first is in the word at `start`."""
    code = np.int64(code)
    word = level_words[min(max(start + (code >> 5), 0), level_words.shape[0] - 1)]
    return (word >> np.uint32(code & 31)) & np.uint32(1)
