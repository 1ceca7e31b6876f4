"""SimpleMKL: kernel weights on the simplex by gradient steps over an SVM."""

from ..fitting.kernel_learner import SVMKernelLearner
from ..solvers.simple_mkl import solve_simple_mkl

__all__ = ["SimpleMKLClassifier"]


class SimpleMKLClassifier(SVMKernelLearner):
    """Support vector machine on the weighted sum of kernels with the largest margin.

    Minimises J(d) = max over alpha of 1'alpha - 0.5 (alpha y)' (Σ d_m K_m) (alpha y) over weights
    d >= 0 of sum 1; J is convex and its gradient is -0.5 (alpha y)' K_m (alpha y).

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
    shared_weights : bool, default=True
        One weight vector for all tasks, of least summed objective, or one for each.
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Limit on weight vectors tried.
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
    Rakotomamonjy, Bach, Canu and Grandvalet (2008), SimpleMKL, JMLR 9.

    Notes
    -----
    Where the paper follows the reduced gradient with a golden-section search, the weights here
    take quasi-Newton steps on the simplex: the same problem, gradient and duality gap with fewer
    machines trained.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import SimpleMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = SimpleMKLClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> float(clf.kernel_weights_.sum().round(6))
    1.0
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        normalize="trace",
        C=1.0,
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
        self.multi_class = multi_class
        self.shared_weights = shared_weights
        self.tol = tol
        self.max_iter = max_iter
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _learn(self, grams, T, weight, rng):
        return solve_simple_mkl(grams, T, self.C * weight, tol=self.tol, max_iter=self.max_iter)
