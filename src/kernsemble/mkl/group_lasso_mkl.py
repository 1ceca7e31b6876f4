"""GLMKL and l_p-norm multiple kernel learning."""

import numpy as np

from ..fitting.kernel_learner import SVMKernelLearner
from ..solvers.group_lasso import solve_group_lasso
from ..validation import check_real

__all__ = ["GroupLassoMKLClassifier"]


class GroupLassoMKLClassifier(SVMKernelLearner):
    """Support vector machine on a sum of kernels whose weights have p-norm 1.

    Minimises the objective J(d) of SimpleMKL over d >= 0 with |d|_p <= 1 by turns: a machine on
    Σ d_m K_m, then d_m = n_m^(2/(p+1)) / (Σ n_j^(2p/(p+1)))^(1/p) in closed form, n_m the norm of
    kernel m's part of the decision function. p = 1 is the group lasso, sparse; p = inf gives every
    kernel the weight 1.

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
    p : float, default=1.0
        Norm of the weights, from 1 to infinity.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    shared_weights : bool, default=True
        One weight vector for all tasks, of least summed objective, or one for each.
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Limit on machines trained.
    calibration_folds : int, default=5
        Parts of the training rows left out in turn, on the learned kernel, to fit the temperature
        of the probabilities; 0 keeps the default one.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (n_kernels,) or (n_tasks, n_kernels)
    kernel_ : Kernel
        The weighted sum of the normalised kernels, an ordinary kernel.
    kernels_ : list of Kernel
        The normalised kernels.
    task_kernels_ : list of Kernel
        One per task, where weights are not shared.
    objective_ : float
        J(d), summed over tasks.
    duality_gap_ : float
        How far the objective is from the best one at most.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Xu, Jin, Yang, King and Lyu (2010), Simple and efficient multiple kernel learning by group
    lasso, ICML. Kloft, Brefeld, Sonnenburg and Zien (2011), l_p-norm multiple kernel learning,
    JMLR 12.

    Notes
    -----
    While the objective falls the steps are stretched beyond the closed form, on a logarithmic
    scale; a stretch that fails is taken back.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import GroupLassoMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = GroupLassoMKLClassifier(p=2).fit(X, y)
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
        p=1.0,
        multi_class="ovo",
        shared_weights=True,
        tol=1e-3,
        max_iter=500,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.C = C
        self.p = p
        self.multi_class = multi_class
        self.shared_weights = shared_weights
        self.tol = tol
        self.max_iter = max_iter
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        super()._check_params(X)
        if self.p != np.inf:
            check_real(self.p, "p", low=1.0)

    def _learn(self, grams, T, weight, rng):
        return solve_group_lasso(
            grams, T, self.C * weight, p=float(self.p), tol=self.tol, max_iter=self.max_iter
        )
