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
    {kernels_weighed}
    {n_kernels}
    {normalize}
    {C}
    {multi_class}
    {shared_weights}
    {tol_gap}
    {max_iter}
    {calibration_folds}
    {class_weight}
    {random_state}

    Attributes
    ----------
    {learned_kernel}
    {task_kernels}
    objective_ : float
        The objective J(d), summed over the problems.
    {duality}
    {honest}
    {fitted}

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

    def _learn(self, grams, tasks, rng):
        cost = self.C * tasks.weight
        return solve_simple_mkl(grams, tasks.T, cost, tol=self.tol, max_iter=self.max_iter)
