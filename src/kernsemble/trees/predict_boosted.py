"""Send rows down boosted trees, all nodes of a tree after each other for a block of rows."""

import numpy as np

from ..compiled import compiled

# Rows whose columns and bits stay in the first-level cache.
BLOCK_ROWS = 256
# The six highest bits of this number times a power of two are different for all 64 powers.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
ALL_LEAVES = np.uint64(0xFFFFFFFFFFFFFFFF)


def _list_places():
    places = np.empty(64, dtype=np.int64)
    for bit in range(64):
        places[((int(DE_BRUIJN) << bit) & (2**64 - 1)) >> 58] = bit
    return places


PLACES = _list_places()


@compiled(entry=True)
def add_values(columns, nodes, scores):
    """Add the value of the leaf of each row in each tree to the scores.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_rows)
    nodes : Nodes
        The trees add to the columns of the scores in turn.
    scores : ndarray of shape (n_rows, n_columns)
    """
    n_rows, n_columns = scores.shape
    reached = np.empty(BLOCK_ROWS, dtype=np.uint64)
    for start in range(0, n_rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, n_rows)
        for tree in range(nodes.tree_nodes.shape[0] - 1):
            reached[:] = ALL_LEAVES
            for node in range(nodes.tree_nodes[tree], nodes.tree_nodes[tree + 1]):
                column = columns[nodes.feature[node], start:stop]
                threshold, spared = nodes.threshold[node], nodes.spared[node]
                if nodes.missing_right[node]:
                    _clear_unless_left(column, threshold, spared, reached)
                else:
                    _clear_if_right(column, threshold, spared, reached)
            first, end = nodes.tree_leaves[tree], nodes.tree_leaves[tree + 1]
            place = tree % n_columns
            for i in range(stop - start):
                lowest = reached[i] & (~reached[i] + np.uint64(1))
                leaf = first + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]
                scores[start + i, place] += nodes.value[min(leaf, end - 1)]


@compiled(inline="always")
def _clear_unless_left(column, threshold, spared, reached):
    for i in range(column.shape[0]):
        reached[i] &= ALL_LEAVES if column[i] <= threshold else spared


@compiled(inline="always")
def _clear_if_right(column, threshold, spared, reached):
    for i in range(column.shape[0]):
        reached[i] &= spared if column[i] > threshold else ALL_LEAVES
