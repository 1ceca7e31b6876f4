"""SVM-2K: two machines on two kernels that agree."""

import numpy as np

from ..fitting.kernel_learner import KernelLearner
from ..kernels import MeanSquaredDistance
from ..kernels.mixture import weighted_kernel
from ..members.kernel_expansion import KernelPart
from ..solvers.svm2k import solve_svm2k
from ..validation import check_real

__all__ = ["SVM2KClassifier"]


class SVM2KClassifier(KernelLearner):
    """Two support vector machines, one per kernel, trained to agree with each other.

    Minimises 0.5 |w_A|² + 0.5 |w_B|² + C Σ (xi_A + xi_B) + coupling Σ eta subject to
    |f_A(x_i) - f_B(x_i)| <= eta_i + epsilon and the hinge losses xi; decides by the mean of f_A and
    f_B.

    Parameters
    ----------
    kernels : list of two Kernel, sampler, ndarray of shape (2, n, n) or None, default=None
        The two kernels. An array is a pair of Gram matrices; X then holds row numbers. None means
        RBF kernels at a quarter of the mean squared distance and at all of it.
    normalize : {"trace", "variance", "cosine", "none"}, default="trace"
        Scale every kernel to a mean diagonal of 1, to unit variance in feature space, to a unit
        diagonal, or leave it.
    C : float, default=1.0
        Cost of a violated margin; sample weights multiply it.
    coupling : float, default=1.0
        Cost of a disagreement; sample weights multiply it.
    epsilon : float, default=0.1
        Disagreement that costs nothing.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=100
        Limit on interior-point steps.
    calibration_folds : int, default=5
        Parts of the training rows left out in turn, on the learned kernel, to fit the temperature
        of the probabilities; 0 keeps the default one.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (2,)
        One half each: the decision is the mean of the two machines.
    kernel_ : Kernel
        The mean of the two normalised kernels.
    kernels_ : list of Kernel
        The normalised kernels.
    objective_ : float
        Primal objective, summed over tasks.
    duality_gap_ : float
        How far the objective is from the best one at most.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Farquhar, Hardoon, Meng, Shawe-Taylor and Szedmak (2006), Two view learning: SVM-2K, theory and
    practice, NIPS 18.

    Notes
    -----
    The bias is part of the kernels (K + 1) and so is penalised with the weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import SVM2KClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = SVM2KClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        normalize="trace",
        C=1.0,
        coupling=1.0,
        epsilon=0.1,
        multi_class="ovo",
        tol=1e-4,
        max_iter=100,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.normalize = normalize
        self.C = C
        self.coupling = coupling
        self.epsilon = epsilon
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    _default_sampler = MeanSquaredDistance(multipliers=(0.25, 1.0))

    def _check_params(self, X):
        super()._check_params(X)
        check_real(self.C, "C", low=0.0, open_low=True)
        check_real(self.coupling, "coupling", low=0.0)
        check_real(self.epsilon, "epsilon", low=0.0)

    def _resolve_kernels(self, X, rng):
        kernels = super()._resolve_kernels(X, rng)
        if len(kernels) != 2:
            raise ValueError(f"kernels must be two kernels, got {len(kernels)}: {kernels!r}.")
        return kernels

    def _fit_shared(self, X, T, weight, rng):
        found = self._learn(self._grams(X), T, weight, rng)
        self.kernel_weights_ = np.array([0.5, 0.5])
        self.kernel_ = weighted_kernel(self.kernels_, self.kernel_weights_)
        self._report([found])
        views = zip(self.kernels_, 0.5 * found.coefs)
        return [KernelPart.of_support(kernel, X, coefs) for kernel, coefs in views], found.bias

    def _held_out_scores(self, X, T, weight, folds, rng):
        return self._score_folds(self.kernels_, X, T, weight, folds, rng)

    def _fit_fixed(self, grams, T, weight, rng):
        found = self._learn(grams, T, weight, rng)
        return list(0.5 * found.coefs), found.bias

    def _learn(self, grams, T, weight, rng):
        gram_a, gram_b = grams
        return solve_svm2k(
            gram_a,
            gram_b,
            T,
            self.C * weight,
            self.coupling * weight,
            self.epsilon,
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def _machine(self, K, T, weight):
        raise TypeError("SVM-2K has two machines on two Gram matrices, not one on their sum.")
