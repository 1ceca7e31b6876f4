"""Boosted trees as arrays, and one compiled pass that sends rows down all of them.

A tree of at most 64 leaves is read without following a path. Every row has one bit for each leaf,
counted from the left, and a node that a row passes on the right clears the bits of the leaves on
its left. The lowest bit that remains after all nodes is the leaf of the row. No step depends on the
one before, so that the processor compares several rows at once and waits for nothing.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax

MAX_LEAVES = 64


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


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """The trees of a fitted `HistGradientBoostingClassifier`, whose probabilities are the same.

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

    def first_steps(self, n_steps):
        """Return the model as it was after so many steps."""
        n_trees = n_steps * len(self.start)
        n_inner, n_leaves = self.nodes.tree_nodes[n_trees], self.nodes.tree_leaves[n_trees]
        few = Nodes(
            self.nodes.tree_nodes[: n_trees + 1],
            self.nodes.tree_leaves[: n_trees + 1],
            self.nodes.feature[:n_inner],
            self.nodes.threshold[:n_inner],
            self.nodes.missing_right[:n_inner],
            self.nodes.spared[:n_inner],
            self.nodes.value[:n_leaves],
        )
        return replace(self, nodes=few)

    def predict_proba(self, X):
        """Return class probabilities."""
        from .predict_boosted import add_values

        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} columns, the trees {self.n_features_in_}.")
        columns = np.ascontiguousarray(X.T, dtype=np.float64)
        S = np.tile(self.start, (X.shape[0], 1))
        add_values(columns, self.nodes, S)
        if S.shape[1] > 1:
            return softmax(S, axis=1)
        P = np.empty((X.shape[0], 2))
        P[:, 1] = expit(S[:, 0])
        P[:, 0] = 1.0 - P[:, 1]
        return P


def read_boosted_trees(model):
    """Return the `BoostedTrees` of a fitted `HistGradientBoostingClassifier`.

    scikit-learn has no public name for the trees, so they are read from the state that a pickle
    holds. None if it is not as known, or if a tree has too many leaves or splits by categories: the
    model itself then predicts, in more time.
    """
    state: dict[str, Any] = model.__getstate__()
    try:
        steps, start = state["_predictors"], state["_baseline_prediction"]
        trees = [tree.nodes for step in steps for tree in step]
        if state["_preprocessor"] is not None:
            return None
        nodes = _join(trees)
    except (AttributeError, KeyError, ValueError):
        return None
    if nodes is None:
        return None
    start = np.array(start, dtype=np.float64).ravel()
    return BoostedTrees(nodes, start, model.classes_, model.n_features_in_)


def _join(trees):
    """Return the `Nodes` of trees in scikit-learn's form, or None if they do not fit into it."""
    sizes = np.array([len(tree) for tree in trees])
    every = np.concatenate(trees)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_leaf = every["is_leaf"] != 0
    inner = np.flatnonzero(~is_leaf)
    left, right = (every[side][inner].astype(np.int64) + first[inner] for side in ("left", "right"))
    leaves_before = np.concatenate([[0], np.cumsum(is_leaf)])
    ends = np.cumsum(sizes)
    tree_leaves = np.concatenate([[0], leaves_before[ends]])
    tree_nodes = np.concatenate([[0], ends - leaves_before[ends]])
    # Where the left child follows its parent, the nodes on its left end at the right child.
    in_order = np.all(left == inner + 1) and np.all(right > left)
    if not in_order or every["is_categorical"].any() or np.diff(tree_leaves).max() > MAX_LEAVES:
        return None
    from_leaf = leaves_before[left] - leaves_before[first[inner]]
    n_left = (leaves_before[right] - leaves_before[left]).astype(np.uint64)
    one = np.uint64(1)
    on_left = ((one << n_left) - one) << from_leaf.astype(np.uint64)
    return Nodes(
        tree_nodes.astype(np.int64),
        tree_leaves.astype(np.int64),
        every["feature_idx"][inner].astype(np.int32),
        every["num_threshold"][inner].astype(np.float64),
        every["missing_go_to_left"][inner] == 0,
        ~on_left,
        every["value"][is_leaf].astype(np.float64),
    )
