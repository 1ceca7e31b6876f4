"""The mean of the kernels, the baseline that learned weights must beat."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from ..fitting.kernel_learner import SVMKernelLearner
from ..fitting.parameters import with_parameters
from ..kernels.mixture import Mixture


@with_parameters
class AverageMKLClassifier(SVMKernelLearner):
    """Support vector machine on the mean of the normalised kernels.

    Often as good as learned weights (Gönen and Alpaydın 2011), and as cheap as one machine: only
    the mean is ever computed.

    Attributes
    ----------
    {learned_kernel}
    {chosen_C}
    objective_ : float
        The dual objective of the machines, summed over the problems.
    n_iter_ : int
        Number of LIBSVM's steps.
    {honest}
    {fitted}

    References
    ----------
    Gönen and Alpaydın (2011), Multiple kernel learning algorithms, JMLR 12.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    multi_class: str = "auto"

    def _grams(self, kernels, X):
        return Mixture(kernels, X)

    def _learn(self, grams, tasks, rng):
        uniform = np.full(len(grams), 1.0 / len(grams))
        return self._machine(grams.combine(uniform), tasks).weighted(uniform, gap=None)
