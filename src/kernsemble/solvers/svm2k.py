"""SVM-2K: two support vector machines, one per kernel, that must agree on the training rows."""

from typing import NamedTuple

import numpy as np
from numba import njit

from .tasks import one_sided_bias, two_sided_columns

__all__ = ["SVM2KSolution", "solve_svm2k"]


class SVM2KSolution(NamedTuple):
    """Coefs of shape (2, n_samples, n_tasks), the bias of the mean of both, summed objective."""

    coefs: np.ndarray
    bias: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool


def solve_svm2k(gram_a, gram_b, T, cost, agreement, epsilon, *, tol=1e-4, max_iter=2000):
    """Minimise 0.5 |w_A|² + 0.5 |w_B|² + cost (xi_A + xi_B) + agreement eta, per column of `T`.

    xi are hinge losses of f_A and f_B, eta_i = max(0, |f_A(x_i) - f_B(x_i)| - epsilon). The bias is
    part of the kernel (K + 1), so the dual has simple bounds: coordinate ascent keeps both score
    vectors up to date and stops on the duality gap.

    Parameters
    ----------
    gram_a, gram_b : ndarray of shape (n_samples, n_samples)
    T : ndarray of shape (n_samples, n_tasks)
        +1, -1, or 0 for rows that a task leaves out.
    cost, agreement : ndarray of shape (n_samples,)
        Price of a row's hinge losses and of its disagreement.
    epsilon : float
        Disagreement that costs nothing.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=2000
        Limit on sweeps over the rows.

    Returns
    -------
    SVM2KSolution
        Score of a task: mean over the two kernels of K_new @ coefs[view, :, t], plus bias[t].
    """
    coefs, bias = np.zeros((2, *T.shape)), one_sided_bias(T)
    objective, gap, sweeps, converged = 0.0, 0.0, 0, True
    for column, rows, signs in two_sided_columns(T):
        block = np.ix_(rows, rows)
        views = np.stack([gram_a[block], gram_b[block]]) + 1.0
        g, value, task_gap, n_iter = _ascend(
            views, signs, cost[rows], agreement[rows], epsilon, tol, max_iter
        )
        coefs[:, rows, column] = g
        bias[column] = g.sum(axis=1).mean()
        objective, gap = objective + value, gap + task_gap
        sweeps = max(sweeps, n_iter)
        converged = converged and task_gap <= tol * abs(value)
    return SVM2KSolution(coefs, bias, objective, gap, sweeps, bool(converged))


@njit(cache=True, nogil=True)
def _ascend(views, signs, cost, agreement, epsilon, tol, max_iter):
    """Return both coefficient vectors, the primal value, its duality gap and the sweeps."""
    n = signs.size
    alpha = np.zeros((2, n))  # hinge multipliers of either view
    delta = np.zeros(n)  # multiplier of the agreement, between -agreement and agreement
    g = np.zeros((2, n))
    f = np.zeros((2, n))
    value, gap = 0.0, np.inf
    sweep = 0
    while sweep < max_iter:
        sweep += 1
        for i in range(n):
            for view in range(2):
                curvature = max(views[view, i, i], 1e-12)
                new = alpha[view, i] - (signs[i] * f[view, i] - 1.0) / curvature
                new = min(max(new, 0.0), cost[i])
                step = signs[i] * (new - alpha[view, i])
                if step != 0.0:
                    alpha[view, i] = new
                    g[view, i] += step
                    f[view] += step * views[view, i]
            curvature = max(views[0, i, i] + views[1, i, i], 1e-12)
            new = delta[i] - (f[1, i] - f[0, i]) / curvature
            # epsilon |delta| pulls towards zero by a soft threshold.
            new = np.sign(new) * max(abs(new) - epsilon / curvature, 0.0)
            new = min(max(new, -agreement[i]), agreement[i])
            step = new - delta[i]
            if step != 0.0:
                delta[i] = new
                g[0, i] -= step
                g[1, i] += step
                f[0] -= step * views[0, i]
                f[1] += step * views[1, i]
        value, dual = 0.0, 0.0
        for i in range(n):
            norms = 0.5 * (g[0, i] * f[0, i] + g[1, i] * f[1, i])
            value += norms + agreement[i] * max(abs(f[0, i] - f[1, i]) - epsilon, 0.0)
            dual += alpha[0, i] + alpha[1, i] - epsilon * abs(delta[i]) - norms
            for view in range(2):
                value += cost[i] * max(1.0 - signs[i] * f[view, i], 0.0)
        gap = value - dual
        if gap <= tol * abs(value):
            break
    return g, value, gap, sweep
