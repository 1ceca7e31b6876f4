"""EasyMKL: kernel weights from the margin distribution, one accumulated kernel in memory."""

import numpy as np
from sklearn.svm import NuSVC

from ..kernels.gram import center_gram
from ..threads import threads_by_rows
from .tasks import Machine, one_sided_bias, two_sided_columns

# With a smaller share of the mean diagonal the two hulls may touch, and their margin is 0 / 0.
SMALLEST_SHIFT = 1e-8


@threads_by_rows()
def solve_hull_points(K, T, weight, lam, *, tol=1e-5):
    """Minimise (1 - lam) (g y)' K (g y) + lam sum_i g_i² / weight_i, g >= 0, sum 1 in each class.

    Up to scale this is the nu-SVM with nu = 1 / n_samples: each class then sums to nu n / 2 = 1/2,
    and the upper bounds of 1 are never reached. LIBSVM solves it with tighter and tighter
    tolerances until the duality gap (from the worst row of either class) is small relative to the
    objective.

    Parameters
    ----------
    K, T, weight
        See `kernsemble.solvers.tasks`.
    lam : float
        Share of the second term, from 0 (hard margin) to 1 (distance of the class means).
    tol : float, default=1e-5
        Relative duality gap. LIBSVM keeps kernel values in single precision, so gaps below about
        1e-7 of the scale of the centred kernel cannot be reached.

    Returns
    -------
    Machine
        `coefs` are the signed weights g y, which sum to +1 over one class and -1 over the other.
        The bias is that of tasks with one class; see `scale_to_hull`.
    """
    coefs = np.zeros(T.shape)
    objective, gap, steps = 0.0, 0.0, 0
    for column, rows, signs in two_sided_columns(T):
        Q = (1.0 - lam) * (K if rows.size == K.shape[0] else K[np.ix_(rows, rows)])
        shift = max(lam, SMALLEST_SHIFT * max(np.trace(Q) / rows.size, 0.0))
        Q.flat[:: rows.size + 1] += shift / weight[rows]
        a, value, task_gap, task_steps = _nearest_points(Q, signs, tol)
        coefs[rows, column] = a
        objective, gap, steps = objective + value, gap + task_gap, steps + task_steps
    converged = bool(gap <= tol * abs(objective))
    return Machine(coefs, one_sided_bias(T), objective, gap, steps, converged)


def _nearest_points(Q, signs, tol):
    """Return the signed weights of one task, its objective, duality gap and number of steps."""
    positive = signs > 0
    uniform = np.where(positive, 1.0 / positive.sum(), -1.0 / (~positive).sum())
    svm_tol = 0.05 * tol * max(uniform @ Q @ uniform, np.finfo(float).tiny)
    # The signed weights sum to 0, so the problem of the centred matrix is the same. Its entries are
    # smaller, and so are the errors of single precision.
    centred, steps = center_gram(Q), 0
    for _ in range(4):
        machine = NuSVC(nu=1.0 / signs.size, kernel="precomputed", tol=svm_tol)
        machine.fit(centred, signs)
        steps += int(machine.n_iter_[0])
        a = np.zeros(signs.size)
        a[machine.support_] = machine.dual_coef_[0]
        # LIBSVM divides by the margin; dividing by the class sums undoes that.
        a /= np.where(positive, a[positive].sum(), -a[~positive].sum())
        scores = Q @ a
        value = a @ scores
        gap = value - (scores[positive].min() - scores[~positive].max())
        if gap <= tol * value:
            break
        svm_tol *= 0.1
    return a, value, max(gap, 0.0), steps


@threads_by_rows(1)
def solve_easy_mkl(grams, T, weight, lam, *, tol=1e-5):
    """Weigh kernels by their share of the margin: weights_r ~ sum_t a_t' K_r a_t.

    Parameters
    ----------
    grams : Mixture
        The kernels, with `combine(weights)`, `quadratic_forms(A)` and a length.
    T, weight, lam, tol
        See `solve_hull_points`.

    Returns
    -------
    MKLSolution
        The machine is fitted again on the weighted kernel and scaled by `scale_to_hull`; the
        objective and the gap are those of the first problem, on the mean kernel.
    """
    weights = np.full(len(grams), 1.0 / len(grams))
    first = solve_hull_points(grams.combine(weights), T, weight, lam, tol=tol)
    shares = np.maximum(grams.quadratic_forms(first.coefs), 0.0)
    if shares.sum() > 0:  # Otherwise no kernel tells the classes apart.
        weights = shares / shares.sum()
    total = grams.combine(weights)
    final = solve_hull_points(total, T, weight, lam, tol=tol)
    coefs, bias = scale_to_hull(total, final.coefs, T)[:2]
    n_iter, converged = first.n_iter + final.n_iter, first.converged and final.converged
    return first.weighted(weights, coefs=coefs, bias=bias, n_iter=n_iter, converged=converged)


def scale_to_hull(K, A, T):
    """Return the `Machine` for which the two hull points of every column score +1 and -1."""
    coefs, bias = np.zeros(A.shape), one_sided_bias(T)
    scores = K @ A
    for column, _, _ in two_sided_columns(T):
        a, s = A[:, column], scores[:, column]
        half_distance = 0.5 * (a @ s)
        if half_distance > 0:
            coefs[:, column] = a / half_distance
            bias[column] = -0.5 * (np.abs(a) @ s) / half_distance
    return Machine(coefs, bias)
