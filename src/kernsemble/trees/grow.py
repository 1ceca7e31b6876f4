"""Grow trees.

At each node some features are drawn. The node is split by a bisector of the two proximal planes of
these features if that lowers the impurity enough, and otherwise by the best threshold on one of
them.
"""

import numpy as np

from .axis_split import best_axis_split, reserve_split
from .bisector import best_bisector, may_be_regular
from .compiled import compiled
from .draws import draw_copies, draw_features
from .node import Bag, read_node, reserve_node
from .proximal_plane import AXIS
from .tree import LEAF, PLANE, Tree

# `growth.regularization` of an ordinary tree, which has no planes.
NEVER = -1


@compiled(entry=True)
def grow_trees(rows, weights, n_classes, growth, seeds):
    """Grow one tree for each seed.

    A batch of trees is grown in one call, because small trees take less time than a thread waits
    between two calls.

    Parameters
    ----------
    rows : SortedRows
    weights : ndarray of shape (n_samples,)
        Weight of one copy of each row.
    n_classes : int
    growth : Growth
        With the number of the regularisation (AXIS, TIKHONOV, NULLSPACE or NEVER) for its name.
    seeds : ndarray of int of shape (n_trees,)

    Returns
    -------
    trees : list of tuple
        The arrays of each `Tree`.
    copies : ndarray of int of shape (n_trees, n_samples)
        How often each row was drawn for each tree.
    """
    copies = np.ones((len(seeds), len(rows.codes)), dtype=np.int32)
    trees = []
    for k in range(len(seeds)):
        if growth.bootstrap:
            draw_copies(seeds[k], copies[k])
        bag = Bag(copies[k], weights * copies[k])
        trees.append(grow_tree(rows, bag, n_classes, growth, seeds[k]))
    return trees, copies


@compiled
def grow_tree(rows, bag, n_classes, growth, seed):
    """Return the arrays of a tree grown on the rows of a bag; see `grow_trees`."""
    row_numbers = np.flatnonzero(bag.copies).astype(np.int32)
    n_rows = row_numbers.shape[0]
    tree = _reserve_tree(n_rows, n_classes, growth)
    n_nodes, n_planes = 1, 0

    # Fields of records are read before the loop, because every access counts a reference.
    codes, columns, ranks = rows.codes, rows.columns, rows.ranks
    levels, level_starts = rows.levels, rows.level_starts
    feature, threshold, child = tree.feature, tree.threshold, tree.child
    plane, plane_features, plane_weights = tree.plane, tree.plane_features, tree.plane_weights
    shares, samples, gains = tree.shares, tree.samples, tree.gains
    node = reserve_node(n_rows, n_classes)
    bounds, totals = node.bounds, node.totals
    arrays = reserve_split(n_rows)
    pool = np.arange(columns.shape[0]).astype(np.int32)
    drawn = np.empty(growth.n_drawn, dtype=np.int32)
    split = np.empty(growth.n_drawn + 1)
    to_right = np.empty(n_rows, dtype=np.bool_)
    spare = np.empty(n_rows, dtype=np.int32)

    stack = np.empty((2 * n_rows + 1, 4), dtype=np.int64)
    n_stack = _push(stack, 0, 0, n_rows, 0, 0)
    while n_stack > 0:
        n_stack -= 1
        start, stop, depth = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        number = stack[n_stack, 3]
        here = row_numbers[start:stop]
        size = read_node(here, codes, bag, node, shares[number])
        samples[number] = size.n_copies
        if (
            size.n_present < 2
            or size.n_copies < growth.min_samples_split
            or depth >= growth.max_depth
        ):
            continue
        total, squares = 0.0, 0.0
        for k in range(size.n_present):
            total += totals[k]
            squares += totals[k] * totals[k]
        # Scores are sums of squares over weights; a gain is a difference of scores over `total`.
        least_score = squares / total + growth.min_decrease * total
        draw_features(seed, number, pool, growth.n_drawn, drawn)
        score = -1.0
        if growth.regularization > AXIS or (
            growth.regularization == AXIS
            and may_be_regular(ranks, here, bounds, size.n_present, drawn)
        ):
            score = best_bisector(columns, here, node, size, drawn, growth, split, to_right)
        if score > least_score:
            feature[number] = PLANE
            threshold[number] = split[growth.n_drawn]
            plane[number] = n_planes
            for j in range(growth.n_drawn):
                plane_features[n_planes, j] = drawn[j]
                plane_weights[n_planes, j] = split[j]
            n_planes += 1
        else:
            score, position, first = best_axis_split(
                ranks, here, node, size, drawn, growth.min_samples_leaf, arrays
            )
            if not score > least_score:
                continue
            f = drawn[position]
            feature[number] = f
            threshold[number] = _split_ranks(
                ranks[f], levels[level_starts[f] :], here, first, to_right
            )
        gains[number] = score - squares / total
        n_left = _partition(here, to_right, spare)
        child[number] = n_nodes
        n_stack = _push(stack, n_stack, start + n_left, stop, depth + 1, n_nodes + 1)
        n_stack = _push(stack, n_stack, start, start + n_left, depth + 1, n_nodes)
        n_nodes += 2
    return _trim(tree, n_nodes, n_planes)


@compiled
def _reserve_tree(n_rows, n_classes, growth):
    """Return a tree whose arrays have room for as many nodes as `n_rows` rows can have."""
    max_nodes = 2 * n_rows + 1
    max_planes = n_rows if growth.regularization != NEVER else 1
    return Tree(
        np.full(max_nodes, LEAF, dtype=np.int32),
        np.zeros(max_nodes),
        np.zeros(max_nodes, dtype=np.int32),
        np.zeros(max_nodes, dtype=np.int32),
        np.empty((max_nodes, n_classes)),
        np.zeros(max_nodes, dtype=np.int32),
        np.empty((max_planes, growth.n_drawn), dtype=np.int32),
        np.empty((max_planes, growth.n_drawn)),
        np.zeros(max_nodes),
    )


@compiled
def _trim(tree, n_nodes, n_planes):
    """Return copies of the arrays of the tree, cut to the nodes and planes it has.

    They are a plain tuple, because it takes numba longer to make a Python record.
    """
    return (
        tree.feature[:n_nodes].copy(),
        tree.threshold[:n_nodes].copy(),
        tree.child[:n_nodes].copy(),
        tree.plane[:n_nodes].copy(),
        tree.shares[:n_nodes].copy(),
        tree.samples[:n_nodes].copy(),
        tree.plane_features[:n_planes].copy(),
        tree.plane_weights[:n_planes].copy(),
        tree.gains[:n_nodes].copy(),
    )


@compiled
def _push(stack, n_stack, start, stop, depth, number):
    """Put a node on the stack and return the new size of the stack."""
    stack[n_stack, 0] = start
    stack[n_stack, 1] = stop
    stack[n_stack, 2] = depth
    stack[n_stack, 3] = number
    return n_stack + 1


@compiled
def _split_ranks(column, levels, rows, first, to_right):
    """Send the rows of rank `first` and above to the right; return the threshold.

    It is half-way between the largest value on the left and the smallest on the right.
    """
    last = np.int64(0)
    for i in range(rows.shape[0]):
        rank = np.int64(column[rows[i]])
        to_right[i] = rank >= first
        last = max(last, rank if rank < first else last)
    low, high = levels[last], levels[first]
    middle = low + 0.5 * (high - low)
    return middle if middle < high else low


@compiled
def _partition(rows, to_right, spare):
    """Move the rows of the left side to the front, keeping the order; return their number."""
    n_left, n_right = 0, 0
    for i in range(rows.shape[0]):
        row = rows[i]
        rows[n_left] = row
        spare[n_right] = row
        n_right += to_right[i]
        n_left += 1 - to_right[i]
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left
