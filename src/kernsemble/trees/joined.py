"""Boosted trees of several models as one set of arrays, which compare ranks instead of values.

The rank of a value is the number of thresholds of its column that are smaller. A value exceeds a
threshold if its rank exceeds that of the threshold, so ranks lead a row to the same leaves. They
are whole numbers of few bits, of which a processor compares many at once.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from .boosted import Nodes, check_columns

# Numbers of bits that mark the leaves of a tree, and of those that hold a rank.
WIDTHS = (16, 32, 64)


class JoinedTrees(NamedTuple):
    """The boosted trees of several models; the scores of a model follow those of the one before.

    Attributes
    ----------
    n_features_in_ : int
    start : ndarray of shape (n_scores,)
        The scores without any tree.
    source : ndarray of int of shape (n_inputs,)
        The column of the rows that an input reads.
    cuts : ndarray
        The different thresholds of every input in ascending order, one input after the other.
    cut_starts : ndarray of int of shape (n_inputs + 1,)
        Where the cuts of every input begin, and where the last ones end.
    places : ndarray
        The values of the levels of a category, one input after the other.
    place_starts : ndarray of int of shape (n_inputs + 1,)
        Where the places of every input begin, and where the last ones end. An input without places
        reads numbers.
    tree_nodes : ndarray of int of shape (n_trees + 1,)
        Where the inner nodes of every tree begin, and where the last ones end.
    target : ndarray of int of shape (n_trees,)
        The score that a tree adds to.
    seen : ndarray of int of shape (n_inner,)
        Twice the number of the input of a node, and one more if a missing value goes right.
    rank : ndarray of int of shape (n_inner,)
        A row goes right if the rank of its input exceeds this.
    spared : ndarray of unsigned int of shape (n_inner,)
        The leaves of the tree, as bits, that a row may still reach if it goes right.
    value : ndarray of shape (n_trees, n_bits)
        What the leaves add to the score, at the places that `leaf_places` gives their bits.
    """

    n_features_in_: int
    start: np.ndarray
    source: np.ndarray
    cuts: np.ndarray
    cut_starts: np.ndarray
    places: np.ndarray
    place_starts: np.ndarray
    tree_nodes: np.ndarray
    target: np.ndarray
    seen: np.ndarray
    rank: np.ndarray
    spared: np.ndarray
    value: np.ndarray

    def scores(self, X):
        """Return the scores of rows, of shape (n_scores, n_rows)."""
        from .predict_joined import add_ranked_values

        check_columns(X, self.n_features_in_)
        columns = np.ascontiguousarray(X.T, dtype=np.float64)
        scores = np.repeat(self.start[:, None], X.shape[0], axis=1)
        add_ranked_values(columns, self, MULTIPLIERS[self.value.shape[1]], scores)
        return scores


def join_trees(models, ranks):
    """Return the `JoinedTrees` of several models.

    Parameters
    ----------
    models : list of BoostedTrees
    ranks : list of list of tuple
        For every model, the numbers of its columns with categories, each with the values that
        stand for its levels.
    """
    nodes = reduce(Nodes.followed_by, [model.nodes for model in models])
    n_scores = [len(model.start) for model in models]
    target = [
        first + np.arange(len(model.nodes.tree_nodes) - 1) % n
        for model, n, first in zip(models, n_scores, np.cumsum(n_scores) - n_scores)
    ]
    inputs, node_input, places = _find_inputs(models, ranks)
    cuts, rank = [], np.zeros(len(nodes.feature), dtype=np.int64)
    # The nodes of every input, one input after the other.
    order = np.argsort(node_input, kind="stable")
    first_of_inputs = np.searchsorted(node_input[order], np.arange(len(inputs)))
    for own in np.split(order, first_of_inputs)[1:]:
        different, rank[own] = np.unique(nodes.threshold[own], return_inverse=True)
        cuts.append(different)
    n_leaves = np.diff(nodes.tree_leaves).max(initial=1)
    # Trees of a single leaf read no input.
    n_cuts = max((len(own) for own in cuts), default=0)
    # The largest number is the rank of missing values.
    n_bits = next(n for n in WIDTHS if n >= n_leaves and n_cuts < 1 << (n - 1))
    return JoinedTrees(
        models[0].n_features_in_,
        np.concatenate([model.start for model in models]),
        inputs,
        *_one_after_the_other(cuts),
        *_one_after_the_other(places),
        nodes.tree_nodes,
        np.concatenate(target).astype(np.int32),
        (2 * node_input + nodes.missing_right).astype(np.int32),
        rank.astype(f"int{n_bits}"),
        nodes.spared.astype(f"uint{n_bits}"),
        _place_leaves(nodes, n_bits),
    )


def _find_inputs(models, ranks):
    """Return the column of every input, the input of every node, and the places of every input.

    A category is an input of its own for every model, because each has its own order of levels.
    """
    width, keys = models[0].n_features_in_, []
    tables = {}
    for number, (model, own) in enumerate(zip(models, ranks), start=1):
        key = model.nodes.feature.astype(np.int64)
        for column, places in own:
            key[model.nodes.feature == column] += number * width
            tables[number * width + column] = places
        keys.append(key)
    used, node_input = np.unique(np.concatenate(keys), return_inverse=True)
    places = [tables.get(key, np.empty(0)) for key in used.tolist()]
    return (used % width).astype(np.int32), node_input, places


def _one_after_the_other(parts) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of all parts, where each part begins, and where the last one ends."""
    ends = np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)
    return np.concatenate([np.empty(0), *parts]), ends


def _place_leaves(nodes, n_bits):
    """Return the values of the leaves of every tree, each at the place of its bit."""
    n_leaves = np.diff(nodes.tree_leaves)
    tree = np.repeat(np.arange(len(n_leaves)), n_leaves)
    bit = np.arange(len(nodes.value)) - np.repeat(nodes.tree_leaves[:-1], n_leaves)
    value = np.zeros((len(n_leaves), n_bits))
    value[tree, leaf_places(n_bits)[bit]] = nodes.value
    return value


def leaf_places(n_bits):
    """Return the place of every bit among `n_bits`: the highest bits of its multiple."""
    multiplier, shift = int(MULTIPLIERS[n_bits]), n_bits - n_bits.bit_length() + 1
    return np.array([(multiplier << bit) % (1 << n_bits) >> shift for bit in range(n_bits)])


def _find_multiplier(n_bits):
    """Return a number whose products with all powers of two differ in their highest bits."""
    length = n_bits.bit_length() - 1
    digits = "0" * length
    # A digit is 1 where that makes a word of digits that was not there before.
    while len(digits) < n_bits:
        digits += "1" if digits[1 - length :] + "1" not in digits else "0"
    return np.uint64(int(digits, 2))


MULTIPLIERS = {n_bits: _find_multiplier(n_bits) for n_bits in WIDTHS}
