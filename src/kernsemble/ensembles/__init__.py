"""Ensembles: the named methods that combine members, one file each."""

from .co_krr import CoKRRClassifier
from .kernel_pca import KernelPCAEnsembleClassifier
from .kernel_ridge import KernelRidgeClassifier
from .kmhks import KMHKSClassifier
from .landmark_ridge import LandmarkRidgeClassifier
from .mekl_dlp import MEKLDLPClassifier
from .mekl_lpc import MEKLLPCClassifier
from .multik_mhks import MultiKMHKSClassifier
from .rpemekl import RPEMEKLClassifier
from .rvfl import RVFLClassifier
from .rvfl_ensemble import RVFLEnsembleClassifier

__all__ = [
    "CoKRRClassifier",
    "KMHKSClassifier",
    "KernelPCAEnsembleClassifier",
    "KernelRidgeClassifier",
    "LandmarkRidgeClassifier",
    "MEKLDLPClassifier",
    "MEKLLPCClassifier",
    "MultiKMHKSClassifier",
    "RPEMEKLClassifier",
    "RVFLClassifier",
    "RVFLEnsembleClassifier",
]
