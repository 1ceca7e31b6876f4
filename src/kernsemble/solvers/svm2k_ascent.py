"""The compiled loop of SVM-2K: coordinate ascent in the dual."""

import numpy as np
from numba import njit

__all__ = ["ascend"]


@njit(cache=True, nogil=True)
def ascend(views, signs, cost, agreement, epsilon, tol, max_iter):
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
