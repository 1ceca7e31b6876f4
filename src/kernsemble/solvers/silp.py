"""SILP-MKL: kernel weights by cutting planes, a linear programme over support vector machines."""

import numpy as np
from scipy.optimize import linprog

from .simple_mkl import MKLSolution
from .svm import solve_svm
from .tasks import combine_grams, quadratic_forms

__all__ = ["solve_silp"]


def solve_silp(grams, T, cost, *, tol=1e-3, max_iter=500, svm_tol=1e-3):
    """Maximise theta over the simplex, subject to sum_k beta_k S_k(alpha) >= theta for all alpha.

    S_k(alpha) = 0.5 (alpha y)' K_k (alpha y) - 1'alpha, summed over tasks. Every machine trained on
    the weights of the last linear programme adds one constraint. The problem is SimpleMKL's:
    theta is minus its objective.

    Parameters
    ----------
    grams, T, cost, svm_tol
        As in `solve_simple_mkl`.
    tol : float, default=1e-3
        Stop when |1 - S/theta| is at most this.
    max_iter : int, default=500
        Limit on linear programmes.

    Returns
    -------
    MKLSolution
        `gap` is the distance of theta from S at the returned weights.
    """
    n_kernels = len(grams)
    weights, theta = np.full(n_kernels, 1.0 / n_kernels), -np.inf
    cuts, best = [], None
    while len(cuts) < max_iter:
        machine = solve_svm(combine_grams(grams, weights), T, cost, tol=svm_tol)
        cuts.append(0.5 * quadratic_forms(grams, machine.coefs) - np.abs(machine.coefs).sum())
        if best is None or machine.objective < best[1].objective:
            best = (weights, machine)
        weights, theta = _solve_master(np.array(cuts))
        # -theta bounds the objective of every weight vector from below.
        gap = best[1].objective + theta
        if gap <= tol * abs(theta):
            break
    weights, machine = best
    return MKLSolution(
        weights,
        machine.coefs,
        machine.bias,
        machine.objective,
        float(max(gap, 0.0)),
        len(cuts),
        bool(gap <= tol * abs(theta)),
    )


def _solve_master(cuts):
    """Return the weights and theta of the linear programme over the cuts found so far."""
    n_cuts, n_kernels = cuts.shape
    programme = linprog(
        np.append(np.zeros(n_kernels), -1.0),
        A_ub=np.hstack([-cuts, np.ones((n_cuts, 1))]),
        b_ub=np.zeros(n_cuts),
        A_eq=np.append(np.ones(n_kernels), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, 1)] * n_kernels + [(None, None)],
        method="highs",
    )
    weights = np.clip(programme.x[:-1], 0.0, None)
    return weights / weights.sum(), programme.x[-1]
