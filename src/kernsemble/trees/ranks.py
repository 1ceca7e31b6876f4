"""Dense ranks of columns, with which a node sorts its rows without comparing values."""

import numpy as np


def dense_ranks(X):
    """Rank the values of every feature; equal values have the same rank.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)

    Returns
    -------
    ranks : ndarray of shape (n_features, n_samples), of uint16 or int32
    levels : ndarray of shape (n_levels,)
        The distinct values of every feature, ascending, one feature after the other.
    level_starts : ndarray of shape (n_features,)
        Position in `levels` of the first value of each feature.
    """
    order = np.argsort(X, axis=1)
    in_order = np.take_along_axis(X, order, axis=1)
    new = np.ones(X.shape, dtype=bool)
    np.not_equal(in_order[:, 1:], in_order[:, :-1], out=new[:, 1:])
    ranks = np.empty(X.shape, dtype=np.uint16 if X.shape[1] <= 65536 else np.int32)
    np.put_along_axis(ranks, order, np.cumsum(new, axis=1) - 1, axis=1)
    return ranks, in_order[new], np.cumsum([0, *new.sum(axis=1)[:-1]])
