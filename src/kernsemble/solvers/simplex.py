"""Minimise a smooth convex function on the simplex by quasi-Newton steps."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import linprog, nnls

__all__ = ["SimplexMinimum", "lowest_of_cuts", "minimize_on_simplex"]

MAX_TRIALS = 15


class SimplexMinimum(NamedTuple):
    """Weights, what `evaluate` gave at them, the duality gap, steps and whether it is in tol."""

    weights: np.ndarray
    point: tuple
    gap: float
    n_iter: int
    converged: bool


def minimize_on_simplex(evaluate, weights, *, tol, max_iter):
    """Minimise a convex function over weights >= 0 that sum to 1.

    Each step minimises a BFGS model on the simplex (a non-negative least-squares problem) and then
    searches the segment to that minimiser, so weights reach zero exactly. Every evaluation gives a
    plane below the function; the lowest point of all planes bounds the minimum far better than the
    last plane alone.

    Parameters
    ----------
    evaluate : callable
        weights -> tuple whose first two entries are the value and the gradient; what else it
        holds (the solution behind the value) is handed back.
    weights : ndarray of shape (n_kernels,)
        Start on the simplex.
    tol : float
        Stop when the duality gap, the value minus the planes' lowest point, is at most tol times
        the value's magnitude.
    max_iter : int
        Limit on the points visited, at least 1.

    Returns
    -------
    SimplexMinimum
    """
    cuts = []

    def evaluate_and_cut(weights):
        point = evaluate(weights)
        # On the simplex a constant may be added to the gradient instead of the plane's offset.
        cuts.append(point[1] + (point[0] - weights @ point[1]))
        return point

    point, model = evaluate_and_cut(weights), None
    for n_iter in range(1, max_iter + 1):
        value, gradient = point[:2]
        gap = max(float(value - lowest_of_cuts(np.array(cuts))[1]), 0.0)
        converged = gap <= tol * abs(value)
        if converged or n_iter == max_iter:
            break
        fresh = model is None
        if fresh:
            # A curvature at which the first step crosses about half of the simplex.
            model = np.eye(weights.size) * 2 * np.ptp(gradient)
        found = _search(evaluate_and_cut, weights, point, _model_minimum(model, gradient, weights))
        if found is not None:
            model = _bfgs_update(model, found[0] - weights, found[1][1] - gradient)
            weights, point = found
        elif fresh:
            break  # the errors of the evaluations hide any further progress
        else:
            model = None
    return SimplexMinimum(weights, point, gap, n_iter, bool(converged))


def lowest_of_cuts(cuts):
    """Minimise max_t cuts[t] @ weights over the simplex, a linear programme.

    Returns
    -------
    weights : ndarray of shape (n_kernels,)
    value : float
    """
    n_cuts, n_kernels = cuts.shape
    # HiGHS' tolerances are absolute, so the planes are brought to size 1.
    scale = max(float(np.abs(cuts).max()), np.finfo(float).tiny)
    programme = linprog(
        np.append(np.zeros(n_kernels), 1.0),
        A_ub=np.hstack([cuts / scale, -np.ones((n_cuts, 1))]),
        b_ub=np.zeros(n_cuts),
        A_eq=np.append(np.ones(n_kernels), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, 1)] * n_kernels + [(None, None)],
        method="highs",
    )
    weights = np.clip(programme.x[:-1], 0.0, None)
    return weights / weights.sum(), scale * programme.x[-1]


def _model_minimum(model, gradient, weights):
    """Return the minimiser of g'x + 0.5 (x - d)' B (x - d) on the simplex."""
    root = cholesky(model, lower=True)
    target = solve_triangular(root, model @ weights - gradient, lower=True)
    # One heavy row holds the sum at 1; what it leaves open is removed by the division.
    heavy = 1e4 * np.sqrt(np.trace(model) / weights.size)
    rows = np.vstack([root.T, np.full(weights.size, heavy)])
    minimum, _ = nnls(rows, np.append(target, heavy), maxiter=100 * weights.size)
    return minimum / minimum.sum()


def _search(evaluate, weights, point, target):
    """Return the first point of enough descent on the segment to `target`, or None."""
    leg = target - weights
    slope = point[1] @ leg
    if slope >= 0:
        return None
    step = 1.0
    for _ in range(MAX_TRIALS):
        trial = weights + step * leg
        trial_point = evaluate(trial)
        if trial_point[0] <= point[0] + 1e-4 * step * slope:
            return trial, trial_point
        # Both slopes are known: the secant says where the lowest point should be.
        rise = trial_point[1] @ leg - slope
        step *= np.clip(-slope / rise, 0.1, 0.8) if rise > 0 else 0.5
    return None


def _bfgs_update(model, step, change):
    """Return the BFGS matrix after `step`, damped (Powell) so that it stays positive definite."""
    moved = model @ step
    expected, measured = step @ moved, step @ change
    if measured < 0.2 * expected:
        share = 0.8 * expected / (expected - measured)
        change = share * change + (1 - share) * moved
    return model - np.outer(moved, moved) / expected + np.outer(change, change) / (step @ change)
