"""Newton's method for the squared hinge loss in several coupled spaces."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .penalties import add_penalty, penalty_product


class SquaredHinge:
    """Value, half gradient and half Hessian of the objective of one column.

    The objective is sum_l [ sum_i s_i max(0, 1 - t_i f_li)² + w_l' R_l w_l ]
    + coupling sum_l sum_i s_i (f_li - mean_j f_ji)² over the stacked (w_l, intercept_l). This is
    the Ho-Kashyap objective with b at its optimum, max(0, t f - 1).
    """

    def __init__(self, problem, column, penalties, coupling):
        self.problem, self.column = problem, column
        self.penalties, self.coupling = penalties, coupling
        sizes = [rank + 1 for rank in problem.ranks]
        self.parts = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        self.agreement = self._agreement()
        # With no row inside the margin the intercept is free; a tiny ridge determines it.
        self.grain = 1e-10 * max(problem.total(_summed_weights, column), 1.0)

    def _agreement(self):
        """Return the half Hessian of the agreement term, which is constant."""
        M, size = len(self.parts), sum(len(part) for part in self.parts)
        if self.coupling == 0.0 or M == 1:
            return np.zeros((size, size))
        H = self.problem.total(_stacked_gram, self.column, size)
        space = np.repeat(np.arange(M), [len(part) for part in self.parts])
        return self.coupling * ((space[:, None] == space) - 1.0 / M) * H

    def expand(self, w):
        """Return value, half gradient and half Hessian at `w`."""
        value, gradient, hessian = self.problem.total(_hinge_sums, self.column, self.parts, w)
        pull = self.agreement @ w
        value, gradient = value + w @ pull, gradient + pull
        hessian += self.agreement + self.grain * np.eye(len(w))
        for part, R in zip(self.parts, self.penalties):
            product = penalty_product(R, w[part[:-1]])
            value += w[part[:-1]] @ product
            gradient[part[:-1]] += product
            hessian[np.ix_(part, part)] = add_penalty(hessian[np.ix_(part, part)], R)
        return value, gradient, hessian


def _summed_weights(mapped, column):
    return mapped.sample_weight[mapped.T[:, column] != 0].sum()


def _features(mapped, column):
    """Yield blocks of targets, weights and the features of every space with a column of ones."""
    t, projections = mapped.T[:, column], mapped.spaces.projections
    s = mapped.sample_weight * (t != 0)
    for rows, blocks in mapped.spaces.blocks():
        Phi = [
            np.column_stack([Z if P is None else Z @ P, np.ones(len(Z))])
            for Z, P in zip(blocks, projections)
        ]
        yield t[rows], s[rows], Phi


def _stacked_gram(mapped, column, size):
    H = np.zeros((size, size))
    for _, s, Phi in _features(mapped, column):
        stacked = np.hstack(Phi) * np.sqrt(s)[:, None]
        H += stacked.T @ stacked
    return H


def _hinge_sums(mapped, column, parts, w):
    """Return value, half gradient and half Hessian of the squared hinge loss of the rows."""
    value, gradient, hessian = 0.0, np.zeros(len(w)), np.zeros((len(w), len(w)))
    for t, s, Phi in _features(mapped, column):
        for part, Z in zip(parts, Phi):
            short = t - Z @ w[part]
            inside = np.flatnonzero((t * short > 0) & (s > 0))
            scaled = Z[inside] * np.sqrt(s[inside])[:, None]
            value += s[inside] @ short[inside] ** 2
            gradient[part] -= Z[inside].T @ (s[inside] * short[inside])
            hessian[np.ix_(part, part)] += scaled.T @ scaled
    return value, gradient, hessian


def minimize_newton(problem, w, max_iter):
    """Minimise by Newton steps and return the coefficients, the objectives and convergence.

    Steps that go too far are halved, and the search stops when the expected decrease is at the
    level of rounding errors. The loss is quadratic while the same rows are inside the margin, so
    the last step is exact.
    """
    value, gradient, hessian = problem.expand(w)
    history = [value]
    for _ in range(max_iter):
        step = cho_solve(cho_factor(hessian, lower=True, check_finite=False), gradient)
        expected = gradient @ step
        if expected <= 1e-13 * history[0]:
            return w, history, True
        for halvings in range(30):
            trial = w - 0.5**halvings * step
            expansion = problem.expand(trial)
            if expansion[0] <= value - 1e-4 * 0.5**halvings * expected:
                break
        else:
            return w, history, True
        w, (value, gradient, hessian) = trial, expansion
        history.append(value)
    return w, history, False
