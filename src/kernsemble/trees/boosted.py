"""Boosted trees as arrays, and one compiled pass that sends rows down all of them.

A tree of at most 64 leaves is read without following a path. Every row has one bit for each leaf,
counted from the left, and a node that a row passes on the right clears the bits of the leaves on
its left. The lowest bit that remains after all nodes is the leaf of the row. No step depends on the
one before, so that the processor compares several rows at once and waits for nothing.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

#: Largest number of leaves of a tree.
MAX_LEAVES = 64


class BoostGrowth(NamedTuple):
    """How boosted trees are grown.

    Attributes
    ----------
    learning_rate : float
        Share of its best value that a leaf gets.
    l2 : float
        What is added to the curvature of a leaf.
    max_leaves : int
    min_rows : int
        Smallest number of rows of a leaf.
    n_drawn : int
        Number of columns that are drawn for each tree.
    n_tried : int
        Number of these that are tried for each split.
    """

    learning_rate: float
    l2: float
    max_leaves: int
    min_rows: int
    n_drawn: int
    n_tried: int


class Nodes(NamedTuple):
    """The nodes of many trees, one tree after the other.

    Attributes
    ----------
    tree_nodes, tree_leaves : ndarray of int of shape (n_trees + 1,)
        Where the inner nodes and the leaves of every tree begin, and where the last ones end.
    feature : ndarray of int of shape (n_inner,)
    threshold : ndarray of shape (n_inner,)
        A row goes left if its feature is at most this.
    missing_right : ndarray of bool of shape (n_inner,)
        Whether a missing value goes right.
    spared : ndarray of uint64 of shape (n_inner,)
        The leaves of the tree, as bits, that a row may still reach if it goes right.
    value : ndarray of shape (n_leaves,)
        What a leaf adds to the score.
    """

    tree_nodes: np.ndarray
    tree_leaves: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_right: np.ndarray
    spared: np.ndarray
    value: np.ndarray

    @classmethod
    def none(cls):
        """Return the nodes of no tree."""
        kinds = (np.int32, np.float64, np.bool_, np.uint64, np.float64)
        ends = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        return cls(*ends, *(np.empty(0, dtype=kind) for kind in kinds))

    def trees(self, first, last):
        """Return the nodes of the trees from number `first` up to but not with `last`."""
        inner = slice(self.tree_nodes[first], self.tree_nodes[last])
        leaves = slice(self.tree_leaves[first], self.tree_leaves[last])
        return Nodes(
            self.tree_nodes[first : last + 1] - inner.start,
            self.tree_leaves[first : last + 1] - leaves.start,
            self.feature[inner],
            self.threshold[inner],
            self.missing_right[inner],
            self.spared[inner],
            self.value[leaves],
        )

    def followed_by(self, other):
        """Return the nodes of these trees and of others after them."""
        ends = [np.concatenate([own, own[-1] + new[1:]]) for own, new in zip(self[:2], other[:2])]
        return Nodes._make([*ends, *(np.concatenate(pair) for pair in zip(self[2:], other[2:]))])


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Boosted trees, whose scores are log-odds.

    Attributes
    ----------
    nodes : Nodes
        The trees of every step follow each other, one for every column of scores.
    start : ndarray of shape (n_columns,)
        The scores before the first step; with two classes there is one column, the log-odds.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    """

    nodes: Nodes
    start: np.ndarray
    classes_: np.ndarray
    n_features_in_: int

    @property
    def n_steps(self):
        """The number of steps, each of one tree for every column of scores."""
        return (len(self.nodes.tree_nodes) - 1) // len(self.start)

    def with_more(self, nodes):
        """Return the model with further trees."""
        return replace(self, nodes=self.nodes.followed_by(nodes))

    def add_to(self, S, X, first, last):
        """Return scores with those of the steps from `first` up to but not with `last`."""
        from .predict_boosted import add_values

        S, columns = S.copy(), np.ascontiguousarray(X.T, dtype=np.float64)
        add_values(columns, self.nodes.trees(first * len(self.start), last * len(self.start)), S)
        return S

    def predict_proba(self, X):
        """Return class probabilities."""
        check_columns(X, self.n_features_in_)
        start = np.tile(self.start, (X.shape[0], 1))
        return share_scores(self.add_to(start, X, 0, self.n_steps))


def share_scores(S):
    """Return the class probabilities of scores; a single column holds log-odds."""
    if S.shape[1] > 1:
        return softmax(S, axis=1)
    P = np.empty((S.shape[0], 2))
    P[:, 1] = expit(S[:, 0])
    P[:, 0] = 1.0 - P[:, 1]
    return P


def check_columns(X, n_columns):
    """Raise an error if rows have another number of columns than the trees."""
    if X.shape[1] != n_columns:
        raise ValueError(f"X has {X.shape[1]} columns, the trees {n_columns}.")
