"""Ensembles: the named methods that combine members, one file each."""

from .kernel_pca import KernelPCAEnsembleClassifier
from .landmark_ridge import LandmarkRidgeClassifier
from .mrskl import MRSKLClassifier

__all__ = ["KernelPCAEnsembleClassifier", "LandmarkRidgeClassifier", "MRSKLClassifier"]
