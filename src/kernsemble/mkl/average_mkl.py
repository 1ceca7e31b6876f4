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
    kernels : list of Kernel, sampler, ndarray of shape (n_kernels, n, n) or None, default=None
        The kernels to weigh. An array is a stack of Gram matrices; X then holds row numbers. None
        means RBF kernels around the mean squared distance.
    n_kernels : int, default=None
        How many to draw from a sampler; None means as many as it has.
    normalize : {"trace", "variance", "cosine", "none"}, default="trace"
        Scale every kernel to a mean diagonal of 1, to unit variance in feature space, to a unit
        diagonal, or leave it.
    C : float, default=1.0
        Cost of a violated margin, as in `sklearn.svm.SVC`; sample weights multiply it.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    calibration_folds : int, default=5
        Parts of the training rows left out in turn, on the learned kernel, to fit the temperature
        of the probabilities; 0 keeps the default one.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (n_kernels,)
        1 / n_kernels each.
    kernel_ : Kernel
        The weighted sum of the normalised kernels, an ordinary kernel.
    kernels_ : list of Kernel
        The normalised kernels.
    objective_ : float
        Dual objective of the machines, summed over tasks.
    n_iter_ : int
        LIBSVM's steps.
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

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

    def _grams(self, X):
        return Mixture(self.kernels_, X)

    def _learn(self, grams, T, weight, rng):
        uniform = np.full(len(grams), 1.0 / len(grams))
        machine = self._machine(grams.combine(uniform), T, weight)
        return MKLSolution(
            uniform,
            machine.coefs,
            machine.bias,
            machine.objective,
            None,
            machine.n_iter,
            machine.converged,
        )
