"""UFO-MKL: kernel weights and machine together by stochastic gradient steps."""

import numpy as np

from ..fitting.kernel_learner import KernelLearner
from ..solvers.simple_mkl import MKLSolution
from ..solvers.ufo_mkl import solve_ufo_mkl
from ..targets import target_codes
from ..validation import check_count, check_real

__all__ = ["UFOMKLClassifier"]


class UFOMKLClassifier(KernelLearner):
    """Sparse sum of kernels by stochastic gradient steps whose number does not grow with kernels.

    Minimises alpha / 2 |w|²_{2,p} + sparsity |w|_{2,1} + mean hinge loss, p = q / (q - 1) and
    q = 2 ln n_kernels, over one vector w_j per kernel, a row at a time; more than two classes by
    the multi-class hinge, the true class against the best other one. There is no bias.

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
    alpha : float, default=None
        Strength of the squared norm; None means 1 / n_samples.
    sparsity : float, default=0.01
        Strength of the plain norm, which switches kernels off.
    n_epochs : int, default=5
        Passes over the rows.
    calibration_folds : int, default=5
        Parts of the training rows left out in turn, on the learned kernel, to fit the temperature
        of the probabilities; 0 keeps the default one.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (n_kernels,)
        What each kernel's share of the common expansion is multiplied by; not on the simplex.
    kernel_ : Kernel
        The weighted sum of the normalised kernels, an ordinary kernel.
    kernels_ : list of Kernel
        The normalised kernels.
    objective_ : float
        At the end; it need not be the lowest one seen.
    n_iter_ : int
        Rows visited.
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Orabona and Jie (2011), Ultra-fast optimization algorithm for sparse multi kernel learning,
    ICML.

    Notes
    -----
    With fewer than three kernels q would be below 2; it is 2 there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import UFOMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = UFOMKLClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        normalize="trace",
        alpha=None,
        sparsity=0.01,
        n_epochs=5,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.alpha = alpha
        self.sparsity = sparsity
        self.n_epochs = n_epochs
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    multi_class = "ovr"

    def _check_params(self, X):
        super()._check_params(X)
        if self.alpha is not None:
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_real(self.sparsity, "sparsity", low=0.0)
        check_count(self.n_epochs, "n_epochs")

    def _learn(self, grams, T, weight, rng):
        found = self._descend(grams, T, weight, rng)
        bias = np.zeros(T.shape[1])
        return MKLSolution(
            found.weights, found.coefs, bias, found.objective, None, found.n_iter, True
        )

    def _descend(self, grams, T, weight, rng):
        return solve_ufo_mkl(
            grams,
            target_codes(T),
            len(self.classes_),
            weight,
            1.0 / len(T) if self.alpha is None else self.alpha,
            self.sparsity,
            n_epochs=self.n_epochs,
            rng=rng,
        )

    def _held_out_scores(self, X, T, weight, folds, rng):
        return self._score_folds(self.kernels_, X, T, weight, folds, rng)

    def _fit_fixed(self, grams, T, weight, rng):
        # Weights and coefs belong together here: both are learned anew without the fold.
        found = self._descend(grams, T, weight, rng)
        return [d * found.coefs for d in found.weights], np.zeros(T.shape[1])

    def _machine(self, K, T, weight):
        raise TypeError("UFO-MKL learns weights and machine together.")
