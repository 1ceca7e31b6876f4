"""Multiple kernel discriminant analysis: the weights whose kernel has the best Fisher ratio."""

import numpy as np

from .kfda import fisher_direction, solve_kfda
from .simple_mkl import MKLSolution
from .simplex import minimize_on_simplex
from .tasks import combine_grams, quadratic_forms, two_sided_columns

__all__ = ["solve_mkda"]


def solve_mkda(grams, T, weight, alpha, *, tol=1e-4, max_iter=200):
    """Maximise the Fisher ratio F(sum_m theta_m K_m), summed over tasks, on the simplex.

    F(K) = min_u [(a - Ju)' K (a - Ju) + alpha |u|²] / alpha is a minimum of linear functions of K,
    so it is concave and its gradient is v' K_m v / alpha with v = a - Ju: no semidefinite
    programme is needed, only one Cholesky factor per step and task.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n_samples, n_samples)
    T : ndarray of shape (n_samples, n_tasks)
        +1, -1, or 0 for rows that a task leaves out; the tasks share theta.
    weight : ndarray of shape (n_samples,)
    alpha : float
        Strength of |w|².
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Limit on steps.

    Returns
    -------
    MKLSolution
        `objective` is the summed Fisher ratio; the discriminants are those of `solve_kfda`.
    """

    def evaluate(theta):
        K = combine_grams(grams, theta)
        V, total = np.zeros(T.shape), 0.0
        for column, rows, signs in two_sided_columns(T):
            V[rows, column], ratio = fisher_direction(
                K[np.ix_(rows, rows)], signs, weight[rows], alpha
            )
            total += ratio
        return -total, -quadratic_forms(grams, V) / alpha

    start = np.full(len(grams), 1.0 / len(grams))
    found = minimize_on_simplex(evaluate, start, tol=tol, max_iter=max_iter)
    machine = solve_kfda(combine_grams(grams, found.weights), T, weight, alpha)
    return MKLSolution(
        found.weights,
        machine.coefs,
        machine.bias,
        machine.objective,
        found.gap,
        found.n_iter,
        found.converged,
    )
