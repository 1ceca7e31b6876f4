"""Weights of a mixture: the share of each component that makes the observed rows most likely."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

# EM is safe far from the optimum and slow near it; Newton's method is the other way round.
EM_STEPS = 20
NEWTON_STEPS = 100
# Squared length of a Newton step, by curvature and divided by the number of rows. Below the first
# value a full step is sure to help, and its gain would be lost in rounding; below the second all is
# done.
NEAR, THERE = 1e-6, 1e-20


def solve_mixture_weights(likelihoods, pseudo_count, sample_weight=None):
    """Maximise Σᵢ wᵢ log(Σₘ θₘ pₘᵢ) + pseudo_count · Σₘ log θₘ over the simplex.

    The second term is a Dirichlet prior that counts every component so many times more often than
    the rows do. It keeps weights learned on few rows near equal ones, and all of them above zero.

    Parameters
    ----------
    likelihoods : ndarray of shape (n_components, n_samples)
        Probability of the class of each row by each component, above 0.
    pseudo_count : float
        Above 0.
    sample_weight : ndarray of shape (n_samples,), default=None
        A row of weight 2 counts as two rows.

    Returns
    -------
    weights : ndarray of shape (n_components,)
        Above 0, of sum 1.
    """
    n_components, n_rows = likelihoods.shape
    row_weights = np.ones(n_rows) if sample_weight is None else sample_weight
    weights = np.full(n_components, 1.0 / n_components)
    total = row_weights.sum() + n_components * pseudo_count
    # Only ratios within a row matter; the largest value 1 keeps them away from underflow.
    P = likelihoods / likelihoods.max(axis=0)
    for _ in range(EM_STEPS):
        weights = (weights * (P @ (row_weights / (weights @ P))) + pseudo_count) / total
    return _ascend(P, row_weights, pseudo_count, total, weights)


def _ascend(P, row_weights, pseudo_count, total, weights):
    """Follow Newton's method from a point inside the simplex.

    The gradient times the weights sums up to `total` everywhere. Subtracting total · Σₘ θₘ from the
    objective therefore puts its maximum where the weights have sum 1, and no constraint is left.
    """

    def objective(point):
        rows = row_weights @ np.log(point @ P)
        return rows + pseudo_count * np.log(point).sum() - total * point.sum()

    value = objective(weights)
    for _ in range(NEWTON_STEPS):
        ratios = P / (weights @ P)
        gradient = ratios @ row_weights + pseudo_count / weights - total
        curvature = (ratios * row_weights) @ ratios.T
        curvature.flat[:: len(weights) + 1] += pseudo_count / weights**2
        step = cho_solve(cho_factor(curvature), gradient)
        decrement = gradient @ step
        if decrement > NEAR * total:
            length, reached = _search(objective, weights, step, value)
        else:
            length, reached = 1.0, value
        if length == 0.0 or decrement <= THERE * total:
            break
        weights, value = weights + length * step, reached
    return weights / weights.sum()


def _search(objective, weights, step, value):
    """Return a length of the step that raises the objective and what it reaches, or 0."""
    falling = step < 0.0
    # At most nine tenths of the way to the border, then half as far until it helps.
    length = min(1.0, 0.9 * np.min(-weights[falling] / step[falling], initial=np.inf))
    while length > 1e-8:
        if (reached := objective(weights + length * step)) > value:
            return length, reached
        length *= 0.5
    return 0.0, value
