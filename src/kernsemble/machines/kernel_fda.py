"""The kernel Fisher discriminant."""

import numpy as np

from ..fitting.midpoint import MidpointKernelLearner
from ..kernels import MeanSquaredDistance
from ..kernels.samplers import resolve_kernels
from ..solvers.kfda import solve_kfda
from ..solvers.simple_mkl import MKLSolution
from ..validation import check_choice, check_real

__all__ = ["KernelFDAClassifier"]


class KernelFDAClassifier(MidpointKernelLearner):
    """Kernel Fisher discriminant: the direction that parts the class means best for their spread.

    Two classes at a time: maximises (w'(mu+ - mu-))² / (w'(S+ + S-) w + alpha |w|²) in the feature
    space of one kernel, or with the penalty on the coefficients, and puts the threshold midway
    between the projected means.

    Parameters
    ----------
    kernel : Kernel or sampler, default=None
        None means an RBF kernel at the mean squared distance.
    alpha : float, default=0.01
        Strength of the penalty.
    penalty : {"norm", "coefs"}, default="norm"
        alpha |w|² with class covariances, or alpha |coefs|² with class scatters.
    normalize : {"trace", "variance", "cosine", "none"}, default="trace"
        How the kernel is scaled.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    calibration_folds : int, default=5
        Parts of the training rows left out in turn, on the learned kernel, to fit the temperature
        of the probabilities; 0 keeps the default one.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (1,)
        Always 1, for the interface of the other kernel learners.
    kernel_ : Kernel
        The normalised kernel.
    kernels_ : list of Kernel
        The same in a list.
    objective_ : float
        The Fisher ratio, summed over tasks.
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Mika, Rätsch, Weston, Schölkopf and Müller (1999), Fisher discriminant analysis with kernels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelFDAClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelFDAClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernel=None,
        *,
        alpha=0.01,
        penalty="norm",
        normalize="trace",
        multi_class="ovo",
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.penalty = penalty
        self.normalize = normalize
        self.multi_class = multi_class
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    _default_sampler = MeanSquaredDistance(multipliers=(1.0,))

    def _check_params(self, X):
        super()._check_params(X)
        check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_choice(self.penalty, "penalty", ("norm", "coefs"))

    def _resolve_kernels(self, X, rng):
        return resolve_kernels(self.kernel, X, 1, rng, default=self._default_sampler)

    def _learn(self, grams, T, weight, rng):
        machine = self._machine(grams[0], T, weight)
        return MKLSolution(
            np.ones(1), machine.coefs, machine.bias, machine.objective, None, 1, True
        )

    def _machine(self, K, T, weight):
        return solve_kfda(K, T, weight, self.alpha, penalty=self.penalty)
