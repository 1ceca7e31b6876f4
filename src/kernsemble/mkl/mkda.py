"""MKDA: the kernel weights of the best Fisher ratio."""

from ..fitting.midpoint import MidpointKernelLearner
from ..solvers.kfda import solve_kfda
from ..solvers.mkda import solve_mkda
from ..validation import check_real

__all__ = ["MKDAClassifier"]


class MKDAClassifier(MidpointKernelLearner):
    """Kernel Fisher discriminant on the weighted sum of kernels with the best Fisher ratio.

    Maximises over weights theta >= 0 of sum 1 the largest ratio of the squared distance of the
    class means to the spread of the classes plus alpha |w|², in the feature space of
    Σ theta_m K_m. The ratio is concave in theta and its gradient costs one Cholesky factor, so the
    semidefinite programme of the paper is not needed.

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
    alpha : float, default=0.01
        Strength of the penalty.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    shared_weights : bool, default=True
        One weight vector for all tasks, of least summed objective, or one for each.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=200
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
        The Fisher ratio, summed over tasks.
    duality_gap_ : float
        How far the objective is from the best one at most.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Kim, Magnani and Boyd (2006), Optimal kernel selection in kernel Fisher discriminant analysis,
    ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MKDAClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MKDAClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        normalize="trace",
        alpha=0.01,
        multi_class="ovo",
        shared_weights=True,
        tol=1e-4,
        max_iter=200,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.alpha = alpha
        self.multi_class = multi_class
        self.shared_weights = shared_weights
        self.tol = tol
        self.max_iter = max_iter
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        super()._check_params(X)
        check_real(self.alpha, "alpha", low=0.0, open_low=True)

    def _learn(self, grams, T, weight, rng):
        return solve_mkda(grams, T, weight, self.alpha, tol=self.tol, max_iter=self.max_iter)

    def _machine(self, K, T, weight):
        return solve_kfda(K, T, weight, self.alpha)
