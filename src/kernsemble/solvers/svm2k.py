"""SVM-2K: two support vector machines, one per kernel, that must agree on the training rows."""

from typing import NamedTuple

import numpy as np

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
    # Importing numba takes longer than importing the rest of the library.
    from .svm2k_ascent import ascend

    coefs, bias = np.zeros((2, *T.shape)), one_sided_bias(T)
    objective, gap, sweeps, converged = 0.0, 0.0, 0, True
    for column, rows, signs in two_sided_columns(T):
        block = np.ix_(rows, rows)
        views = np.stack([gram_a[block], gram_b[block]]) + 1.0
        g, value, task_gap, n_iter = ascend(
            views, signs, cost[rows], agreement[rows], epsilon, tol, max_iter
        )
        coefs[:, rows, column] = g
        bias[column] = g.sum(axis=1).mean()
        objective, gap = objective + value, gap + task_gap
        sweeps = max(sweeps, n_iter)
        converged = converged and task_gap <= tol * abs(value)
    return SVM2KSolution(coefs, bias, objective, gap, sweeps, bool(converged))
