"""GLMKL and l_p-norm multiple kernel learning: closed-form weights between two machines."""

import numpy as np

from ..threads import threads_by_rows
from .svm import solve_svm
from .tasks import combine_grams, quadratic_forms

# The steps of the alternation shrink as it converges. Making them longer while the objective falls
# saves about nine machines in ten for p = 1.
STRETCH_GROWTH = 1.5


@threads_by_rows(1)
def solve_group_lasso(grams, T, cost, *, p=1.0, tol=1e-3, max_iter=500, svm_tol=1e-3):
    """Minimise J(d) of `solve_simple_mkl` over weights d >= 0 with |d|_p <= 1.

    Alternates the machine on sum_m d_m K_m with d_m = n_m^(2/(p+1)) / (sum_j n_j^(2p/(p+1)))^(1/p),
    where n_m = d_m sqrt(sum_t a_t' K_m a_t) is the norm of the part of kernel m in the decision
    function. `p` is the norm of the weights, from 1 (sparse) to infinity (every weight is 1).

    See `kernsemble.solvers.tasks` for the other arguments and the `MKLSolution` that is returned.
    """
    n_kernels = len(grams)
    weights = np.full(n_kernels, n_kernels ** (-1.0 / p))
    # The dual norm: the minimum of -d's over |d|_p <= 1 is -|s|_q.
    q = np.inf if p == 1 else 1.0 if np.isinf(p) else p / (p - 1)
    best, stretch = None, 1.0
    for n_iter in range(1, max_iter + 1):
        machine = solve_svm(combine_grams(grams, weights), T, cost, tol=svm_tol)
        forms = np.maximum(quadratic_forms(grams, machine.coefs), 0.0)
        if best is None or stretch == 1.0 or machine.objective < best[1].objective:
            best, stretch = (weights, machine, forms), stretch * STRETCH_GROWTH
        else:
            stretch = 1.0  # The step was too long; the closed form cannot raise the objective.
        weights, machine, forms = best
        gap = 0.5 * (np.linalg.norm(forms, q) - weights @ forms)
        converged = bool(gap <= tol * abs(machine.objective))
        if converged or n_iter == max_iter:
            break
        weights = _stretched_step(weights, _closed_form(weights * np.sqrt(forms), p), stretch, p)
    gap = float(max(gap, 0.0))
    return machine.weighted(weights, gap=gap, n_iter=n_iter, converged=converged)


def _closed_form(norms, p):
    """Return the weights of unit p-norm that minimise sum_m norms_m² / weights_m."""
    if np.isinf(p):
        return np.ones_like(norms)
    # Powers of the largest norm cancel, so dividing by it first avoids overflow and underflow.
    shares = norms / norms.max()
    return shares ** (2 / (p + 1)) / np.sum(shares ** (2 * p / (p + 1))) ** (1 / p)


def _stretched_step(weights, target, stretch, p):
    """Go `stretch` times as far as `target` on a logarithmic scale, and scale to unit p-norm."""
    ratio = np.divide(target, weights, out=np.zeros_like(weights), where=weights > 0)
    further = target * ratio ** (stretch - 1)
    return further / np.linalg.norm(further, p)
