"""Grow trees.

At each node some features are drawn. The node is split by a bisector of the two proximal planes of
these features if that lowers the impurity enough, and otherwise by the best threshold on one of
them. Categories and missing values compete with these, see `mixed_split`.
"""

import numpy as np

from ..compiled import compiled
from .axis_split import reserve_split
from .draws import draw_copies, draw_features
from .mixed_split import reserve_mixed, split_mixed
from .node import Bag, read_node, reserve_node
from .number_split import split_numbers
from .tree import BY_LEVEL, LEAF, PLANE, Tree

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
        trees.append(grow_tree(rows, rows.mixed, bag, n_classes, growth, seeds[k]))
    return trees, copies


@compiled
def grow_tree(rows, mixed, bag, n_classes, growth, seed):
    """Return the arrays of a tree grown on the rows of a bag; see `grow_trees`.

    `mixed` are the `MixedColumns` of the rows. Where it is None, numba leaves its branches out.
    """
    row_numbers = np.flatnonzero(bag.copies).astype(np.int32)
    n_rows = row_numbers.shape[0]
    tree = _reserve_tree(n_rows, n_classes, growth)
    level_words = tree.level_words
    n_nodes, n_planes, n_words = 1, 0, 0

    # Fields of records are read before the loop, because every access counts a reference.
    codes, columns = rows.codes, rows.columns
    ranked = (rows.ranks, rows.levels, rows.level_starts)
    feature, threshold, child, route = tree.feature, tree.threshold, tree.child, tree.route
    plane, plane_features, plane_weights = tree.plane, tree.plane_features, tree.plane_weights
    shares, samples, gains = tree.shares, tree.samples, tree.gains
    node = reserve_node(n_rows, n_classes)
    totals = node.totals
    axis, weights = reserve_split(n_rows), np.empty(growth.n_drawn + 1)
    pool = np.arange(columns.shape[0]).astype(np.int32)
    drawn = np.empty(growth.n_drawn, dtype=np.int32)
    numeric, n_numeric = drawn, growth.n_drawn
    if mixed is not None:
        arrays = reserve_mixed(n_rows, n_classes, growth.n_drawn, mixed.max_levels)
        numeric = arrays.numeric
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
        least = squares / total + growth.min_decrease * total
        draw_features(seed, number, pool, growth.n_drawn, drawn)
        if mixed is None:
            split = split_numbers(
                columns, ranked, here, node, size, drawn, growth, least, axis, weights, to_right
            )
        else:
            split, n_numeric = split_mixed(
                columns,
                ranked,
                mixed,
                here,
                node,
                size,
                drawn,
                growth,
                least,
                axis,
                weights,
                arrays,
                to_right,
            )
        if split.feature == LEAF:
            continue
        feature[number], threshold[number] = split.feature, split.threshold
        if split.feature == PLANE:
            plane[number] = n_planes
            for j in range(growth.n_drawn):
                plane_features[n_planes, j] = numeric[j]
                plane_weights[n_planes, j] = weights[j] if j < n_numeric else 0.0
            n_planes += 1
        if mixed is not None:
            route[number] = split.route
            if split.route == BY_LEVEL:
                plane[number] = n_words
                needed = n_words + mixed.n_levels[split.feature] // 32 + 1
                level_words = _with_room(level_words, needed)
                _write_words(arrays.words, needed - n_words, level_words, n_words)
                n_words = needed
        gains[number] = split.score - squares / total
        n_left = _partition(here, to_right, spare)
        child[number] = n_nodes
        n_stack = _push(stack, n_stack, start + n_left, stop, depth + 1, n_nodes + 1)
        n_stack = _push(stack, n_stack, start, start + n_left, depth + 1, n_nodes)
        n_nodes += 2
    return _trim(tree, n_nodes, n_planes, level_words[:n_words])


@compiled
def _with_room(words, needed):
    """Return the array, or a larger copy of it if it has fewer than `needed` entries."""
    if needed <= words.shape[0]:
        return words
    larger = np.empty(2 * needed, dtype=np.uint32)
    _write_words(words, words.shape[0], larger, 0)
    return larger


@compiled
def _write_words(words, n_words, target, start):
    """Write the first words into `target`. This compiles faster than an assignment of slices."""
    for i in range(n_words):
        target[start + i] = words[i]


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
        np.zeros(max_nodes, dtype=np.int8),
        np.empty(0, dtype=np.uint32),
    )


@compiled
def _trim(tree, n_nodes, n_planes, level_words):
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
        tree.route[:n_nodes].copy(),
        level_words.copy(),
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
