"""Machines: single classifiers, one file each."""

from typing import TYPE_CHECKING

from ..lazy import lazily_from

if TYPE_CHECKING:
    from .kernel_fda import KernelFDAClassifier as KernelFDAClassifier
    from .kernel_ridge import KernelRidgeClassifier as KernelRidgeClassifier
    from .kmhks import KMHKSClassifier as KMHKSClassifier
    from .oblique_tree import ObliqueTreeClassifier as ObliqueTreeClassifier
    from .rvfl import RVFLClassifier as RVFLClassifier

# A method does not wait for what only the others need.
__getattr__, __dir__, __all__ = lazily_from(
    __name__,
    {
        "KernelFDAClassifier": "kernel_fda",
        "KernelRidgeClassifier": "kernel_ridge",
        "KMHKSClassifier": "kmhks",
        "ObliqueTreeClassifier": "oblique_tree",
        "RVFLClassifier": "rvfl",
    },
)
