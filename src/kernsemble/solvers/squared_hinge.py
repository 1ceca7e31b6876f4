"""Newton's method for the squared hinge loss in several views that should agree."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .penalties import add_penalty, penalty_product

__all__ = ["SquaredHinge", "minimize_newton"]


class SquaredHinge:
    """Value, half gradient and half Hessian of one column's problem.

    Minimise sum_l [ sum_i s_i max(0, 1 - t_i f_li)² + w_l' R_l w_l ]
    + coupling sum_l sum_i s_i (f_li - mean_j f_ji)² over the stacked (w_l, intercept_l);
    this is the Ho-Kashyap objective with b at its optimum, max(0, t f - 1).
    """

    def __init__(self, views, t, penalties, coupling, sample_weight):
        self.views, self.t, self.penalties, self.coupling = views, t, penalties, coupling
        self.s = sample_weight * (t != 0)
        sizes = [rank + 1 for rank in views.ranks]
        self.parts = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        self.agreement = self._agreement()
        # With no row inside the margin the intercept is free: a grain of ridge holds it.
        self.grain = 1e-10 * max(self.s.sum(), 1.0)

    def _features(self):
        for rows, blocks in self.views.blocks():
            yield (
                rows,
                [
                    np.column_stack([Z if P is None else Z @ P, np.ones(len(Z))])
                    for Z, P in zip(blocks, self.views.projections)
                ],
            )

    def _agreement(self):
        """Half Hessian of the agreement term, which is constant."""
        M, size = len(self.parts), sum(len(part) for part in self.parts)
        H = np.zeros((size, size))
        if self.coupling == 0.0 or M == 1:
            return H
        for rows, Phi in self._features():
            stacked = np.hstack(Phi) * np.sqrt(self.s[rows])[:, None]
            H += stacked.T @ stacked
        view = np.repeat(np.arange(M), [len(part) for part in self.parts])
        return self.coupling * ((view[:, None] == view) - 1.0 / M) * H

    def expand(self, w):
        """Return value, half gradient and half Hessian at `w`."""
        gradient = self.agreement @ w
        value = w @ gradient
        hessian = self.agreement + self.grain * np.eye(len(w))
        for rows, Phi in self._features():
            t, s = self.t[rows], self.s[rows]
            for part, Z in zip(self.parts, Phi):
                short = t - Z @ w[part]
                inside = np.flatnonzero((t * short > 0) & (s > 0))
                scaled = Z[inside] * np.sqrt(s[inside])[:, None]
                value += s[inside] @ short[inside] ** 2
                gradient[part] -= Z[inside].T @ (s[inside] * short[inside])
                hessian[np.ix_(part, part)] += scaled.T @ scaled
        for part, R in zip(self.parts, self.penalties):
            product = penalty_product(R, w[part[:-1]])
            value += w[part[:-1]] @ product
            gradient[part[:-1]] += product
            hessian[np.ix_(part, part)] = add_penalty(hessian[np.ix_(part, part)], R)
        return value, gradient, hessian


def minimize_newton(problem, w, max_iter):
    """Newton steps, halved when they overshoot, until the promised gain is rounding noise.

    The loss is quadratic while the same rows are inside the margin, so the last step is exact.

    Returns
    -------
    w, history, converged
    """
    value, gradient, hessian = problem.expand(w)
    history = [value]
    for _ in range(max_iter):
        step = cho_solve(cho_factor(hessian, lower=True, check_finite=False), gradient)
        promise = gradient @ step
        if promise <= 1e-13 * history[0]:
            return w, history, True
        for halvings in range(30):
            trial = w - 0.5**halvings * step
            expansion = problem.expand(trial)
            if expansion[0] <= value - 1e-4 * 0.5**halvings * promise:
                break
        else:
            return w, history, True
        w, (value, gradient, hessian) = trial, expansion
        history.append(value)
    return w, history, False
