"""EasyMKL: kernel weights from the margin distribution, one accumulated kernel in memory."""

from typing import NamedTuple

import numpy as np
from sklearn.svm import NuSVC

from .simple_mkl import MKLSolution
from .tasks import one_sided_bias, two_sided_columns

__all__ = ["HullMachine", "HullPoints", "scale_to_hull", "solve_easy_mkl", "solve_hull_points"]

# Below this share of the mean diagonal the two hulls may touch, and their margin is 0 / 0.
SMALLEST_SHIFT = 1e-8


class HullPoints(NamedTuple):
    """Signed sample weights (+1 in sum over one class, -1 over the other), one column a task."""

    coefs: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool


class HullMachine(NamedTuple):
    """Scores are K_new @ coefs + bias, zero midway between the two points of the hulls."""

    coefs: np.ndarray
    bias: np.ndarray


def solve_hull_points(K, T, weight, lam, *, tol=1e-5):
    """Minimise (1 - lam) (g y)' K (g y) + lam sum_i g_i² / weight_i, g >= 0, sum 1 in each class.

    Up to scale this is the nu-SVM with nu = 1 / n_samples: both classes then sum to nu n / 2 = 1/2
    and its upper bounds, 1, never bind. LIBSVM solves it; the tolerance is tightened until the
    duality gap (the margin of the worst rows of either class) is small relative to the objective.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
    T : ndarray of shape (n_samples, n_tasks)
        +1, -1, or 0 for rows that a task leaves out.
    weight : ndarray of shape (n_samples,)
        Sample weights; a row of weight 2 counts as two equal rows.
    lam : float
        0 (hard margin) to 1 (distance of the class means).
    tol : float, default=1e-5
        Relative duality gap. LIBSVM keeps kernel values in single precision, so that gaps below
        about 1e-7 of the kernel's scale are out of reach.

    Returns
    -------
    HullPoints
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
    return HullPoints(coefs, objective, gap, steps, gap <= tol * abs(objective))


def _nearest_points(Q, signs, tol):
    """Return the signed weights, the objective, its duality gap and LIBSVM's steps of one task."""
    positive = signs > 0
    uniform = np.where(positive, 1.0 / positive.sum(), -1.0 / (~positive).sum())
    svm_tol = 0.05 * tol * max(uniform @ Q @ uniform, np.finfo(float).tiny)
    steps = 0
    for _ in range(4):
        machine = NuSVC(nu=1.0 / signs.size, kernel="precomputed", tol=svm_tol)
        machine.fit(Q, signs)
        steps += int(machine.n_iter_[0])
        a = np.zeros(signs.size)
        a[machine.support_] = machine.dual_coef_[0]
        # LIBSVM divides by the margin; the classes' sums undo it.
        a /= np.where(positive, a[positive].sum(), -a[~positive].sum())
        scores = Q @ a
        value = a @ scores
        gap = value - (scores[positive].min() - scores[~positive].max())
        if gap <= tol * value:
            break
        svm_tol *= 0.1
    return a, value, max(gap, 0.0), steps


def solve_easy_mkl(grams, T, weight, lam, *, tol=1e-5):
    """Weigh kernels by their share of the margin: weights_r ~ sum_t a_t' K_r a_t.

    Parameters
    ----------
    grams : object with `combine(weights)`, `quadratic_forms(A)` and a length
        A `kernels.mixture.Mixture`, or `GramList` for matrices in memory.
    T, weight, lam, tol
        As in `solve_hull_points`; the tasks share the kernel weights.

    Returns
    -------
    MKLSolution
        The machines are refitted on the weighted kernel; scores are scaled so that a task's two
        hull points score +1 and -1. `objective` is that of the first problem, on the mean kernel.
    """
    weights = np.full(len(grams), 1.0 / len(grams))
    first = solve_hull_points(grams.combine(weights), T, weight, lam, tol=tol)
    shares = np.maximum(grams.quadratic_forms(first.coefs), 0.0)
    if shares.sum() > 0:  # else no kernel tells the classes apart
        weights = shares / shares.sum()
    total = grams.combine(weights)
    final = solve_hull_points(total, T, weight, lam, tol=tol)
    machine = scale_to_hull(total, final.coefs, T)
    return MKLSolution(
        weights,
        machine.coefs,
        machine.bias,
        first.objective,
        first.gap,
        first.n_iter + final.n_iter,
        bool(first.converged and final.converged),
    )


def scale_to_hull(K, A, T):
    """Return the machine that gives the two hull points of every column scores +1 and -1."""
    coefs, bias = np.zeros(A.shape), one_sided_bias(T)
    scores = K @ A
    for column, _, _ in two_sided_columns(T):
        a, s = A[:, column], scores[:, column]
        half_distance = 0.5 * (a @ s)
        if half_distance > 0:
            coefs[:, column] = a / half_distance
            bias[column] = -0.5 * (np.abs(a) @ s) / half_distance
    return HullMachine(coefs, bias)
