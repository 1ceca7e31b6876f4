"""Kernel weights by centred alignment with the classes."""

from ..fitting.kernel_learner import SVMKernelLearner
from ..solvers.alignment import solve_alignment
from ..solvers.simple_mkl import MKLSolution
from ..solvers.tasks import combine_grams
from ..targets import encode_targets, target_codes
from ..validation import check_choice

__all__ = ["AlignmentMKLClassifier"]


class AlignmentMKLClassifier(SVMKernelLearner):
    """Support vector machine on the kernels weighed by their centred alignment with the classes.

    With centred Gram matrices K_m, the centred one-hot classes Y, a_m = <K_m, YY'> and
    M_lm = <K_l, K_m>: "align" weighs kernel m by a_m / |K_m|, "alignf" minimises v'Mv - 2 v'a over
    v >= 0, which gives the weighted sum the best alignment.

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
    method : {"alignf", "align"}, default="alignf"
        Weigh the kernels together, or each for itself.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One task per pair of classes, or per class against the rest.
    shared_weights : bool, default=True
        One weight vector for all tasks, of least summed objective, or one for each.
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
        Centred alignment of the weighted kernel with the classes, summed over weight vectors.
    n_iter_ : int
        LIBSVM's steps.
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Cortes, Mohri and Rostamizadeh (2012), Algorithms for learning kernels based on centered
    alignment, JMLR 13.

    Notes
    -----
    The weights are scaled to sum 1 rather than to length 1, so that C means the same as for the
    other learners.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import AlignmentMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AlignmentMKLClassifier().fit(X, y)
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
        method="alignf",
        multi_class="ovo",
        shared_weights=True,
        calibration_folds=5,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.normalize = normalize
        self.C = C
        self.method = method
        self.multi_class = multi_class
        self.shared_weights = shared_weights
        self.calibration_folds = calibration_folds
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        super()._check_params(X)
        check_choice(self.method, "method", ("alignf", "align"))

    def _learn(self, grams, T, weight, rng):
        n_classes = 2 if T.shape[1] == 1 else len(self.classes_)
        Y = encode_targets(target_codes(T, self._coding), n_classes, "one_hot")
        weights, alignment = solve_alignment(grams, Y, weight, method=self.method)
        machine = self._machine(combine_grams(grams, weights), T, weight)
        return MKLSolution(
            weights, machine.coefs, machine.bias, alignment, None, machine.n_iter, machine.converged
        )
