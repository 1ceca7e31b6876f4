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
            np.add.at(out.T, self.sources[k], np.outer(self.weights[k], W[:, k]))
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
    from .components import draw_components

    width = min(group_size, X.shape[0])
    sources = np.empty((X.shape[0], width), dtype=np.int32)
    weights = np.empty((X.shape[0], width))
    shuffled = rng.permutation(X.shape[0])
    seed = rng.randint(np.iinfo(np.int32).max)
    draw_components(X, codes, n_classes, shuffled, width, float(share), seed, sources, weights)
    return Rotation(sources, weights)
