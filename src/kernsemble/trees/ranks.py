"""Columns replaced by dense ranks, so that a node can order its rows without comparing values."""

import numpy as np

__all__ = ["dense_ranks"]


def dense_ranks(X):
    """Rank the values of every feature, equal values alike.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)

    Returns
    -------
    ranks : ndarray of shape (n_features, n_samples), of uint16 or int32
    levels : ndarray of shape (n_levels,)
        The distinct values of every feature, ascending, one feature after the other.
    level_starts : ndarray of shape (n_features,)
        Where in `levels` each feature begins.
    """
    n_features, n_samples = X.shape
    ranks = np.empty((n_features, n_samples), dtype=np.uint16 if n_samples <= 65536 else np.int32)
    levels = []
    for j in range(n_features):
        values, ranks[j] = np.unique(X[j], return_inverse=True)
        levels.append(values)
    sizes = [len(values) for values in levels]
    return ranks, np.concatenate(levels), np.cumsum([0, *sizes[:-1]])
