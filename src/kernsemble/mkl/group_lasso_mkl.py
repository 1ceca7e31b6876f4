"""GLMKL and l_p-norm multiple kernel learning."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from ..fitting.kernel_learner import SVMKernelLearner
from ..fitting.parameters import with_parameters
from ..solvers.group_lasso import solve_group_lasso
from ..validation import check_real


@with_parameters
class GroupLassoMKLClassifier(SVMKernelLearner):
    """Support vector machine on a sum of kernels whose weights have p-norm 1.

    Minimises the objective J(d) of SimpleMKL over d >= 0 with |d|_p <= 1 by turns: a machine on
    Σ d_m K_m, then d_m = n_m^(2/(p+1)) / (Σ n_j^(2p/(p+1)))^(1/p) in closed form, n_m the norm of
    kernel m's part of the decision function. p = 1 is the group lasso, sparse; p = inf gives every
    kernel the weight 1.

    Parameters
    ----------
    p : float
        Norm of the weights, from 1 to infinity.

    Attributes
    ----------
    {learned_kernels}
    {chosen_C}
    objective_ : float
        J(d) at the end, summed over the problems.
    {duality}
    {honest}
    {fitted}

    Notes
    -----
    While the objective falls the steps are stretched beyond the closed form, on a logarithmic
    scale; a stretch that fails is taken back.

    References
    ----------
    Xu, Jin, Yang, King and Lyu (2010), Simple and efficient multiple kernel learning by group
    lasso, ICML. Kloft, Brefeld, Sonnenburg and Zien (2011), l_p-norm multiple kernel learning,
    JMLR 12.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    p: float = 1.0
    multi_class: str = "auto"
    shared_weights: bool = True
    tol: float = 1e-3
    max_iter: int = 500

    def _check_params(self, table):
        super()._check_params(table)
        if self.p != np.inf:
            check_real(self.p, "p", low=1.0)

    def _learn(self, grams, tasks, rng):
        return solve_group_lasso(
            grams,
            tasks.T,
            self.C * tasks.weight,
            p=float(self.p),
            tol=self.tol,
            max_iter=self.max_iter,
        )
