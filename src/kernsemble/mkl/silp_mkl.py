"""SILP-MKL: kernel weights by cutting planes."""

from ..solvers.silp import solve_silp
from .simple_mkl import SimpleMKLClassifier

__all__ = ["SILPMKLClassifier"]


class SILPMKLClassifier(SimpleMKLClassifier):
    """Support vector machine on the weighted sum of kernels, by a semi-infinite linear programme.

    Maximises theta over weights beta >= 0 of sum 1 subject to Σ beta_k S_k(alpha) >= theta for all
    feasible alpha, S_k(alpha) = 0.5 (alpha y)' K_k (alpha y) - 1'alpha: the problem of SimpleMKL,
    solved by adding one constraint per machine trained.

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
        Limit on linear programmes.
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
        That of SimpleMKL, -theta at the end, summed over tasks.
    duality_gap_ : float
        How far the objective is from the best one at most.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int

    References
    ----------
    Sonnenburg, Rätsch, Schäfer and Schölkopf (2006), Large scale multiple kernel learning, JMLR 7.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import SILPMKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = SILPMKLClassifier().fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def _learn(self, grams, T, weight, rng):
        return solve_silp(grams, T, self.C * weight, tol=self.tol, max_iter=self.max_iter)
