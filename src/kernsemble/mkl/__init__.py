"""Multiple kernel learning: the named methods that combine kernels, one file each."""

from .alignment_mkl import AlignmentMKLClassifier
from .average_mkl import AverageMKLClassifier
from .easy_mkl import EasyMKLClassifier
from .group_lasso_mkl import GroupLassoMKLClassifier
from .kernel_fda import KernelFDAClassifier
from .mkda import MKDAClassifier
from .silp_mkl import SILPMKLClassifier
from .simple_mkl import SimpleMKLClassifier
from .svm2k import SVM2KClassifier
from .ufo_mkl import UFOMKLClassifier

__all__ = [
    "AlignmentMKLClassifier",
    "AverageMKLClassifier",
    "EasyMKLClassifier",
    "GroupLassoMKLClassifier",
    "KernelFDAClassifier",
    "MKDAClassifier",
    "SILPMKLClassifier",
    "SVM2KClassifier",
    "SimpleMKLClassifier",
    "UFOMKLClassifier",
]
