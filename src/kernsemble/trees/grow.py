"""Grow one oblique tree: draw features, try the bisectors of the proximal planes, else one axis."""

import numpy as np

from .axis_split import best_axis_split
from .compiled import compiled
from .draws import draw_copies, draw_features
from .grouping import group_classes
from .moments import class_moments, node_centre
from .proximal_plane import AXIS, proximal_planes
from .tree import LEAF, PLANE

__all__ = ["NEVER", "grow_tree", "grow_trees"]

# `regularization` of an ordinary tree, which tries no plane at all.
NEVER = -1


@compiled(entry=True)
def grow_trees(
    X,
    ranks,
    levels,
    level_starts,
    codes,
    weights,
    n_classes,
    n_drawn,
    max_depth,
    min_samples_split,
    min_samples_leaf,
    min_decrease,
    regularization,
    alpha,
    bootstrap,
    seeds,
):
    """Grow one tree for each seed, and return them and the copies of the rows they stand on.

    Small trees take less time than other threads would have to wait between two calls. `weights`
    are those of one copy of each row; see `grow_tree` for the rest.
    """
    copies = np.ones((len(seeds), len(codes)), dtype=np.int32)
    trees = []
    for k in range(len(seeds)):
        if bootstrap:
            draw_copies(seeds[k], copies[k])
        tree = grow_tree(
            X, ranks, levels, level_starts, codes, copies[k], weights * copies[k], n_classes,
            n_drawn, max_depth, min_samples_split, min_samples_leaf, min_decrease, regularization,
            alpha, seeds[k],
        )  # fmt: skip
        trees.append(tree)
    return trees, copies


@compiled
def grow_tree(
    X,
    ranks,
    levels,
    level_starts,
    codes,
    counts,
    weights,
    n_classes,
    n_drawn,
    max_depth,
    min_samples_split,
    min_samples_leaf,
    min_decrease,
    regularization,
    alpha,
    seed,
):
    """Grow a tree on rows that are sorted by class.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        One row per feature.
    ranks, levels, level_starts : ndarray
        See `dense_ranks`.
    codes : ndarray of shape (n_samples,)
        Classes 0 … n_classes - 1, ascending.
    counts : ndarray of shape (n_samples,)
        Copies of each row; rows with none are left out.
    weights : ndarray of shape (n_samples,)
        Total weight of each row, its copies included.
    n_drawn : int
        Features drawn at each node.
    min_decrease : float
        A split must lower the weighted Gini impurity of its node by more than this.
    regularization, alpha
        See `proximal_planes`; NEVER grows an ordinary tree.
    seed : int

    Returns
    -------
    feature, threshold, child, plane : ndarray of shape (n_nodes,)
        A row goes on to `child` when its feature (or its projection on plane number `plane`) is at
        most `threshold`, and to `child + 1` when it is above.
    shares : ndarray of shape (n_nodes, n_classes)
        Weight of each class over the weight of the node.
    samples : ndarray of shape (n_nodes,)
        Rows at the node, copies counted.
    plane_features, plane_weights : ndarray of shape (n_planes, n_drawn)
    gains : ndarray of shape (n_nodes,)
        Weight of the node times the decrease of the Gini impurity.
    """
    n_features = X.shape[0]
    rows = np.flatnonzero(counts).astype(np.int32)
    n_rows = rows.shape[0]
    max_nodes = 2 * n_rows + 1
    feature = np.full(max_nodes, LEAF, dtype=np.int32)
    threshold = np.zeros(max_nodes)
    child = np.zeros(max_nodes, dtype=np.int32)
    plane = np.zeros(max_nodes, dtype=np.int32)
    shares = np.empty((max_nodes, n_classes))
    samples = np.zeros(max_nodes, dtype=np.int32)
    gains = np.zeros(max_nodes)
    plane_features = np.empty((n_rows if regularization != NEVER else 1, n_drawn), dtype=np.int32)
    plane_weights = np.empty(plane_features.shape)
    n_nodes, n_planes = 1, 0

    pool = np.arange(n_features).astype(np.int32)
    drawn = np.empty(n_drawn, dtype=np.int32)
    labels = np.empty(n_rows, dtype=np.int32)
    row_weights = np.empty(n_rows)
    row_counts = np.empty(n_rows, dtype=np.int32)
    to_right = np.empty(n_rows, dtype=np.bool_)
    spare = np.empty(n_rows, dtype=np.int32)
    bounds = np.empty(n_classes + 1, dtype=np.int64)
    totals = np.empty(n_classes)
    room = (
        np.empty(n_rows, dtype=np.int64),
        np.empty(n_rows, dtype=np.int64),
        np.empty(2 * n_rows + 4, dtype=np.int32),
        np.zeros(4 * n_rows + 4),
    )
    split = np.empty(n_drawn + 1)

    stack = np.empty((max_nodes, 4), dtype=np.int64)
    n_stack = _push(stack, 0, 0, n_rows, 0, 0)
    while n_stack > 0:
        n_stack -= 1
        start, stop, depth = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        node = stack[n_stack, 3]
        here = rows[start:stop]
        n_here = stop - start
        n_present, n_copies = _read_node(
            here, codes, weights, counts, labels, row_weights, row_counts, bounds, totals,
            shares[node],
        )  # fmt: skip
        samples[node] = n_copies
        if n_present < 2 or n_copies < min_samples_split or depth >= max_depth:
            continue
        total, squares = 0.0, 0.0
        for k in range(n_present):
            total += totals[k]
            squares += totals[k] * totals[k]
        # Scores are sums of squares over weights; a gain is a difference of scores over `total`.
        least_score = squares / total + min_decrease * total
        draw_features(seed, node, pool, n_drawn, drawn)
        score = -1.0
        if regularization > AXIS or (
            regularization == AXIS
            and _may_be_regular(ranks, here, drawn, n_drawn, bounds, n_present)
        ):
            score = _bisector(
                X, here, drawn, n_drawn, bounds[: n_present + 1], row_weights, row_counts, n_copies,
                totals[:n_present], regularization, alpha, min_samples_leaf, split,
                to_right,
            )  # fmt: skip
        if score > least_score:
            feature[node] = PLANE
            plane[node] = n_planes
            threshold[node] = split[n_drawn]
            for j in range(n_drawn):
                plane_features[n_planes, j] = drawn[j]
                plane_weights[n_planes, j] = split[j]
            n_planes += 1
        else:
            score, position, first = best_axis_split(
                ranks, here, drawn, n_drawn, labels, row_weights, row_counts,
                totals[:n_present], n_copies, min_samples_leaf, room,
            )  # fmt: skip
            if not score > least_score:
                continue
            f = drawn[position]
            column = ranks[f]
            last = np.int64(0)
            for i in range(n_here):
                rank = np.int64(column[here[i]])
                to_right[i] = rank >= first
                last = max(last, rank if rank < first else last)
            low = levels[level_starts[f] + last]
            high = levels[level_starts[f] + first]
            middle = low + 0.5 * (high - low)
            feature[node] = f
            threshold[node] = middle if middle < high else low
        gains[node] = score - squares / total
        n_left = _partition(here, to_right, spare)
        child[node] = n_nodes
        n_stack = _push(stack, n_stack, start + n_left, stop, depth + 1, n_nodes + 1)
        n_stack = _push(stack, n_stack, start, start + n_left, depth + 1, n_nodes)
        n_nodes += 2
    return (
        feature[:n_nodes].copy(),
        threshold[:n_nodes].copy(),
        child[:n_nodes].copy(),
        plane[:n_nodes].copy(),
        shares[:n_nodes].copy(),
        samples[:n_nodes].copy(),
        plane_features[:n_planes].copy(),
        plane_weights[:n_planes].copy(),
        gains[:n_nodes].copy(),
    )


@compiled
def _push(stack, n_stack, start, stop, depth, node):
    """Put a node on the stack and return its new height."""
    stack[n_stack, 0] = start
    stack[n_stack, 1] = stop
    stack[n_stack, 2] = depth
    stack[n_stack, 3] = node
    return n_stack + 1


@compiled
def _read_node(
    here, codes, weights, counts, labels, row_weights, row_counts, bounds, totals, share
):
    """Copy the rows' weights; number the classes present; sum and share out weights by class."""
    share[:] = 0.0
    n_present, n_copies, total = 0, 0, 0.0
    code = -1
    for i in range(here.shape[0]):
        row = here[i]
        if codes[row] != code:
            code = codes[row]
            bounds[n_present] = i
            totals[n_present] = 0.0
            n_present += 1
        labels[i] = n_present - 1
        weight = weights[row]
        row_weights[i] = weight
        row_counts[i] = counts[row]
        n_copies += counts[row]
        totals[n_present - 1] += weight
        share[code] += weight
        total += weight
    bounds[n_present] = here.shape[0]
    for k in range(share.shape[0]):
        share[k] /= total
    return n_present, n_copies


@compiled
def _may_be_regular(ranks, here, drawn, n_drawn, bounds, n_present):
    """Whether two groups of these rows can both have full rank; others need no moments."""
    largest = 0
    for k in range(n_present):
        largest = max(largest, bounds[k + 1] - bounds[k])
    # The class of most rows is in one group; a group of fewer rows than columns is singular.
    n_rows = bounds[n_present]
    if n_rows - largest <= n_drawn or n_rows < 2 * (n_drawn + 1):
        return False
    # So is one with a constant column. Two classes are the two groups.
    middle = bounds[1] if n_present == 2 else n_rows
    for j in range(n_drawn):
        column = ranks[drawn[j]]
        if _is_constant(column, here[:middle]) or (
            middle < n_rows and _is_constant(column, here[middle:])
        ):
            return False
    return True


@compiled
def _is_constant(column, rows):
    i = 1
    while i < rows.shape[0] and column[rows[i]] == column[rows[0]]:
        i += 1
    return i >= rows.shape[0]


@compiled
def _bisector(
    X, here, drawn, n_drawn, bounds, row_weights, row_counts, n_copies, totals, regularization,
    alpha, min_leaf, split, to_right,
):  # fmt: skip
    """Write the better bisector (w, b) and its sides; return its score, negative for none."""
    n_here = here.shape[0]
    n_present = totals.shape[0]
    Z, centred = np.empty((n_drawn, n_here)), np.empty((n_drawn, n_here))
    for a in range(n_drawn):
        column = X[drawn[a]]
        for i in range(n_here):
            Z[a, i] = column[here[i]]
    roots = np.sqrt(row_weights[:n_here])
    means = np.empty((n_present, n_drawn))
    scatters = np.empty((n_present, n_drawn, n_drawn))
    class_moments(Z, n_drawn, bounds, totals, roots, means, scatters, centred)
    centre, spread = np.empty(n_drawn), np.empty(n_drawn)
    node_centre(n_drawn, totals, means, scatters, centre, spread)
    group = np.empty(n_present, dtype=np.int64)
    group_classes(n_drawn, totals, means, scatters, spread, group)
    planes = np.empty((2, n_drawn + 1))
    n_first = 0
    for k in range(n_present):
        if group[k] == 0:
            n_first += bounds[k + 1] - bounds[k]
    enough = min(n_first, n_here - n_first) > n_drawn
    if not proximal_planes(
        group,
        enough,
        n_drawn,
        totals,
        means,
        scatters,
        centre,
        spread,
        regularization,
        alpha,
        planes,
    ):
        return -1.0
    best_score = -1.0
    projection = centred[0]
    candidate = np.empty(n_drawn + 1)
    for sign in (1.0, -1.0):
        for a in range(n_drawn + 1):
            candidate[a] = planes[0, a] + sign * planes[1, a]
        _project(Z, candidate, projection)
        score = _score(
            projection, candidate[n_drawn], bounds, row_weights, row_counts, n_copies, totals,
            min_leaf,
        )  # fmt: skip
        if score > best_score:
            best_score = score
            for a in range(n_drawn + 1):
                split[a] = candidate[a]
            for i in range(n_here):
                to_right[i] = projection[i] > candidate[n_drawn]
    return best_score


@compiled
def _project(Z, candidate, projection):
    """Sum feature by feature in the order drawn, to the bit as prediction does."""
    projection[:] = 0.0
    for a in range(Z.shape[0]):
        column, weight = Z[a], candidate[a]
        for i in range(Z.shape[1]):
            projection[i] += weight * column[i]


@compiled
def _score(projection, offset, bounds, row_weights, row_counts, n_copies, totals, min_leaf):
    """Score of a plane (see `best_axis_split`); negative when a side is too small."""
    n_left = 0
    left_weight, left_squares, right_squares, total = 0.0, 0.0, 0.0, 0.0
    for k in range(totals.shape[0]):
        left = 0.0
        for i in range(bounds[k], bounds[k + 1]):
            if projection[i] <= offset:
                left += row_weights[i]
                n_left += row_counts[i]
        left_weight += left
        left_squares += left * left
        right_squares += (totals[k] - left) ** 2
        total += totals[k]
    if n_left < min_leaf or n_copies - n_left < min_leaf:
        return -1.0
    return left_squares / left_weight + right_squares / (total - left_weight)


@compiled
def _partition(here, to_right, spare):
    """Move the left rows to the front, both sides keeping their order; return how many."""
    n_left, n_right = 0, 0
    for i in range(here.shape[0]):
        row = here[i]
        here[n_left] = row
        spare[n_right] = row
        n_right += to_right[i]
        n_left += 1 - to_right[i]
    for i in range(n_right):
        here[n_left + i] = spare[i]
    return n_left
