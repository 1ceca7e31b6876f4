"""Multiple kernel learning: the named methods that combine kernels, one file each."""

from typing import TYPE_CHECKING

from ..lazy import lazily_from

if TYPE_CHECKING:
    from .alignment_mkl import AlignmentMKLClassifier as AlignmentMKLClassifier
    from .average_mkl import AverageMKLClassifier as AverageMKLClassifier
    from .easy_mkl import EasyMKLClassifier as EasyMKLClassifier
    from .group_lasso_mkl import GroupLassoMKLClassifier as GroupLassoMKLClassifier
    from .mkda import MKDAClassifier as MKDAClassifier
    from .silp_mkl import SILPMKLClassifier as SILPMKLClassifier
    from .simple_mkl import SimpleMKLClassifier as SimpleMKLClassifier
    from .svm2k import SVM2KClassifier as SVM2KClassifier
    from .ufo_mkl import UFOMKLClassifier as UFOMKLClassifier

# A method does not wait for what only the others need.
__getattr__, __dir__, __all__ = lazily_from(
    __name__,
    {
        "AlignmentMKLClassifier": "alignment_mkl",
        "AverageMKLClassifier": "average_mkl",
        "EasyMKLClassifier": "easy_mkl",
        "GroupLassoMKLClassifier": "group_lasso_mkl",
        "MKDAClassifier": "mkda",
        "SILPMKLClassifier": "silp_mkl",
        "SimpleMKLClassifier": "simple_mkl",
        "SVM2KClassifier": "svm2k",
        "UFOMKLClassifier": "ufo_mkl",
    },
)
