"""SVM-2K: two support vector machines, one per kernel, that must agree on the training rows."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..threads import threads_by_rows
from .tasks import Machine, one_sided_bias, two_sided_columns


@threads_by_rows()
def solve_svm2k(gram_a, gram_b, T, cost, agreement, epsilon, *, tol=1e-4, max_iter=100):
    """Minimise 0.5 |w_A|² + 0.5 |w_B|² + cost (xi_A + xi_B) + agreement eta, per column of `T`.

    The xi are hinge losses of f_A and f_B, and eta_i = max(0, |f_A(x_i) - f_B(x_i)| - epsilon). The
    bias is part of the kernel (K + 1), so the dual has no constraints but bounds. A primal-dual
    interior-point method solves it with about ten Cholesky factors of twice the rows, whatever the
    costs; coordinate or gradient steps would need thousands when the costs are large.

    Parameters
    ----------
    gram_a, gram_b : ndarray of shape (n_samples, n_samples)
    T, tol, max_iter
        See `kernsemble.solvers.tasks`.
    cost, agreement : ndarray of shape (n_samples,)
        Cost of the hinge losses of each row, and of its disagreement.
    epsilon : float
        Disagreement that costs nothing.

    Returns
    -------
    Machine
        `coefs` has shape (2, n_samples, n_tasks). The score of a task is the mean over the two
        kernels of K_new @ coefs[view, :, t], plus bias[t].
    """
    coefs, bias = np.zeros((2, *T.shape)), one_sided_bias(T)
    objective, gap, steps, converged = 0.0, 0.0, 0, True
    for column, rows, signs in two_sided_columns(T):
        block = np.ix_(rows, rows)
        views = np.stack([gram_a[block], gram_b[block]]) + 1.0
        problem = _Dual(views, signs, cost[rows], agreement[rows], epsilon)
        g, value, task_gap, n_iter = _interior_point(problem, tol, max_iter)
        coefs[:, rows, column] = g
        bias[column] = g.sum(axis=1).mean()
        objective, gap = objective + value, gap + task_gap
        steps = max(steps, n_iter)
        converged = converged and task_gap <= tol * abs(value)
    return Machine(coefs, bias, objective, gap, steps, bool(converged))


class _Dual:
    """min 0.5 Σ_v g_v' K_v g_v + linear'z over 0 <= z <= bounds, z = (alpha_A, alpha_B, +b, -b).

    The coefs of the two machines are g_A = y alpha_A - b and g_B = y alpha_B + b, where b, split
    into its positive and negative parts, holds the multipliers of the agreement.
    """

    def __init__(self, views, signs, cost, agreement, epsilon):
        self.views, self.signs = views, signs
        self.cost, self.agreement, self.epsilon = cost, agreement, epsilon
        # A bound of exactly zero would leave no interior.
        agreement = np.maximum(agreement, 1e-10 * cost)
        self.bounds = np.stack([cost, cost, agreement, agreement])
        self.linear = np.repeat([-1.0, -1.0, epsilon, epsilon], signs.size).reshape(4, -1)

    def coefs(self, z):
        b = z[2] - z[3]
        return np.stack([self.signs * z[0] - b, self.signs * z[1] + b])

    def adjoint(self, f):
        apart = f[1] - f[0]
        return np.stack([self.signs * f[0], self.signs * f[1], apart, -apart])

    def scores(self, g):
        return np.stack([K @ coefs for K, coefs in zip(self.views, g)])

    def primal(self, g, f):
        losses = np.maximum(1.0 - self.signs * f, 0.0).sum(axis=0)
        apart = np.maximum(np.abs(f[0] - f[1]) - self.epsilon, 0.0)
        return float(0.5 * np.vdot(g, f) + self.cost @ losses + self.agreement @ apart)

    def factor(self, inverse):
        """Factor the Newton system reduced from z to g; `inverse` inverts its diagonal part.

        In terms of g that part is a matrix D of one 2 x 2 block per row. With D^-1 = L L', the
        system is K + D = L'^-1 (I + L'KL) L^-1. Rows at their bounds make entries of D huge, and
        those of L small, so the matrix in the middle is the one to factor.
        """
        n = self.signs.size
        both = inverse[2] + inverse[3]
        first = np.sqrt(inverse[0] + both)
        below = -both / first
        second = np.sqrt(inverse[1] + both * inverse[0] / (inverse[0] + both))
        K_a, K_b = self.views
        B = np.empty((2 * n, 2 * n))
        B[:n, :n] = first[:, None] * K_a * first + below[:, None] * K_b * below
        B[n:, :n] = second[:, None] * K_b * below
        B[:n, n:] = B[n:, :n].T
        B[n:, n:] = second[:, None] * K_b * second
        B.flat[:: 2 * n + 1] += 1.0
        factor = cho_factor(B, lower=True, overwrite_a=True)

        def solve_once(right):
            g = self.coefs(inverse * right)
            inner = g[0] / first
            inner = np.concatenate([inner, (g[1] - below * inner) / second])
            inner = cho_solve(factor, inner).reshape(2, n)
            moved = np.stack([first * inner[0], below * inner[0] + second * inner[1]])
            return inverse * (right - self.adjoint(self.scores(moved)))

        def solve(right):
            dz = solve_once(right)
            # Rows at their bounds make H ill-conditioned; one refinement restores the accuracy.
            left = dz / inverse + self.adjoint(self.scores(self.coefs(dz)))
            return dz + solve_once(right - left)

        return solve


class _Iterate(NamedTuple):
    """A strictly feasible z, its distance to the upper bounds, and the multipliers of both."""

    z: np.ndarray
    slack: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def complementarity(self):
        return (np.vdot(self.z, self.lower) + np.vdot(self.slack, self.upper)) / (2 * self.z.size)

    def direction(self, solve, residual, to_lower, to_upper):
        """Return the Newton step towards z lower += to_lower and slack upper += to_upper."""
        z, slack, lower, upper = self
        dz = solve(to_lower / z - to_upper / slack - residual)
        return _Iterate(dz, -dz, (to_lower - lower * dz) / z, (to_upper + upper * dz) / slack)

    def reach(self, step):
        """Return the largest share of `step`, at most 1, that stays feasible."""
        return 1.0 / max(1.0, *(np.max(-d / value) for value, d in zip(self, step)))

    def moved(self, step, share):
        return _Iterate(*(value + share * d for value, d in zip(self, step)))


def _interior_point(problem, tol, max_iter):
    """Return the coefs, the primal value, its duality gap and the steps of Mehrotra's method."""
    half, ones = 0.5 * problem.bounds, np.ones_like(problem.bounds)
    at, best = _Iterate(half, half, ones, ones), None
    for n_iter in range(1, max_iter + 1):
        g = problem.coefs(at.z)
        f = problem.scores(g)
        value = problem.primal(g, f)
        gap = float(value + 0.5 * np.vdot(g, f) + np.vdot(problem.linear, at.z))
        if best is None or gap < best[2]:
            best = (g, value, max(gap, 0.0), n_iter)
        # A gap that grows again shows that rounding errors have taken over.
        if gap <= tol * abs(value) or gap > 100 * best[2]:
            break
        residual = problem.adjoint(f) + problem.linear - at.lower + at.upper
        try:
            solve = problem.factor(1.0 / (at.lower / at.z + at.upper / at.slack))
        except LinAlgError:
            break
        products = at.z * at.lower, at.slack * at.upper
        guess = at.direction(solve, residual, -products[0], -products[1])
        mean = at.complementarity()
        target = mean * (at.moved(guess, at.reach(guess)).complementarity() / mean) ** 3
        step = at.direction(
            solve,
            residual,
            target - products[0] - guess.z * guess.lower,
            target - products[1] - guess.slack * guess.upper,
        )
        at = at.moved(step, 0.995 * at.reach(step))
    return best
