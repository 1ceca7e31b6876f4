"""Data sets that were published with a defect."""

from types import MappingProxyType

_SCALED_APART = "training and test file are not on the same scale"
_WRONG_TARGET = "a feature was distributed as the target column"

#: Defect of each flawed set in the 121-set collection of Fernández-Delgado et al. (2014). The
#: published accuracies were measured with these defects, so do not compare with them.
FLAWED = MappingProxyType(
    {
        "jmlr121/audiology-std": _SCALED_APART,
        "jmlr121/congressional-voting": "yes and no votes are coded alike",
        "jmlr121/conn-bench-vowel-deterding": "the test file repeats rows of the training file",
        "jmlr121/image-segmentation": _SCALED_APART,
        "jmlr121/monks-1": _SCALED_APART,
        "jmlr121/monks-2": _SCALED_APART,
        "jmlr121/monks-3": _SCALED_APART,
        "jmlr121/spect": _WRONG_TARGET,
        "jmlr121/spectf": _SCALED_APART,
        "jmlr121/statlog-australian-credit": _WRONG_TARGET,
    }
)
