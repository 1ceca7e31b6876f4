"""A tree as arrays, and properties that can be read from them."""

from typing import NamedTuple

import numpy as np

# Values of `feature` for a node that does not compare one feature with a threshold.
LEAF, PLANE = -1, -2
# Values of `route`: a missing value counts as its expectation, goes to the first or the second
# child, or the node divides the levels of a category.
BY_VALUE, MISSING_LEFT, MISSING_RIGHT, BY_LEVEL = 0, 1, 2, 3
# The threshold of a node that divides present values from missing ones, which go right.
PRESENT = np.finfo(np.float64).max


class Tree(NamedTuple):
    """The nodes of a tree; node 0 is the root.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The feature that is compared with the threshold, or LEAF, or PLANE.
    threshold : ndarray of shape (n_nodes,)
        A row goes to the first child if its feature, or its projection on the plane, is at most
        this, and to the second child otherwise. PRESENT if the node divides present values from
        missing ones.
    child : ndarray of shape (n_nodes,)
        The first child; the second one has the next number.
    plane : ndarray of shape (n_nodes,)
        Row of `plane_features` and `plane_weights`, if `feature` is PLANE; position in
        `level_words`, if `route` is BY_LEVEL.
    shares : ndarray of shape (n_nodes, n_classes)
        Weight of each class, divided by the weight of the node.
    samples : ndarray of shape (n_nodes,)
        Number of training rows at the node, copies included.
    plane_features, plane_weights : ndarray of shape (n_planes, n_drawn)
        Features of each plane, and their weights.
    gains : ndarray of shape (n_nodes,)
        Decrease of the Gini impurity by the split, times the weight of the node.
    route : ndarray of shape (n_nodes,)
        BY_VALUE, MISSING_LEFT, MISSING_RIGHT or BY_LEVEL.
    level_words : ndarray of uint32
        From the position of a node on, bit c of the words says whether level c goes to the second
        child. One more bit, after those of the levels, is that of missing values.
    """

    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    plane: np.ndarray
    shares: np.ndarray
    samples: np.ndarray
    plane_features: np.ndarray
    plane_weights: np.ndarray
    gains: np.ndarray
    route: np.ndarray
    level_words: np.ndarray

    @property
    def n_nodes(self):
        return len(self.feature)

    @property
    def n_leaves(self):
        return int(np.sum(self.feature == LEAF))

    @property
    def asks_for_missing(self):
        """Whether a split depends on which numbers are missing."""
        asked = np.isin(self.route, (MISSING_LEFT, MISSING_RIGHT))
        return bool(np.any(asked & (self.feature != LEAF)))

    @property
    def depth(self):
        """The number of splits on the longest path from the root to a leaf."""
        depths = np.zeros(self.n_nodes, dtype=int)
        # A child has a larger number than its parent.
        for node in np.flatnonzero(self.feature != LEAF):
            depths[self.child[node] : self.child[node] + 2] = depths[node] + 1
        return int(depths.max())

    def goes_right(self, node, codes):
        """Return whether levels with the given codes go to the second child of a BY_LEVEL node."""
        words = self.level_words[self.plane[node] + (codes >> 5)]
        return (words >> (codes & 31).astype(np.uint32)) & np.uint32(1) > 0

    def directions(self, n_features):
        """Return the inner nodes, and the weights of their splits on all features.

        The weights have shape (n_inner, n_features).
        """
        nodes = np.flatnonzero(self.feature != LEAF)
        W = np.zeros((len(nodes), n_features))
        on_axis = self.feature[nodes] != PLANE
        W[on_axis, self.feature[nodes[on_axis]]] = 1.0
        planes = self.plane[nodes[~on_axis]]
        oblique = np.flatnonzero(~on_axis)[:, None]
        # The features that fill a plane have weight 0, and may be those of other weights.
        np.add.at(W, (oblique, self.plane_features[planes]), self.plane_weights[planes])
        return nodes, W


class RegressionNodes(NamedTuple):
    """The nodes of several regression trees, one behind the other.

    Attributes
    ----------
    feature : ndarray of int of shape (n_nodes,)
        The feature that is compared with the number, or LEAF.
    number : ndarray of shape (n_nodes,)
        A row goes to the first child if its feature is at most this, and to the second one
        otherwise. In a leaf it is the value of the tree.
    child : ndarray of int of shape (n_nodes,)
        The first child; the second one has the next number.
    """

    feature: np.ndarray
    number: np.ndarray
    child: np.ndarray


def merge_trees(trees):
    """Return one `Tree` with the nodes of several, and the numbers of their roots.

    One call of compiled code then reads all of them, and a call takes longer than the way of a
    single row through a tree.
    """
    roots = _starts([tree.n_nodes for tree in trees])
    planes = _starts([len(tree.plane_features) for tree in trees])
    words = _starts([len(tree.level_words) for tree in trees])
    shifted = [
        tree._replace(
            child=np.where(tree.feature == LEAF, tree.child, tree.child + root).astype(
                tree.child.dtype
            ),
            plane=_shifted_planes(tree, first_plane, first_word),
        )
        for tree, root, first_plane, first_word in zip(trees, roots, planes, words)
    ]
    return Tree(*(np.concatenate(parts) for parts in zip(*shifted))), roots


def _starts(lengths):
    return (np.cumsum(lengths) - lengths).astype(np.int32)


def _shifted_planes(tree, first_plane, first_word):
    by_level = (tree.route == BY_LEVEL) & (tree.feature >= 0)
    shift = np.where(tree.feature == PLANE, first_plane, np.where(by_level, first_word, 0))
    return (tree.plane + shift).astype(tree.plane.dtype)
