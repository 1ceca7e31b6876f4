"""The dual support vector machine on a Gram matrix, for one or many two-class tasks."""

import numpy as np
from sklearn import config_context
from sklearn.svm import SVC

from .tasks import Machine, one_sided_bias, two_sided_columns


def solve_svm(K, T, cost, *, tol=1e-3):
    """Maximise 1'alpha - 0.5 (alpha y)' K (alpha y), 0 <= alpha <= cost, y'alpha = 0, per column.

    See `kernsemble.solvers.tasks` for the arguments; `tol` is LIBSVM's stopping tolerance.

    Returns
    -------
    Machine
        Its `coefs` are alpha y, and `n_iter` is LIBSVM's number of steps.
    """
    coefs, bias = np.zeros(T.shape), one_sided_bias(T)
    steps, converged = 0, True
    for column, rows, signs in two_sided_columns(T):
        inner = K if rows.size == K.shape[0] else K[np.ix_(rows, rows)]
        machine = SVC(C=1.0, kernel="precomputed", tol=tol)
        # With many classes the checks of every fit would take longer than the fit.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            machine.fit(inner, signs, sample_weight=cost[rows])
        coefs[rows[machine.support_], column] = machine.dual_coef_[0]
        bias[column] = machine.intercept_[0]
        steps += int(machine.n_iter_[0])
        converged = converged and machine.fit_status_ == 0
    objective = np.abs(coefs).sum() - 0.5 * np.vdot(coefs, K @ coefs)
    return Machine(coefs, bias, float(objective), None, steps, converged)
