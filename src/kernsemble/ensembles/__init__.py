"""Ensembles: the named methods that combine members, one file each."""

from .co_krr import CoKRRClassifier
from .kernel_pca import KernelPCAEnsembleClassifier
from .kernel_ridge import KernelRidgeClassifier
from .landmark_ridge import LandmarkRidgeClassifier
from .rvfl import RVFLClassifier
from .rvfl_ensemble import RVFLEnsembleClassifier

__all__ = [
    "CoKRRClassifier",
    "KernelPCAEnsembleClassifier",
    "KernelRidgeClassifier",
    "LandmarkRidgeClassifier",
    "RVFLClassifier",
    "RVFLEnsembleClassifier",
]
