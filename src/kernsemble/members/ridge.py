"""A ridge regression on explicit features as a member."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from ..maps.empirical import EmpiricalKernelMap
from ..maps.views import UnchangedView
from ..solvers.ridge import Moments
from .member import HeldRows, KernelTerm, Member

BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False)
class RidgeMember(Member):
    """A feature map and the coefficients of a ridge regression on it.

    Attributes
    ----------
    feature_map : transformer
    coefs : ndarray of shape (n_components + 1, n_outputs)
        The last row is the bias.
    honest_scores : ndarray of shape (n_scored, n_outputs) or None
        Leave-one-out scores of training rows.
    coding : str
    """

    feature_map: Any
    coefs: np.ndarray
    honest_scores: np.ndarray | None
    coding: str = "one_hot"

    def scores(self, X):
        return self.feature_map.transform(X) @ self.coefs[:-1] + self.coefs[-1]

    def held_rows(self):
        rows = getattr(self.feature_map, "landmarks_", None)
        drawn_evenly = getattr(self.feature_map, "landmarks", None) == "uniform"
        if not drawn_evenly or rows is None or sparse.issparse(rows):
            return None
        return HeldRows(UnchangedView(), rows, True)

    def kernel_terms(self):
        features = self.feature_map
        if not isinstance(features, EmpiricalKernelMap):
            return None
        coefs = features.projection_ @ self.coefs[:-1]
        return [KernelTerm(UnchangedView(), features.kernel_, features.landmarks_, coefs, True)]


def fit_ridge_member(table, feature_map, alpha, *, coding="signed"):
    """Fit a feature map to the rows, and a ridge regression of the targets on its features.

    The features are computed twice in blocks of rows, once for their moments and once for the
    leave-one-out scores, so memory does not grow with the number of rows.

    Parameters
    ----------
    table : Table
    feature_map : transformer
        It is fitted in place to the rows and their classes.
    alpha : float
        Ridge strength, which also penalises the bias.
    coding : str, default="signed"

    Returns
    -------
    RidgeMember
    """
    rows = table.all
    feature_map.fit(rows.X, rows.codes)

    def features():
        for block in rows.blocks(BLOCK_ROWS):
            Z = feature_map.transform(block.X)
            ones = np.ones((Z.shape[0], 1), dtype=Z.dtype)
            yield np.hstack([Z, ones]), block.targets(coding), block

    moments: Any = None
    for Z, T, block in features():
        moments = moments or Moments.zeros(Z.shape[1], T.shape[1])
        moments.add(Z, T, block.weights)
    system = moments.gram
    system.flat[:: len(system) + 1] += alpha
    factor = cho_factor(system, lower=True, overwrite_a=True)
    coefs = cho_solve(factor, moments.cross)
    honest = []
    for Z, T, block in features():
        own = block.weights if block.left_out is None else block.weights * block.left_out
        leverage = own * np.einsum("ij,ji->i", Z, cho_solve(factor, Z.T))
        left_out = np.maximum(1.0 - leverage, 1e-10)[:, None]
        honest.append(T - (T - Z @ coefs) / left_out)
    return RidgeMember(feature_map, coefs, np.concatenate(honest), coding)
