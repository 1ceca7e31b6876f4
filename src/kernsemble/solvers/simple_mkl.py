"""SimpleMKL: kernel weights on the simplex by descent over support vector machines."""

import numpy as np

from ..threads import threads_by_rows
from .simplex import minimize_on_simplex
from .svm import solve_svm
from .tasks import combine_grams, quadratic_forms


@threads_by_rows(1)
def solve_simple_mkl(grams, T, cost, *, tol=1e-3, max_iter=200, svm_tol=1e-3):
    """Minimise J(d) = sum_t max_alpha 1'alpha - 0.5 a_t' (sum_m d_m K_m) a_t over the simplex.

    See `kernsemble.solvers.tasks` for the arguments and the `MKLSolution` that is returned.
    """

    def evaluate(weights):
        machine = solve_svm(combine_grams(grams, weights), T, cost, tol=svm_tol)
        return machine.objective, -0.5 * quadratic_forms(grams, machine.coefs), machine

    start = np.full(len(grams), 1.0 / len(grams))
    found = minimize_on_simplex(evaluate, start, tol=tol, max_iter=max_iter)
    return found.with_machine(found.point[2])
