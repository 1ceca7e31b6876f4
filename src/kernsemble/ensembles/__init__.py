"""Ensembles: the named methods that combine members, one file each."""

from .co_krr import CoKRRClassifier
from .kernel_ensemble import KernelEnsembleClassifier
from .kernel_pca import KernelPCAEnsembleClassifier
from .kernel_ridge import KernelRidgeClassifier
from .kmhks import KMHKSClassifier
from .landmark_ridge import LandmarkRidgeClassifier
from .mekl_dlp import MEKLDLPClassifier
from .mekl_lpc import MEKLLPCClassifier
from .mpraf import MPRaFClassifier
from .mprrof import MPRRoFClassifier
from .mrskl import MRSKLClassifier
from .multik_mhks import MultiKMHKSClassifier
from .oblique_tree import ObliqueTreeClassifier
from .rotation_forest import RotationForestClassifier
from .rpemekl import RPEMEKLClassifier
from .rvfl import RVFLClassifier
from .rvfl_ensemble import RVFLEnsembleClassifier

__all__ = [
    "CoKRRClassifier",
    "KMHKSClassifier",
    "KernelEnsembleClassifier",
    "KernelPCAEnsembleClassifier",
    "KernelRidgeClassifier",
    "LandmarkRidgeClassifier",
    "MEKLDLPClassifier",
    "MEKLLPCClassifier",
    "MPRRoFClassifier",
    "MPRaFClassifier",
    "MRSKLClassifier",
    "MultiKMHKSClassifier",
    "ObliqueTreeClassifier",
    "RPEMEKLClassifier",
    "RVFLClassifier",
    "RVFLEnsembleClassifier",
    "RotationForestClassifier",
]
