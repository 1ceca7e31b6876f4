"""Ensembles: the named methods that combine members, one file each."""

from .landmark_ridge import LandmarkRidgeClassifier
from .mpraf import MPRaFClassifier
from .mprrof import MPRRoFClassifier
from .oblique_tree import ObliqueTreeClassifier
from .rotation_forest import RotationForestClassifier

__all__ = [
    "LandmarkRidgeClassifier",
    "MPRRoFClassifier",
    "MPRaFClassifier",
    "ObliqueTreeClassifier",
    "RotationForestClassifier",
]
