"""EasyMKL: kernel weights from the margin distribution."""

from ..fitting.midpoint import MidpointKernelLearner
from ..kernels.mixture import Mixture
from ..solvers.easy_mkl import scale_to_hull, solve_easy_mkl, solve_hull_points
from ..validation import check_real

__all__ = ["EasyMKLClassifier"]


class EasyMKLClassifier(MidpointKernelLearner):
    """Kernels weighed by their share of the margin between two convex hulls.

    Minimises (1 - lam) (g y)' (Σ K_r / n_kernels) (g y) + lam |g|² over g >= 0 of sum 1 in each
    class, weighs kernel r by (g y)' K_r (g y), and solves the same problem again on the weighted
    kernel; the threshold lies midway between the two points of the hulls. Only one accumulated
    kernel is kept, so hundreds of kernels fit where one does.

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
    lam : float, default=0.1
        0 (hard margin) to 1 (distance of the class means).
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    shared_weights : bool, default=True
        One weight vector for all tasks, of least summed objective, or one for each.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
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
        Of the first problem, summed over tasks.
    duality_gap_ : float
        How far the objective is from the best one at most.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Aiolli and Donini (2015), EasyMKL: a scalable multiple kernel learning algorithm,
    Neurocomputing 169.

    Notes
    -----
    The mean of the kernels takes the place of the paper's sum, so that lam means the same for any
    number of kernels. The weights are scaled to sum 1. A row of weight w has lam / w in the place
    of lam: it counts as w equal rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import EasyMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EasyMKLClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        normalize="trace",
        lam=0.1,
        multi_class="ovo",
        shared_weights=True,
        tol=1e-4,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.lam = lam
        self.multi_class = multi_class
        self.shared_weights = shared_weights
        self.tol = tol
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        super()._check_params(X)
        check_real(self.lam, "lam", low=0.0, high=1.0)

    def _grams(self, X):
        return Mixture(self.kernels_, X)

    def _learn(self, grams, T, weight, rng):
        return solve_easy_mkl(grams, T, weight, self.lam, tol=self.tol)

    def _machine(self, K, T, weight):
        return scale_to_hull(K, solve_hull_points(K, T, weight, self.lam, tol=self.tol).coefs, T)
