"""MKDA: the kernel weights of the best Fisher ratio."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.midpoint import MidpointKernelLearner
from ..fitting.parameters import with_parameters
from ..solvers.kfda import solve_kfda
from ..solvers.mkda import solve_mkda
from ..validation import check_real


@with_parameters
class MKDAClassifier(MidpointKernelLearner):
    """Kernel Fisher discriminant on the weighted sum of kernels with the best Fisher ratio.

    Maximises over weights theta >= 0 of sum 1 the largest ratio of the squared distance of the
    class means to the spread of the classes plus alpha |w|², in the feature space of
    Σ theta_m K_m. The ratio is concave in theta and its gradient costs one Cholesky factor, so the
    semidefinite programme of the paper is not needed.

    Parameters
    ----------
    alpha : float
        Strength of the penalty.

    Attributes
    ----------
    {learned_kernel}
    {task_kernels}
    objective_ : float
        The Fisher ratio, summed over the problems.
    {duality}
    {honest}
    {fitted}

    References
    ----------
    Kim, Magnani and Boyd (2006), Optimal kernel selection in kernel Fisher discriminant analysis,
    ICML.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    alpha: Any = 0.01
    multi_class: str = "ovo"
    shared_weights: bool = True
    tol: float = 1e-4
    max_iter: int = 200

    def _check_params(self, table):
        super()._check_params(table)
        check_real(self.alpha, "alpha", low=0.0, open_low=True)

    def _learn(self, grams, tasks, rng):
        return solve_mkda(
            grams, tasks.T, tasks.weight, self.alpha, tol=self.tol, max_iter=self.max_iter
        )

    def _machine(self, K, tasks):
        return solve_kfda(K, tasks.T, tasks.weight, self.alpha)
