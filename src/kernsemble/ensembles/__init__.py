"""Ensembles: the named methods that combine members, one file each."""

from typing import TYPE_CHECKING

from ..lazy import lazily_from

if TYPE_CHECKING:
    from .co_krr import CoKRRClassifier as CoKRRClassifier
    from .ed_rvfl import EdRVFLClassifier as EdRVFLClassifier
    from .kernel_ensemble import KernelEnsembleClassifier as KernelEnsembleClassifier
    from .kernel_pca import KernelPCAEnsembleClassifier as KernelPCAEnsembleClassifier
    from .landmark_ridge import LandmarkRidgeClassifier as LandmarkRidgeClassifier
    from .mekl_dlp import MEKLDLPClassifier as MEKLDLPClassifier
    from .mekl_lpc import MEKLLPCClassifier as MEKLLPCClassifier
    from .mpraf import MPRaFClassifier as MPRaFClassifier
    from .mprrof import MPRRoFClassifier as MPRRoFClassifier
    from .mrskl import MRSKLClassifier as MRSKLClassifier
    from .multik_mhks import MultiKMHKSClassifier as MultiKMHKSClassifier
    from .rotation_forest import RotationForestClassifier as RotationForestClassifier
    from .rpemekl import RPEMEKLClassifier as RPEMEKLClassifier
    from .rvfl_ensemble import RVFLEnsembleClassifier as RVFLEnsembleClassifier

# A method does not wait for what only the others need.
__getattr__, __dir__, __all__ = lazily_from(
    __name__,
    {
        "CoKRRClassifier": "co_krr",
        "EdRVFLClassifier": "ed_rvfl",
        "KernelEnsembleClassifier": "kernel_ensemble",
        "KernelPCAEnsembleClassifier": "kernel_pca",
        "LandmarkRidgeClassifier": "landmark_ridge",
        "MEKLDLPClassifier": "mekl_dlp",
        "MEKLLPCClassifier": "mekl_lpc",
        "MPRaFClassifier": "mpraf",
        "MPRRoFClassifier": "mprrof",
        "MRSKLClassifier": "mrskl",
        "MultiKMHKSClassifier": "multik_mhks",
        "RotationForestClassifier": "rotation_forest",
        "RPEMEKLClassifier": "rpemekl",
        "RVFLEnsembleClassifier": "rvfl_ensemble",
    },
)
