"""Rows through a tree, a few dozen at a time: while one waits for memory the others go on."""

import numpy as np

from .compiled import compiled
from .tree import LEAF, PLANE

__all__ = ["add_leaf_shares", "add_leaf_votes", "find_leaves", "rotate_rows"]

_BLOCK = 64


@compiled
def find_leaves(X, feature, threshold, child, plane, plane_features, plane_weights, leaves):
    """Write the leaf each row of X, of shape (n_samples, n_features), ends in."""
    waiting = np.empty(_BLOCK, dtype=np.int64)
    for start in range(0, X.shape[0], _BLOCK):
        n_waiting = min(_BLOCK, X.shape[0] - start)
        for i in range(n_waiting):
            waiting[i] = start + i
            leaves[start + i] = 0
        while n_waiting > 0:
            kept = 0
            for i in range(n_waiting):
                row = waiting[i]
                node = leaves[row]
                f = feature[node]
                if f == LEAF:
                    continue
                if f != PLANE:
                    value = X[row, f]
                else:
                    p = plane[node]
                    value = 0.0
                    for j in range(plane_features.shape[1]):
                        value += plane_weights[p, j] * X[row, plane_features[p, j]]
                leaves[row] = child[node] + (value > threshold[node])
                waiting[kept] = row
                kept += 1
            n_waiting = kept


@compiled
def add_leaf_shares(leaves, shares, total):
    """Add the class shares of each row's leaf to the row of `total`."""
    for i in range(leaves.shape[0]):
        leaf = leaves[i]
        for k in range(total.shape[1]):
            total[i, k] += shares[leaf, k]


@compiled
def add_leaf_votes(leaves, shares, total):
    """Add one to the largest class of each row's leaf, the first of equals."""
    for i in range(leaves.shape[0]):
        leaf = leaves[i]
        best = 0
        for k in range(1, total.shape[1]):
            if shares[leaf, k] > shares[leaf, best]:
                best = k
        total[i, best] += 1.0


@compiled
def rotate_rows(X, sources, weights, out):
    """Write the rotated rows; each row's rounding is its own, however many there are."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            value = 0.0
            for j in range(sources.shape[1]):
                value += weights[k, j] * X[i, sources[k, j]]
            out[i, k] = value
