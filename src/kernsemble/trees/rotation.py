"""Rotations of the feature space by principal components of small groups of features."""

from typing import NamedTuple

import numpy as np

__all__ = ["Rotation", "draw_rotation"]


class Rotation(NamedTuple):
    """A block-diagonal rotation up to the order of the features.

    Attributes
    ----------
    sources : ndarray of shape (n_features, group_size)
        The features that make up each rotated feature; a smaller last group repeats its own.
    weights : ndarray of shape (n_features, group_size)
        Their weights, 0 for repeats.
    """

    sources: np.ndarray
    weights: np.ndarray

    def back(self, W):
        """Return directions in rotated features, (n, n_features), in the original ones."""
        out = np.zeros(W.shape)
        for k in range(W.shape[1]):
            # A repeated source has weight 0 there, so the sum over repeats is right.
            np.add.at(out, (slice(None), self.sources[k]), W[:, [k]] * self.weights[k])
        return out


def draw_rotation(X, codes, n_classes, group_size, share, rng):
    """Draw the rotation of one tree of a rotation forest.

    The features are divided at random into groups; every group is rotated to the principal
    components of a random `share` of the rows of a random set of classes, all of them kept.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    codes : ndarray of shape (n_samples,)
    n_classes : int
    group_size : int
    share : float
    rng : RandomState

    Returns
    -------
    Rotation
    """
    n_features = X.shape[0]
    shuffled = rng.permutation(n_features)
    width = min(group_size, n_features)
    sources = np.empty((n_features, width), dtype=np.int32)
    weights = np.zeros((n_features, width))
    for start in range(0, n_features, width):
        group = shuffled[start : start + width]
        chosen = rng.rand(n_classes) < 0.5
        if not chosen.any():
            chosen[rng.randint(n_classes)] = True
        rows = np.flatnonzero(chosen[codes])
        n_rows = max(1, round(share * len(rows)))
        rows = rows[rng.permutation(len(rows))[:n_rows]]
        Z = X[group][:, rows]
        Z -= Z.mean(axis=1, keepdims=True)
        components = np.linalg.eigh(Z @ Z.T)[1].T
        target = slice(start, start + len(group))
        sources[target] = group[0]
        sources[target, : len(group)] = group
        weights[target, : len(group)] = components
    return Rotation(sources, weights)
