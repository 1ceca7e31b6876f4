"""GLMKL and l_p-norm multiple kernel learning: closed-form weights between two machines."""

import numpy as np

from .simple_mkl import MKLSolution
from .svm import solve_svm
from .tasks import combine_grams, quadratic_forms

__all__ = ["solve_group_lasso"]

# Steps of the alternation shrink as it converges; lengthening them while the objective falls
# saves about nine machines in ten for p = 1.
STRETCH_GROWTH = 1.5


def solve_group_lasso(grams, T, cost, *, p=1.0, tol=1e-3, max_iter=500, svm_tol=1e-3):
    """Minimise J(d) of `solve_simple_mkl` over weights d >= 0 with |d|_p <= 1.

    Alternates the machine on sum_m d_m K_m with d_m = n_m^(2/(p+1)) / (sum_j n_j^(2p/(p+1)))^(1/p),
    n_m = d_m sqrt(sum_t a_t' K_m a_t) the norm of kernel m's part of the decision function.

    Parameters
    ----------
    grams, T, cost, svm_tol
        As in `solve_simple_mkl`.
    p : float, default=1.0
        Norm of the weights, 1 (sparse) to infinity (every weight 1).
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Limit on machines.

    Returns
    -------
    MKLSolution
    """
    n_kernels = len(grams)
    weights = np.full(n_kernels, n_kernels ** (-1.0 / p))
    # The dual norm: min over |d|_p <= 1 of -d's is -|s|_q.
    q = np.inf if p == 1 else 1.0 if np.isinf(p) else p / (p - 1)
    best, stretch = None, 1.0
    for n_iter in range(1, max_iter + 1):
        machine = solve_svm(combine_grams(grams, weights), T, cost, tol=svm_tol)
        forms = np.maximum(quadratic_forms(grams, machine.coefs), 0.0)
        if best is None or stretch == 1.0 or machine.objective < best[1].objective:
            best, stretch = (weights, machine, forms), stretch * STRETCH_GROWTH
        else:
            stretch = 1.0  # went too far: back to the closed form, which cannot do harm
        weights, machine, forms = best
        gap = 0.5 * (np.linalg.norm(forms, q) - weights @ forms)
        converged = gap <= tol * abs(machine.objective)
        if converged or n_iter == max_iter:
            break
        weights = _stretched_step(weights, _closed_form(weights * np.sqrt(forms), p), stretch, p)
    return MKLSolution(
        weights,
        machine.coefs,
        machine.bias,
        machine.objective,
        float(max(gap, 0.0)),
        n_iter,
        bool(converged),
    )


def _closed_form(norms, p):
    """Return the weights of unit p-norm that minimise sum_m norms_m² / weights_m."""
    if np.isinf(p):
        return np.ones_like(norms)
    # Powers of the largest norm cancel, so dividing by it first avoids overflow and underflow.
    shares = norms / norms.max()
    return shares ** (2 / (p + 1)) / np.sum(shares ** (2 * p / (p + 1))) ** (1 / p)


def _stretched_step(weights, target, stretch, p):
    """Go `stretch` times as far as `target` on a logarithmic scale and back to unit p-norm."""
    ratio = np.divide(target, weights, out=np.zeros_like(weights), where=weights > 0)
    further = target * ratio ** (stretch - 1)
    return further / np.linalg.norm(further, p)
