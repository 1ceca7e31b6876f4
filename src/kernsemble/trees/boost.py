"""Boosted trees: each tree is grown on the gradients of the log-loss of those before it.

Columns come in bins, see `bins`. A tree splits the leaf of the largest gain next, until it has
enough leaves. For a split only sums over bins are needed, and the sums of one child are those of
its parent less those of its brother, so that they are counted for the smaller child alone.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .bins import BinnedRows
from .draws import draw_features


class Draws(NamedTuple):
    """The columns that are drawn for a tree, and the places among them that a split tries."""

    pool: np.ndarray
    drawn: np.ndarray
    places: np.ndarray
    tried: np.ndarray


class Space(NamedTuple):
    """Arrays that all trees of a model use one after the other.

    The rows of a node are a slice of `order`. A node has its children in `left` and `right`, or -1
    if it is a leaf. Nodes that may be split have a slot in `sums`, where slopes, curvatures and
    rows are summed over bins.
    """

    order: np.ndarray
    spare: np.ndarray
    sums: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    left: np.ndarray
    right: np.ndarray
    slots: np.ndarray
    gains: np.ndarray
    features: np.ndarray
    bins: np.ndarray
    missing_right: np.ndarray
    totals: np.ndarray
    left_totals: np.ndarray
    places: np.ndarray
    n_leaves: np.ndarray


@compiled
def _reserve(n_rows, n_places, max_leaves):
    n_nodes = 2 * max_leaves - 1
    return Space(
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.empty((max_leaves, n_places, 3)),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.bool_),
        np.empty((n_nodes, 2)),
        np.empty((n_nodes, 2)),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
    )


@compiled(entry=True)
def boost(binned, codes, weights, scores, growth, seed, first, n_steps):
    """Grow trees and add them to the scores of the rows.

    Parameters
    ----------
    binned : BinnedRows
    codes : ndarray of int of shape (n_rows,)
    weights : ndarray of shape (n_rows,)
    scores : ndarray of shape (n_outputs, n_rows)
        Changed in place. With two classes there is one output, the log-odds of class 1.
    growth : BoostGrowth
    seed : int
    first : int
        Number of steps that the model has already.
    n_steps : int
        Number of steps to take, each of one tree for every output.

    Returns
    -------
    tuple
        The arrays of `Nodes`.
    """
    n_outputs, n_rows = scores.shape
    n_features, max_leaves = binned.codes.shape[1], growth.max_leaves
    n_trees = n_steps * n_outputs
    most = n_trees * (max_leaves - 1)
    tree_nodes = np.zeros(n_trees + 1, np.int64)
    tree_leaves = np.zeros(n_trees + 1, np.int64)
    feature, threshold = np.empty(most, np.int32), np.empty(most)
    missing_right, spared = np.empty(most, np.bool_), np.empty(most, np.uint64)
    value = np.empty(n_trees * max_leaves)

    draws = Draws(
        np.arange(n_features),
        np.empty(growth.n_drawn, np.int64),
        np.arange(growth.n_drawn),
        np.empty(growth.n_tried, np.int64),
    )
    widest = binned.n_bins.max() + 1
    space = _reserve(n_rows, growth.n_drawn * widest, max_leaves)
    slopes = np.empty((n_outputs, n_rows, 2))
    for step in range(n_steps):
        find_slopes(scores, codes, weights, slopes)
        grid = _grid_of(binned, first + step)
        for k in range(n_outputs):
            tree = step * n_outputs + k
            # Every tree has numbers of its own for its draws, one for each node.
            number = (first * n_outputs + tree) * 2 * max_leaves
            n_nodes = _grow(grid, slopes[k], growth, seed, number, draws, space)
            n_inner, n_leaves = (n_nodes - 1) // 2, (n_nodes + 1) // 2
            start, leaf = tree_nodes[tree], tree_leaves[tree]
            tree_nodes[tree + 1], tree_leaves[tree + 1] = start + n_inner, leaf + n_leaves
            _number_leaves(space, n_nodes)
            for node in range(n_nodes):
                if space.left[node] >= 0:
                    f = space.features[node]
                    feature[start], threshold[start] = f, grid.cuts[f, space.bins[node]]
                    missing_right[start] = space.missing_right[node]
                    n_left = np.uint64(space.n_leaves[space.left[node]])
                    ones = (np.uint64(1) << n_left) - np.uint64(1)
                    spared[start] = ~(ones << np.uint64(space.places[node]))
                    start += 1
                    continue
                total = space.totals[node]
                own = -growth.learning_rate * total[0] / (total[1] + growth.l2)
                value[leaf + space.places[node]] = own
                _add(scores[k], space.order[space.starts[node] : space.stops[node]], own)
    n_inner, n_leaves = tree_nodes[-1], tree_leaves[-1]
    inner = feature[:n_inner], threshold[:n_inner], missing_right[:n_inner], spared[:n_inner]
    return tree_nodes, tree_leaves, *inner, value[:n_leaves]


@compiled
def _grid_of(binned, step):
    """Return the rows in the intervals that the trees of a step use."""
    number = step % binned.codes.shape[0]
    return BinnedRows(binned.codes[number], binned.cuts[number], binned.n_bins[number])


@compiled
def _add(scores, rows, value):
    for row in rows:
        scores[row] += value


@compiled
def find_slopes(scores, codes, weights, slopes):
    """Write first and second derivatives of every row's log-loss by its scores."""
    n_outputs, n_rows = scores.shape
    if n_outputs == 1:
        for i in range(n_rows):
            p = 1.0 / (1.0 + np.exp(-scores[0, i]))
            slopes[0, i, 0] = weights[i] * (p - codes[i])
            slopes[0, i, 1] = weights[i] * p * (1.0 - p)
        return
    top, total = np.full(n_rows, -np.inf), np.zeros(n_rows)
    for k in range(n_outputs):
        for i in range(n_rows):
            top[i] = max(top[i], scores[k, i])
    for k in range(n_outputs):
        for i in range(n_rows):
            slopes[k, i, 0] = np.exp(scores[k, i] - top[i])
            total[i] += slopes[k, i, 0]
    for k in range(n_outputs):
        for i in range(n_rows):
            p = slopes[k, i, 0] / total[i]
            slopes[k, i, 0] = weights[i] * (p - (codes[i] == k))
            slopes[k, i, 1] = weights[i] * p * (1.0 - p)


@compiled
def _grow(binned, slopes, growth, seed, number, draws, space):
    """Grow one tree in the arrays of `space`; return its number of nodes."""
    drawn = draws.drawn
    draw_features(seed, number + 2 * growth.max_leaves - 1, draws.pool, growth.n_drawn, drawn)
    starts, stops, gains, slots = space.starts, space.stops, space.gains, space.slots
    starts[0], stops[0], space.left[0], slots[0] = 0, slopes.shape[0], -1, 0
    _lay_out(slopes, space.order, space.totals[0])
    _count(binned, slopes, drawn, space, 0)
    draw_features(seed, number, draws.places, growth.n_tried, draws.tried)
    _find_split(binned, draws, growth, space, 0)
    n_nodes, n_leaves = 1, 1
    while n_leaves < growth.max_leaves:
        best = np.argmax(gains[:n_nodes])
        if not gains[best] > 0.0:
            break
        left, right = n_nodes, n_nodes + 1
        _split(binned, space, best, left, right)
        n_nodes, n_leaves = n_nodes + 2, n_leaves + 1
        small, large = left, right
        if stops[left] - starts[left] > stops[right] - starts[right]:
            small, large = right, left
        if n_leaves == growth.max_leaves or stops[large] - starts[large] < 2 * growth.min_rows:
            continue
        slots[small], slots[large] = n_leaves - 1, slots[best]
        _count(binned, slopes, drawn, space, small)
        _subtract(space.sums[slots[large]], space.sums[slots[small]])
        draw_features(seed, number + large, draws.places, growth.n_tried, draws.tried)
        _find_split(binned, draws, growth, space, large)
        if stops[small] - starts[small] >= 2 * growth.min_rows:
            draw_features(seed, number + small, draws.places, growth.n_tried, draws.tried)
            _find_split(binned, draws, growth, space, small)
    return n_nodes


@compiled
def _subtract(sums, others):
    for place in range(sums.shape[0]):
        for part in range(3):
            sums[place, part] -= others[place, part]


@compiled
def _lay_out(slopes, order, total):
    """Write the numbers of all rows, and the sums of their slopes and curvatures."""
    total[:] = 0.0
    for i in range(slopes.shape[0]):
        order[i] = i
        total[0] += slopes[i, 0]
        total[1] += slopes[i, 1]


@compiled
def _count(binned, slopes, drawn, space, node):
    """Sum slopes, curvatures and rows of a node over the bins of all drawn columns."""
    sums = space.sums[space.slots[node]]
    sums[:] = 0.0
    widest = sums.shape[0] // drawn.shape[0]
    rows, codes = space.order[space.starts[node] : space.stops[node]], binned.codes
    j = 0
    # Several columns at once: the sums of one need not wait for those of the others.
    while j + 3 < drawn.shape[0]:
        one, two = codes[drawn[j]], codes[drawn[j + 1]]
        three, four = codes[drawn[j + 2]], codes[drawn[j + 3]]
        first = j * widest
        second, third, fourth = first + widest, first + 2 * widest, first + 3 * widest
        for row in rows:
            slope, curve = slopes[row, 0], slopes[row, 1]
            a, b, c, d = one[row], two[row], three[row], four[row]
            _add_to(sums, first + a, slope, curve)
            _add_to(sums, second + b, slope, curve)
            _add_to(sums, third + c, slope, curve)
            _add_to(sums, fourth + d, slope, curve)
        j += 4
    while j < drawn.shape[0]:
        one = codes[drawn[j]]
        for row in rows:
            _add_to(sums, j * widest + one[row], slopes[row, 0], slopes[row, 1])
        j += 1


@compiled(inline="always")
def _add_to(sums, place, slope, curve):
    sums[place, 0] += slope
    sums[place, 1] += curve
    sums[place, 2] += 1.0


@compiled
def _find_split(binned, draws, growth, space, node):
    """Write the best split of a node: its gain, column and bin, and where missing values go."""
    sums = space.sums[space.slots[node]]
    drawn = draws.drawn
    widest = sums.shape[0] // drawn.shape[0]
    slope, curve = space.totals[node, 0], space.totals[node, 1]
    n_rows = space.stops[node] - space.starts[node]
    least, l2 = growth.min_rows, growth.l2
    none = slope * slope / (curve + l2)
    best, left = 0.0, space.left_totals[node]
    for j in draws.tried:
        f = drawn[j]
        n_bins, base = binned.n_bins[f], j * widest
        missing = sums[base + n_bins]
        # Missing values go right at first, and left the second time, if there are any.
        for turn in range(1 if missing[2] < 0.5 else 2):
            s, c, n = missing[0] * turn, missing[1] * turn, missing[2] * turn
            for b in range(n_bins - 1 + (turn == 0 and missing[2] > 0.5)):
                if sums[base + b, 2] < 0.5:
                    continue
                s += sums[base + b, 0]
                c += sums[base + b, 1]
                n += sums[base + b, 2]
                if n < least:
                    continue
                if n_rows - n < least:
                    break
                rest = slope - s
                gain = s * s / (c + l2) + rest * rest / (curve - c + l2) - none
                if gain > best:
                    best = gain
                    space.features[node], space.bins[node] = f, b
                    right = turn == 0 if missing[2] > 0.5 else 2.0 * n < n_rows
                    space.missing_right[node] = right
                    left[0], left[1] = s, c
    space.gains[node] = best if best > 1e-9 else -1.0


@compiled
def _split(binned, space, node, left, right):
    """Move the rows of a node to its children."""
    codes, last = binned.codes[space.features[node]], space.bins[node]
    # Where missing values go right, so does everything above the last bin.
    missing = binned.n_bins[space.features[node]]
    absent = missing if not space.missing_right[node] else -1
    start, stop = space.starts[node], space.stops[node]
    here = start + _part(space.order[start:stop], codes, last, absent, space.spare)
    space.starts[left], space.stops[left] = start, here
    space.starts[right], space.stops[right] = here, stop
    for part in range(2):
        space.totals[left, part] = space.left_totals[node, part]
        space.totals[right, part] = space.totals[node, part] - space.left_totals[node, part]
    for child in (left, right):
        space.left[child], space.gains[child] = -1, -1.0
    space.left[node], space.right[node], space.gains[node] = left, right, -1.0


@compiled
def _part(rows, codes, last, absent, spare):
    """Move the rows that go left to the front, and return their number."""
    n_left, n_right = 0, 0
    for row in rows:
        code = codes[row]
        goes_left = (code <= last) | (code == absent)
        # Both are written and one is kept, because the processor cannot foresee which.
        rows[n_left], spare[n_right] = row, row
        n_left += goes_left
        n_right += not goes_left
    rows[n_left:] = spare[:n_right]
    return n_left


@compiled
def _number_leaves(space, n_nodes):
    """Number the leaves from the left; a node has the number of its first leaf."""
    for node in range(n_nodes - 1, -1, -1):
        space.n_leaves[node] = 1
        if space.left[node] >= 0:
            left, right = space.left[node], space.right[node]
            space.n_leaves[node] = space.n_leaves[left] + space.n_leaves[right]
    space.places[0] = 0
    for node in range(n_nodes):
        if space.left[node] >= 0:
            left, right = space.left[node], space.right[node]
            space.places[left] = space.places[node]
            space.places[right] = space.places[node] + space.n_leaves[left]
