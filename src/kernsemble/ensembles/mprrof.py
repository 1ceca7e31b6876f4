"""Rotation forest of oblique trees whose nodes pass between two proximal planes."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.forest import ObliqueForestEnsemble
from ..fitting.parameters import with_parameters


@with_parameters
class MPRRoFClassifier(ObliqueForestEnsemble):
    """Random rotation forest with proximal-plane nodes (MPRRoF), third of 183 methods in its study.

    Every tree sees all rows, after its own rotation of small groups of features to their principal
    components (see `RotationForestClassifier`). Its nodes draw `max_features` rotated features and
    split along a bisector of two proximal planes (see `MPRaFClassifier`).

    Attributes
    ----------
    {trees}
    {honest}
    {fitted_shares}

    {proximal_planes}
    """

    _: KW_ONLY
    group_size: int = 3
    max_samples: float = 0.75
    regularization: str = "axis"
    alpha: Any = 0.01
    max_features: Any = "sqrt"
    min_samples_split: int = 5
