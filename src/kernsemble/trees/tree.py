"""A tree as arrays, and properties that can be read from them."""

from typing import NamedTuple

import numpy as np

# Values of `feature` for a node that does not compare one feature with a threshold.
LEAF, PLANE = -1, -2


class Tree(NamedTuple):
    """The nodes of a tree; node 0 is the root.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The feature that is compared with the threshold, or LEAF, or PLANE.
    threshold : ndarray of shape (n_nodes,)
        A row goes to the first child if its feature, or its projection on the plane, is at most
        this, and to the second child otherwise.
    child : ndarray of shape (n_nodes,)
        The first child; the second one has the next number.
    plane : ndarray of shape (n_nodes,)
        Row of `plane_features` and `plane_weights`, if `feature` is PLANE.
    shares : ndarray of shape (n_nodes, n_classes)
        Weight of each class, divided by the weight of the node.
    samples : ndarray of shape (n_nodes,)
        Number of training rows at the node, copies included.
    plane_features, plane_weights : ndarray of shape (n_planes, n_drawn)
        Features of each plane, and their weights.
    gains : ndarray of shape (n_nodes,)
        Decrease of the Gini impurity by the split, times the weight of the node.
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

    @property
    def n_nodes(self):
        return len(self.feature)

    @property
    def n_leaves(self):
        return int(np.sum(self.feature == LEAF))

    @property
    def depth(self):
        """The number of splits on the longest path from the root to a leaf."""
        depths = np.zeros(self.n_nodes, dtype=int)
        # A child has a larger number than its parent.
        for node in np.flatnonzero(self.feature != LEAF):
            depths[self.child[node] : self.child[node] + 2] = depths[node] + 1
        return int(depths.max())

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
        W[oblique, self.plane_features[planes]] = self.plane_weights[planes]
        return nodes, W
