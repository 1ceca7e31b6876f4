"""The dual support vector machine on a Gram matrix, for one or many two-class tasks."""

from typing import NamedTuple

import numpy as np
from sklearn.svm import SVC

from .tasks import one_sided_bias, two_sided_columns

__all__ = ["SVMDual", "solve_svm"]


class SVMDual(NamedTuple):
    """Solution of the dual: coefs = alpha * y, bias, the summed dual objective, LIBSVM's steps."""

    coefs: np.ndarray
    bias: np.ndarray
    objective: float
    n_iter: int
    converged: bool


def solve_svm(K, T, cost, *, tol=1e-3, max_iter=-1):
    """Maximise 1'alpha - 0.5 (alpha y)' K (alpha y), 0 <= alpha <= cost, y'alpha = 0, per column.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
    T : ndarray of shape (n_samples, n_tasks)
        +1 or -1, or 0 for rows that a task leaves out.
    cost : ndarray of shape (n_samples,)
        Upper bound of alpha, positive wherever T is not zero.
    tol : float, default=1e-3
        LIBSVM's stopping tolerance.
    max_iter : int, default=-1
        Limit on LIBSVM's steps per task; -1 means none.

    Returns
    -------
    SVMDual
        Score of a task: K_new @ coefs[:, t] + bias[t]. The objective is summed over tasks.
    """
    coefs, bias = np.zeros(T.shape), one_sided_bias(T)
    steps, converged = 0, True
    for column, rows, signs in two_sided_columns(T):
        inner = K if rows.size == K.shape[0] else K[np.ix_(rows, rows)]
        machine = SVC(C=1.0, kernel="precomputed", tol=tol, max_iter=max_iter)
        machine.fit(inner, signs, sample_weight=cost[rows])
        coefs[rows[machine.support_], column] = machine.dual_coef_[0]
        bias[column] = machine.intercept_[0]
        steps += int(machine.n_iter_[0])
        converged = converged and machine.fit_status_ == 0
    objective = np.abs(coefs).sum() - 0.5 * np.vdot(coefs, K @ coefs)
    return SVMDual(coefs, bias, float(objective), steps, converged)
