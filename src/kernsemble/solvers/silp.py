"""SILP-MKL: kernel weights by cutting planes, a linear programme over support vector machines."""

import numpy as np

from ..threads import threads_by_rows
from .simplex import lowest_of_cuts
from .svm import solve_svm
from .tasks import combine_grams, quadratic_forms


@threads_by_rows(1)
def solve_silp(grams, T, cost, *, tol=1e-3, max_iter=500, svm_tol=1e-3):
    """Maximise theta over the simplex, subject to sum_k beta_k S_k(alpha) >= theta for all alpha.

    S_k(alpha) = 0.5 (alpha y)' K_k (alpha y) - 1'alpha, summed over tasks. Every machine trained on
    the weights of the last linear programme adds one constraint. The problem is that of SimpleMKL,
    and theta is minus its objective.

    See `kernsemble.solvers.tasks` for the arguments and the `MKLSolution` that is returned. The
    solver stops when |1 - S / theta| is at most `tol`, and `gap` is the distance between theta and
    S at the returned weights.
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
        # The value of the programme, minus theta, is a lower bound of the objective.
        trial, bound = lowest_of_cuts(np.array(cuts))
        gap = objective - bound
        converged = bool(gap <= tol * abs(bound))
        if converged:
            break
    gap = float(max(gap, 0.0))
    return machine.weighted(weights, gap=gap, n_iter=len(cuts), converged=converged)
