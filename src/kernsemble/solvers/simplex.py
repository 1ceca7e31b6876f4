"""Minimise a smooth convex function on the simplex by quasi-Newton steps."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import linprog, nnls

MAX_TRIALS = 15


class SimplexMinimum(NamedTuple):
    """The best weights, with what `evaluate` returned for them (`point`) and the duality gap."""

    weights: np.ndarray
    point: tuple
    gap: float
    n_iter: int
    converged: bool

    def with_machine(self, machine):
        """Return the `MKLSolution` of these weights and a `Machine` on the weighted kernel."""
        progress = {"gap": self.gap, "n_iter": self.n_iter, "converged": self.converged}
        return machine.weighted(self.weights, **progress)


def minimize_on_simplex(evaluate, weights, *, tol, max_iter):
    """Minimise a convex function over weights >= 0 that sum to 1.

    Each step minimises a BFGS model on the simplex (a non-negative least-squares problem) and then
    searches the segment to that minimiser, so weights reach zero exactly. Every evaluation gives a
    plane below the function. The lowest point of all planes is a far better bound of the minimum
    than that of the last plane alone.

    Parameters
    ----------
    evaluate : callable
        Function of the weights that returns a tuple of the value, the gradient and, optionally, the
        solution they come from.
    weights : ndarray of shape (n_kernels,)
        Starting point on the simplex.
    tol : float
        The search stops when the duality gap, the value minus the lowest point of the planes, is at
        most `tol` times the absolute value.
    max_iter : int
        Largest number of points visited, at least 1.

    Returns
    -------
    SimplexMinimum
    """
    cuts = []

    def evaluate_and_cut(weights):
        point = evaluate(weights)
        # Weights sum to 1, so the offset of the plane can be added to the gradient.
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
            # With this curvature the first step crosses about half of the simplex.
            model = np.eye(weights.size) * 2 * np.ptp(gradient)
        found = _search(evaluate_and_cut, weights, point, _model_minimum(model, gradient, weights))
        if found is not None:
            model = _bfgs_update(model, found[0] - weights, found[1][1] - gradient)
            weights, point = found
        elif fresh:
            break  # Further progress is smaller than the errors of the evaluations.
        else:
            model = None
    return SimplexMinimum(weights, point, gap, n_iter, bool(converged))


def lowest_of_cuts(cuts):
    """Minimise max_t cuts[t] @ weights over the simplex; return the weights and the minimum."""
    n_cuts, n_kernels = cuts.shape
    # The tolerances of HiGHS are absolute, so the planes are scaled to size 1.
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
    # One heavy row keeps the sum near 1, and the division makes it exact.
    heavy = 1e4 * np.sqrt(np.trace(model) / weights.size)
    rows = np.vstack([root.T, np.full(weights.size, heavy)])
    minimum, _ = nnls(rows, np.append(target, heavy), maxiter=100 * weights.size)
    return minimum / minimum.sum()


def _search(evaluate, weights, point, target):
    """Return the first point with enough descent on the segment to `target`, or None."""
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
        # Both slopes are known, so the secant estimates where the lowest point is.
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
