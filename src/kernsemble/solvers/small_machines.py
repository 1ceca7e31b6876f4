"""Thousands of small kernel machines at once: stacks of Gram matrices → dual coefficients.

Every function works on all machines together. It takes Gram matrices K of shape (n_machines,
n_rows, n_rows), targets T of shape (n_machines, n_rows, n_outputs), or t for a single output, and
positive costs of shape (n_machines, n_rows). The scores of machine m are
k(x, rows) @ coefs[m] + bias[m], and the bias is not penalised.
"""

from typing import NamedTuple

import numpy as np

from .small_svm import solve_svm

# A machine whose margin set still changes after this many Newton steps is at the optimum up to
# rounding errors.
MAX_NEWTON = 50


class Machines(NamedTuple):
    """Coefs of shape (n_machines, n_rows, n_outputs) and bias of shape (n_machines, n_outputs)."""

    coefs: np.ndarray
    bias: np.ndarray


def solve_machines(kind, K, T, costs):
    """Minimise ½|w|² + Σ_i c_i loss(t_i, f(x_i)) for every machine and every target column.

    The loss is (t - f)² for the kind "ridge", max(0, 1 - t f)² for "squared_hinge" and
    max(0, 1 - t f) for "svm"; the last two take targets ±1. Returns `Machines`.
    """
    if kind == "ridge":
        system = _with_diagonal(K, 0.5 / costs)
        return Machines(*_solve_bordered(system, T, np.ones_like(costs)))
    solve = solve_svm if kind == "svm" else _solve_squared_hinge
    columns = [solve(K, T[:, :, k], costs) for k in range(T.shape[2])]
    return Machines(*(np.stack(parts, axis=-1) for parts in zip(*columns)))


def _solve_squared_hinge(K, t, costs):
    """Take Newton steps: given the rows inside the margin, the machine is a ridge on them."""
    coefs, bias = np.zeros_like(t), np.zeros(len(t))
    margins = np.zeros_like(t)
    active = np.ones(t.shape, dtype=bool)
    open_ = np.arange(len(t))
    for _ in range(MAX_NEWTON):
        a = active[open_].astype(K.dtype)
        target = _active_step(K[open_], t[open_], costs[open_], a)
        # With no row inside the margin the bias does not change.
        target = target[0], np.where(a.any(axis=1), target[1], bias[open_])
        reached = np.einsum("mij,mj->mi", K[open_], target[0]) + target[1][:, None]
        share = _line_search(
            (coefs[open_], margins[open_]), (target[0], reached), t[open_], costs[open_]
        )
        coefs[open_] += share[:, None] * (target[0] - coefs[open_])
        bias[open_] += share * (target[1] - bias[open_])
        margins[open_] += share[:, None] * (reached - margins[open_])
        now = t[open_] * margins[open_] < 1.0
        unchanged = (now == active[open_]).all(axis=1) & (share == 1.0)
        active[open_] = now
        open_ = open_[~unchanged]
        if not open_.size:
            break
    return coefs, bias


def _active_step(K, t, costs, a):
    """Return the minimiser when exactly the rows with a = 1 lie inside the margin."""
    # Rows outside the margin are decoupled from the others, and their right-hand side is zero.
    system = _with_diagonal(K * a[:, :, None] * a[:, None, :], 0.5 / costs)
    coefs, bias = _solve_bordered(system, (a * t)[:, :, None], a)
    return coefs[:, :, 0], bias[:, 0]


def _line_search(old, new, t, costs):
    """Return the best of a few step lengths towards the Newton point, for each machine."""
    shares = np.array([1.0, 0.5, 0.25, 0.1, 0.03, 0.01])
    tried = []
    for share in shares:
        coefs = old[0] + share * (new[0] - old[0])
        margins = old[1] + share * (new[1] - old[1])
        # This is coefs' K coefs, because K coefs = margins - bias and the coefs sum to zero.
        norms = np.einsum("mi,mi->m", coefs, margins)
        slack = np.maximum(0.0, 1.0 - t * margins)
        tried.append(0.5 * norms + np.einsum("mi,mi->m", costs, slack**2))
    objectives = np.array(tried)
    full_is_best = objectives[0] <= objectives.min(axis=0) * (1.0 + 1e-12) + 1e-300
    return np.where(full_is_best, 1.0, shares[objectives.argmin(axis=0)])


def _solve_bordered(system, T, ones):
    """Solve [system 1; 1' 0] [coefs; bias] = [T; 0] for every machine."""
    both = np.linalg.solve(system, np.concatenate([T, ones[:, :, None]], axis=2))
    coefs, towards_ones = both[:, :, :-1], both[:, :, -1]
    total = np.maximum(np.einsum("mi,mi->m", ones, towards_ones), np.finfo(float).tiny)
    bias = np.einsum("mi,mik->mk", ones, coefs) / total[:, None]
    return coefs - towards_ones[:, :, None] * bias[:, None, :], bias


def _with_diagonal(K, diagonal):
    system = K.copy()
    rows = np.arange(K.shape[1])
    system[:, rows, rows] += diagonal
    return system
