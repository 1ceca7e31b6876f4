"""Multiple kernel discriminant analysis: the weights whose kernel has the best Fisher ratio."""

import numpy as np

from ..threads import threads_by_rows
from .kfda import fisher_problems, solve_kfda
from .simplex import minimize_on_simplex
from .tasks import combine_grams, quadratic_forms


@threads_by_rows(1)
def solve_mkda(grams, T, weight, alpha, *, tol=1e-4, max_iter=200):
    """Maximise the Fisher ratio F(sum_m theta_m K_m), summed over tasks, on the simplex.

    F(K) = min_u [(a - Ju)' K (a - Ju) + alpha |u|²] / alpha is a minimum of linear functions of K,
    so it is concave and its gradient is v' K_m v / alpha with v = a - Ju. No semidefinite programme
    is needed, only one Cholesky factor per step and task, or one spectrum per step for many tasks.
    `alpha` is the strength of |w|².

    See `kernsemble.solvers.tasks` for the other arguments and the `MKLSolution` that is returned.
    Its objective is the summed Fisher ratio, and its machine is that of `solve_kfda`.
    """

    def evaluate(theta):
        K = combine_grams(grams, theta)
        V, total = np.zeros(T.shape), 0.0
        for columns, rows, _, directions, ratios in fisher_problems(K, T, weight, alpha):
            V[np.ix_(rows, columns)] = directions
            total += float(ratios.sum())
        return -total, -quadratic_forms(grams, V) / alpha

    start = np.full(len(grams), 1.0 / len(grams))
    found = minimize_on_simplex(evaluate, start, tol=tol, max_iter=max_iter)
    K = combine_grams(grams, found.weights)
    return found.with_machine(solve_kfda(K, T, weight, alpha))
