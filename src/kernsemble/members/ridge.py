"""A member that is a ridge regression on explicit features."""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import gen_batches

from ..solvers.ridge import Moments

__all__ = ["RidgeMember", "fit_ridge_member"]

BLOCK_ROWS = 8192


class RidgeMember(NamedTuple):
    """A feature map and the coefficients of a ridge regression on it.

    Attributes
    ----------
    feature_map : transformer
    coefs : ndarray of shape (n_components + 1, n_outputs)
        The last row is the bias.
    honest_scores : ndarray of shape (n_samples, n_outputs)
        Leave-one-out scores of the training rows.
    """

    feature_map: Any
    coefs: np.ndarray
    honest_scores: np.ndarray

    def scores(self, X):
        return self.feature_map.transform(X) @ self.coefs[:-1] + self.coefs[-1]


def fit_ridge_member(feature_map, X, T, alpha, sample_weight=None, y=None):
    """Fit `feature_map` to the rows of `X` and a ridge regression of `T` on the features.

    The features are made twice in blocks of rows, once for their moments and once for the
    leave-one-out scores, so memory does not grow with the number of rows.

    Parameters
    ----------
    feature_map : transformer
        Is fitted in place.
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    alpha : float
        Ridge strength; the bias is a feature like any other.
    sample_weight : ndarray of shape (n_samples,), default=None
    y : ndarray of shape (n_samples,), default=None
        Class codes, for maps that choose their landmarks by class.

    Returns
    -------
    RidgeMember
    """
    feature_map.fit(X, y)
    blocks = list(gen_batches(X.shape[0], BLOCK_ROWS))
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    n_components = feature_map.transform(X[:1]).shape[1]
    moments = Moments.zeros(n_components + 1, T.shape[1])
    for rows in blocks:
        moments.add(_with_bias(feature_map.transform(X[rows])), T[rows], weights[rows])
    system = moments.gram
    system.flat[:: len(system) + 1] += alpha
    factor = cho_factor(system, lower=True, overwrite_a=True)
    coefs = cho_solve(factor, moments.cross)
    honest = np.empty(T.shape)
    for rows in blocks:
        Z = _with_bias(feature_map.transform(X[rows]))
        leverage = weights[rows] * np.einsum("ij,ji->i", Z, cho_solve(factor, Z.T))
        left_out = np.maximum(1.0 - leverage, 1e-10)[:, None]
        honest[rows] = T[rows] - (T[rows] - Z @ coefs) / left_out
    return RidgeMember(feature_map, coefs, honest)


def _with_bias(Z):
    return np.hstack([Z, np.ones((Z.shape[0], 1), dtype=Z.dtype)])
