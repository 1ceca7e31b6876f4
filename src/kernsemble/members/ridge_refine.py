"""Kernel ridge near a first choice of kernel and strength, on Gram matrices computed once."""

from typing import NamedTuple

import numpy as np

from ..kernels import evaluate
from ..solvers.ridge_loo import loo_loss, select_alpha, solve_kernel_ridge_loo
from .grid_search import best_place
from .kernel_ridge import RidgeSearch, kernel_ridge_member, ridge_problem

# A strength is compared with others that differ by this factor.
STRENGTH_STEP = 4.0


def refine_kernel_ridge_member(table, kernels, alpha):
    """Fit the kernel ridge of least squared leave-one-out error near a first choice.

    All kernels are compared with one strength, and then the best of them with a smaller and a
    larger one. Each candidate takes a Cholesky factor, and all share the distances of the rows.

    Parameters
    ----------
    table : Table
    kernels : list of Kernel
        Positive definite kernels, few enough for their Gram matrices to be held together.
    alpha : float
        The strength of the first choice.

    Returns
    -------
    RidgeSearch
        Its losses are of shape (n_kernels, 3), for strengths in rising order; NaN for those that
        were not tried.
    """
    X, targets = ridge_problem(table.all, True)
    grams = evaluate(kernels, X)
    # New memory for every factor would cost more time than to copy a matrix.
    system = np.empty_like(grams[0])

    def solve(k, strength):
        np.copyto(system, grams[k])
        shares = targets.sample_weight, targets.share_left_out
        duals, left_out = solve_kernel_ridge_loo(system, targets.columns, strength, *shares)
        scores = targets.left_out(left_out)
        loss = float(loo_loss(scores, targets.T, targets.sample_weight))
        return _Solved(strength, loss, duals, scores)

    by_kernel = [solve(k, float(alpha)) for k in range(len(kernels))]
    losses = np.full((len(kernels), 3), np.nan)
    losses[:, 1] = [own.loss for own in by_kernel]
    k, _ = best_place(losses[:, 1:2], [alpha])
    others = [solve(k, float(alpha * step)) for step in (1.0 / STRENGTH_STEP, STRENGTH_STEP)]
    losses[k, ::2] = [own.loss for own in others]
    other = others[select_alpha(losses[k, ::2], [own.alpha for own in others])]
    best = other if other.loss < by_kernel[k].loss else by_kernel[k]
    coefs = targets.centred(best.duals)
    member = kernel_ridge_member(kernels[k], X, coefs, targets.shares, best.scores)
    return RidgeSearch(member, kernels[k], best.alpha, losses, None)


class _Solved(NamedTuple):
    """A ridge with its strength, its loss, its dual coefficients and its leave-one-out scores."""

    alpha: float
    loss: float
    duals: np.ndarray
    scores: np.ndarray
