"""Maps: transformers from rows to explicit features."""

from .empirical import EmpiricalKernelMap

__all__ = ["EmpiricalKernelMap"]
