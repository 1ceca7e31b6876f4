"""Ensembles of kernel machines for classification, for scikit-learn."""

from . import ensembles, kernels, maps, mkl
from .ensembles import *  # noqa: F403
from .maps import EmpiricalKernelMap
from .mkl import *  # noqa: F403

__version__ = "0.1.0.dev0"

__all__ = [
    *ensembles.__all__,
    *mkl.__all__,
    "EmpiricalKernelMap",
    "ensembles",
    "kernels",
    "maps",
    "mkl",
]
