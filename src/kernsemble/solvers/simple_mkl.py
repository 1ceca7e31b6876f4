"""SimpleMKL: kernel weights on the simplex by reduced gradient over support vector machines."""

from typing import NamedTuple

import numpy as np

from .simplex import minimize_on_simplex
from .svm import solve_svm
from .tasks import combine_grams, quadratic_forms

__all__ = ["MKLSolution", "solve_simple_mkl"]


class MKLSolution(NamedTuple):
    """Kernel weights and the machines on the weighted kernel, one column of coefs per task.

    `gap` is None where a method has no duality gap.
    """

    weights: np.ndarray
    coefs: np.ndarray
    bias: np.ndarray
    objective: float
    gap: float | None
    n_iter: int
    converged: bool


def solve_simple_mkl(grams, T, cost, *, tol=1e-3, max_iter=200, svm_tol=1e-3):
    """Minimise J(d) = sum_t max_alpha 1'alpha - 0.5 a_t' (sum_m d_m K_m) a_t over the simplex.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n_samples, n_samples)
    T : ndarray of shape (n_samples, n_tasks)
        Targets +1, -1, or 0 for rows that a task leaves out; all tasks share the weights.
    cost : ndarray of shape (n_samples,)
        Upper bounds of alpha.
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Limit on descent directions.
    svm_tol : float, default=1e-3
        LIBSVM's stopping tolerance.

    Returns
    -------
    MKLSolution
    """

    def evaluate(weights):
        machine = solve_svm(combine_grams(grams, weights), T, cost, tol=svm_tol)
        return machine.objective, -0.5 * quadratic_forms(grams, machine.coefs), machine

    start = np.full(len(grams), 1.0 / len(grams))
    found = minimize_on_simplex(evaluate, start, tol=tol, max_iter=max_iter)
    machine = found.point[2]
    return MKLSolution(
        found.weights,
        machine.coefs,
        machine.bias,
        machine.objective,
        found.gap,
        found.n_iter,
        found.converged,
    )
