"""SILP-MKL: kernel weights by cutting planes, a linear programme over support vector machines."""

import numpy as np

from .simple_mkl import MKLSolution
from .simplex import lowest_of_cuts
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
    trial = np.full(n_kernels, 1.0 / n_kernels)
    cuts: list[np.ndarray] = []
    objective = np.inf
    while len(cuts) < max_iter:
        trained = solve_svm(combine_grams(grams, trial), T, cost, tol=svm_tol)
        cuts.append(np.abs(trained.coefs).sum() - 0.5 * quadratic_forms(grams, trained.coefs))
        if trained.objective < objective:
            weights, machine, objective = trial, trained, trained.objective
        # Minus theta, the programme's value, bounds the objective of all weights from below.
        trial, bound = lowest_of_cuts(np.array(cuts))
        gap = objective - bound
        if gap <= tol * abs(bound):
            break
    return MKLSolution(
        weights,
        machine.coefs,
        machine.bias,
        machine.objective,
        float(max(gap, 0.0)),
        len(cuts),
        bool(gap <= tol * abs(bound)),
    )
