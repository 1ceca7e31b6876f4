"""A ridge regression on explicit features as a member."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..maps.empirical import EmpiricalKernelMap
from ..maps.views import UnchangedView
from .member import HeldRows, KernelTerm, Member


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
