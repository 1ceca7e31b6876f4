"""A grown tree as arrays, and what can be read from them without walking it."""

from typing import NamedTuple

import numpy as np

__all__ = ["LEAF", "PLANE", "Tree"]

# What `feature` says of a node that does not compare one feature with a threshold.
LEAF, PLANE = -1, -2


class Tree(NamedTuple):
    """Node 0 is the root; the children of a node are `child` and `child + 1`.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The feature that is compared, or LEAF, or PLANE.
    threshold : ndarray of shape (n_nodes,)
        A row goes to `child` when its feature, or its projection on the plane, is at most this.
    child : ndarray of shape (n_nodes,)
    plane : ndarray of shape (n_nodes,)
        Row of `plane_features` and `plane_weights` where `feature` is PLANE.
    shares : ndarray of shape (n_nodes, n_classes)
        Weight of each class over the weight of the node.
    samples : ndarray of shape (n_nodes,)
        Training rows at the node, copies counted.
    plane_features, plane_weights : ndarray of shape (n_planes, n_drawn)
    gains : ndarray of shape (n_nodes,)
        Weight of the node times the decrease of the Gini impurity by its split.
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
        """Return the number of splits on the longest way from the root."""
        depths = np.zeros(self.n_nodes, dtype=int)
        # Children are numbered after their parent.
        for node in np.flatnonzero(self.feature != LEAF):
            depths[self.child[node] : self.child[node] + 2] = depths[node] + 1
        return int(depths.max())

    def directions(self, n_features):
        """Return the inner nodes and the weights of their splits, (n_inner, n_features)."""
        nodes = np.flatnonzero(self.feature != LEAF)
        W = np.zeros((len(nodes), n_features))
        on_axis = self.feature[nodes] != PLANE
        W[on_axis, self.feature[nodes[on_axis]]] = 1.0
        planes = self.plane[nodes[~on_axis]]
        W[np.flatnonzero(~on_axis)[:, None], self.plane_features[planes]] = self.plane_weights[
            planes
        ]
        return nodes, W
