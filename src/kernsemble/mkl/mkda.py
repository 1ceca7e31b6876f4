"""MKDA: the kernel weights of the best Fisher ratio."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from ..fitting.kernel_method import is_auto
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
    alpha : float or "auto"
        Strength of the penalty. "auto" means that of least honest log-loss among 1, 0.1, …, 1e-5,
        and with `preset="paper"` 0.01.
    normalize : {"auto", "trace", "variance", "cosine"} or None
        Whether every kernel is scaled to a mean diagonal of 1, to unit variance in feature space,
        to a unit diagonal, or left as it is. "auto" means "variance", because the ratio is larger
        for kernels of more variance, and "trace" with `preset="paper"`.

    Attributes
    ----------
    {learned_kernels}
    {chosen_alpha}
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
    alpha: Any = "auto"
    multi_class: str = "auto"
    shared_weights: bool = True
    tol: float = 1e-4
    max_iter: int = 200

    _strength = "alpha"
    _strengths = (1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
    _auto: ClassVar[dict[str, Any]] = {**MidpointKernelLearner._auto, "normalize": "variance"}
    _paper: ClassVar[dict[str, Any]] = {**MidpointKernelLearner._paper, "alpha": 0.01}

    def _check_params(self, table):
        super()._check_params(table)
        if not is_auto(self.alpha):
            check_real(self.alpha, "alpha", low=0.0, open_low=True)

    def _learn(self, grams, tasks, rng):
        return solve_mkda(
            grams, tasks.T, tasks.weight, self.alpha, tol=self.tol, max_iter=self.max_iter
        )

    def _machine(self, K, tasks):
        return solve_kfda(K, tasks.T, tasks.weight, self.alpha)
