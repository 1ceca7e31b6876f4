"""The mean of the kernels, the baseline that learned weights must beat."""

import numpy as np

from ..fitting.kernel_learner import SVMKernelLearner
from ..kernels.mixture import Mixture
from ..solvers.simple_mkl import MKLSolution

__all__ = ["AverageMKLClassifier"]


class AverageMKLClassifier(SVMKernelLearner):
    """Support vector machine on the mean of the normalised kernels.

    Often as good as learned weights (Gönen and Alpaydın 2011), and as cheap as one machine: only
    the mean is ever computed.

    Parameters
    ----------
    {kernels_weighed}
    {n_kernels}
    {normalize}
    {C}
    {multi_class}
    {calibration_folds}
    {class_weight}
    {random_state}

    Attributes
    ----------
    {learned_kernel}
    objective_ : float
        The dual objective of the machines, summed over the problems.
    n_iter_ : int
        Number of LIBSVM's steps.
    {honest}
    {fitted}

    References
    ----------
    Gönen and Alpaydın (2011), Multiple kernel learning algorithms, JMLR 12.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import AverageMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AverageMKLClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        normalize="trace",
        C=1.0,
        multi_class="ovo",
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.C = C
        self.multi_class = multi_class
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _grams(self, kernels, X):
        return Mixture(kernels, X)

    def _learn(self, grams, tasks, rng):
        uniform = np.full(len(grams), 1.0 / len(grams))
        machine = self._machine(grams.combine(uniform), tasks)
        return MKLSolution(
            uniform,
            machine.coefs,
            machine.bias,
            machine.objective,
            None,
            machine.n_iter,
            machine.converged,
        )
