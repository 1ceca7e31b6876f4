"""Ensembles: the named methods that combine members, one file each."""

from .kernel_pca import KernelPCAEnsembleClassifier
from .kmhks import KMHKSClassifier
from .landmark_ridge import LandmarkRidgeClassifier
from .mekl_dlp import MEKLDLPClassifier
from .mekl_lpc import MEKLLPCClassifier
from .multik_mhks import MultiKMHKSClassifier
from .rpemekl import RPEMEKLClassifier

__all__ = [
    "KMHKSClassifier",
    "KernelPCAEnsembleClassifier",
    "LandmarkRidgeClassifier",
    "MEKLDLPClassifier",
    "MEKLLPCClassifier",
    "MultiKMHKSClassifier",
    "RPEMEKLClassifier",
]
