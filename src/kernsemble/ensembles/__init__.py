"""Ensembles: the named methods that combine members, one file each."""

from .kernel_pca import KernelPCAEnsembleClassifier
from .landmark_ridge import LandmarkRidgeClassifier

__all__ = ["KernelPCAEnsembleClassifier", "LandmarkRidgeClassifier"]
