"""The split of a node on numeric features: a plane if a good one exists, otherwise a threshold."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .axis_split import best_axis_split
from .bisector import best_bisector, may_be_regular
from .proximal_plane import AXIS
from .tree import BY_VALUE, LEAF, PLANE


class Split(NamedTuple):
    """A split: its score, and what `Tree` stores of it. A LEAF is not split."""

    score: float
    feature: np.int64
    threshold: float
    route: np.int64


@compiled(inline="always")
def make_split(score, feature, threshold, route):
    """Return a split; numba needs the same types of numbers in all of them."""
    return Split(score, np.int64(feature), threshold, np.int64(route))


@compiled(inline="always")
def split_numbers(
    columns, ranked, here, node, size, features, growth, least_score, arrays, plane, to_right
):
    """Return the split; write the side of each row into `to_right`.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
    ranked : tuple of (ranks, levels, level_starts)
        See `dense_ranks`.
    here : ndarray of int of shape (n_rows,)
        Numbers of the rows of the node.
    node : Node
    size : Size
    features : ndarray of int of shape (n_numeric,)
    growth : Growth
    least_score : float
        Score that a split must beat; see `best_axis_split`.
    arrays : _Arrays
        See `reserve_split`.
    plane : ndarray of shape (>= n_numeric + 1,)
        The weights of a plane and its offset are written.
    to_right : ndarray of bool of shape (>= n_rows,)
    """
    ranks, levels, level_starts = ranked
    n_numeric = features.shape[0]
    score = -1.0
    if growth.regularization > AXIS or (
        growth.regularization == AXIS
        and may_be_regular(ranks, here, node.bounds, size.n_present, features)
    ):
        weights = plane[: n_numeric + 1]
        score = best_bisector(columns, here, node, size, features, growth, weights, to_right)
    if score > least_score:
        return make_split(score, PLANE, plane[n_numeric], BY_VALUE)
    score, position, first = best_axis_split(
        ranks, here, node, size, features, growth.min_samples_leaf, arrays
    )
    if not score > least_score:
        return make_split(least_score, LEAF, 0.0, BY_VALUE)
    f = features[position]
    threshold = _split_ranks(ranks[f], levels[level_starts[f] :], here, first, to_right)
    return make_split(score, f, threshold, BY_VALUE)


@compiled
def _split_ranks(column, values, rows, first, to_right):
    """Send the rows of rank `first` and above to the right; return the threshold."""
    last = np.int64(0)
    for i in range(rows.shape[0]):
        rank = np.int64(column[rows[i]])
        to_right[i] = rank >= first
        last = max(last, rank if rank < first else last)
    return between(values[last], values[first])


@compiled
def between(low, high):
    """Return the threshold half-way between the values next to it on either side."""
    middle = low + 0.5 * (high - low)
    return middle if middle < high else low
