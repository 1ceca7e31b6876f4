"""Ensembles of kernel machines for classification, for scikit-learn."""

from . import ensembles, kernels, maps
from .ensembles import *  # noqa: F403
from .maps import EmpiricalKernelMap

__version__ = "0.1.0.dev0"

__all__ = [*ensembles.__all__, "EmpiricalKernelMap", "ensembles", "kernels", "maps"]
