"""SimpleMKL: kernel weights on the simplex by gradient steps over an SVM."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.kernel_learner import SVMKernelLearner
from ..fitting.parameters import with_parameters
from ..solvers.simple_mkl import solve_simple_mkl


@with_parameters
class SimpleMKLClassifier(SVMKernelLearner):
    """Support vector machine on the weighted sum of kernels with the largest margin.

    Minimises J(d) = max over alpha of 1'alpha - 0.5 (alpha y)' (Σ d_m K_m) (alpha y) over weights
    d >= 0 of sum 1; J is convex and its gradient is -0.5 (alpha y)' K_m (alpha y).

    Attributes
    ----------
    {learned_kernels}
    {chosen_C}
    objective_ : float
        The objective J(d), summed over the problems.
    {duality}
    {honest}
    {fitted}

    Notes
    -----
    Where the paper follows the reduced gradient with a golden-section search, the weights here
    take quasi-Newton steps on the simplex: the same problem, gradient and duality gap with fewer
    machines trained.

    References
    ----------
    Rakotomamonjy, Bach, Canu and Grandvalet (2008), SimpleMKL, JMLR 9.

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

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    multi_class: str = "auto"
    shared_weights: bool = True
    tol: float = 1e-3
    max_iter: int = 500

    def _learn(self, grams, tasks, rng):
        cost = self.C * tasks.weight
        return solve_simple_mkl(grams, tasks.T, cost, tol=self.tol, max_iter=self.max_iter)
