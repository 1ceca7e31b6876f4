"""Rotations of small groups of features to their principal components."""

from typing import NamedTuple

import numpy as np


class Rotation(NamedTuple):
    """A rotation of groups of features.

    Attributes
    ----------
    sources : ndarray of int of shape (n_features, group_size)
        The features that each rotated feature is a sum of. If the last group is smaller than the
        others, its first feature fills the remaining columns.
    weights : ndarray of shape (n_features, group_size)
        The weights of these features, 0 in the columns that are filled.
    """

    sources: np.ndarray
    weights: np.ndarray

    def back(self, W):
        """Return directions W in rotated features as directions in the original features.

        Both arrays have shape (n, n_features).
        """
        out = np.zeros(W.shape)
        for k in range(W.shape[1]):
            # A feature that fills a column has weight 0 there and adds nothing to the sum.
            np.add.at(out.T, self.sources[k], np.outer(self.weights[k], W[:, k]))
        return out


def stack_rotations(rotations):
    """Return the different ones of several rotations along a first axis, and the number of each.

    Neighbours that are the same object share a number.
    """
    different: list[Rotation] = []
    turns = np.empty(len(rotations), dtype=np.int32)
    for t, rotation in enumerate(rotations):
        if not different or different[-1] is not rotation:
            different.append(rotation)
        turns[t] = len(different) - 1
    return Rotation(*(np.stack(parts) for parts in zip(*different))), turns


def draw_rotation(X, codes, n_classes, n_levels, group_size, share, rng):
    """Draw the rotation of one tree of a rotation forest.

    The numeric features are divided into random groups. Each group is rotated to its principal
    components, computed from a random share of the rows of randomly chosen classes. All components
    are kept. Categories follow the rotated features, as they are.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    codes : ndarray of shape (n_samples,)
    n_classes : int
    n_levels : ndarray of int of shape (n_features,)
        Number of levels of each feature; 0 means that it holds numbers.
    group_size : int
        Number of features in a group.
    share : float
        Share of the rows of the chosen classes.
    rng : RandomState

    Returns
    -------
    Rotation
    """
    from .components import draw_components

    numeric, categories = np.flatnonzero(n_levels == 0), np.flatnonzero(n_levels)
    width = max(1, min(group_size, len(numeric)))
    shape = (X.shape[0], width)
    rotation = Rotation(np.empty(shape, dtype=np.int32), np.zeros(shape))
    shuffled = numeric[rng.permutation(len(numeric))]
    seed = rng.randint(np.iinfo(np.int32).max)
    draw_components(X, codes, n_classes, shuffled, float(share), seed, rotation)
    rotation.sources[len(numeric) :] = categories[:, None]
    rotation.weights[len(numeric) :, 0] = 1.0
    return rotation
