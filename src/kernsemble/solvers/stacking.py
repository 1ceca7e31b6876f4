"""Linear machines on the scores of members, read in blocks of rows: the level-one problem.

With scores z_c(x) of the members for output c and targets t_c = ±1, every output minimises
Σ_i s_i loss(t_ic, w_c·z_c(x_i) + b_c) + alpha |w_c|², where the loss is "squared_hinge" or
"squared". Only sums over blocks are kept, which takes one n_members × n_members matrix per output.

Scores come in parts (see `kernsemble.tables`). Each part has a method `blocks(scores=True)`, which
yields (Z, t, s): scores of shape (n_outputs, n_members, n_rows), targets of shape (n_outputs,
n_rows) and row weights of shape (n_rows,). With `scores=False`, Z is None. Coefficients have shape
(n_outputs, n_members + 1), with the bias in the last column.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dsyrk
from scipy.optimize import nnls

from ..tables import Whole

# Smallest gain between two Newton steps, as a share of the objective.
TOLERANCE = 1e-5
# Number of points that a line search compares in one pass, and number of passes. Five passes are as
# precise as 25 bisections.
POINTS, NARROWINGS = 31, 5
# Strengths as a share of the rows. They fall, so that each fit starts from that of its neighbour.
ALPHAS = 10.0 ** np.arange(0.0, -8.0, -1.0)


class LinearFit(NamedTuple):
    """A solution of the level-one problem; `n_iter` is the number of passes over the rows."""

    coefs: np.ndarray
    objective: float
    n_iter: int
    converged: bool


class _Pass(NamedTuple):
    """The sums of one pass over the rows at given coefficients, and the margins of the rows."""

    objective: np.ndarray
    gradient: np.ndarray
    hessian: list
    margins: object


def solve_linear(parts, alpha, coefs, *, loss="squared_hinge", max_iter=30):
    """Minimise the level-one objective by Newton's method from `coefs` and return a `LinearFit`.

    `max_iter` is the largest number of passes over the rows.
    """
    current = _look(parts, alpha, coefs, loss)
    # If nearly every row is beyond the margin, the objective is too small to compare gains with.
    floor = 0.01 * parts.total(summed_weights)
    for n_iter in range(1, max_iter):
        steps = [
            cho_solve((_factor(H), False), g, check_finite=False)
            for H, g in zip(current.hessian, current.gradient)
        ]
        aim = coefs - np.stack(steps)
        there = _look(parts, alpha, aim, loss, current.margins)
        if (there.objective > current.objective * (1.0 + TOLERANCE)).any():
            # The margin set changed too much. The line search needs no new scores of the members.
            share = _line_search(parts, alpha, coefs, aim, there.margins)
            aim = coefs + share[:, None] * (aim - coefs)
            there = _look(parts, alpha, aim, loss, there.margins)
        gain = current.objective - there.objective
        done = (gain <= TOLERANCE * (current.objective + floor)).all() or loss == "squared"
        coefs, current = aim, there
        if done:
            return LinearFit(coefs, float(current.objective.sum()), n_iter + 1, True)
    return LinearFit(coefs, float(current.objective.sum()), max_iter, False)


def summed_weights(part):
    """Return the sum of the row weights."""
    return sum(s.sum() for _, _, s in part.blocks(scores=False))


def _targets(part):
    """Return the targets and the row weights of a part."""
    _, targets, weights = zip(*part.blocks(scores=False))
    return np.concatenate(targets, axis=1), np.concatenate(weights)


def _look(parts, alpha, coefs, loss, margins=None, *, reach=1.0):
    """Pass over all rows; the margins returned are those of the last point and of this one."""
    found, margins = parts.scan(_look_at_rows, margins, coefs, loss, reach)
    objective, gradient, hessian = found
    weights = coefs[:, :-1]
    objective = objective + alpha * np.einsum("cm,cm->c", weights, weights)
    gradient[:, :-1] += alpha * weights
    for H in hessian:
        np.einsum("ii->i", H)[:-1] += alpha
    return _Pass(objective, gradient, hessian, margins)


def _look_at_rows(part, margins, coefs, loss, reach):
    n_outputs, width = coefs.shape
    objective, gradient = np.zeros(n_outputs), np.zeros((n_outputs, width))
    hessian = [np.zeros((width, width), order="F") for _ in range(n_outputs)]
    found = []
    for Z, t, s in part.blocks():
        f = _scores(Z, coefs)
        found.append(f)
        for c in range(n_outputs):
            error = f[c] - t[c]
            inside = _inside(f[c], t[c], loss, reach)
            objective[c] += s[inside] @ error[inside] ** 2
            root = np.sqrt(s[inside])
            A = _with_bias(Z[c][:, inside]) * root
            gradient[c] += A @ (root * error[inside])
            # Only the upper triangle is filled, because the factorisation reads no more.
            hessian[c] = dsyrk(1.0, A, beta=1.0, c=hessian[c], overwrite_c=True)
    before = None if margins is None else margins[1]
    return (objective, gradient, hessian), (before, np.concatenate(found, axis=1))


def _inside(f, t, loss, reach=1.0):
    return np.flatnonzero(t * f < reach) if loss == "squared_hinge" else np.arange(f.size)


def _line_search(parts, alpha, old, new, margins):
    """Return the best step of each output between the two points that `margins` belong to."""
    w, move = old[:, :-1], (new - old)[:, :-1]
    constant = alpha * np.einsum("cm,cm->c", move, w)
    growth = alpha * np.einsum("cm,cm->c", move, move)
    low, high = np.zeros(len(w)), np.ones(len(w))
    for _ in range(NARROWINGS):
        # The objective is convex, so its slope rises along the segment.
        steps = np.linspace(low, high, POINTS + 2)
        slopes, margins = parts.scan(_slopes, margins, steps[1:-1])
        slopes = constant + steps[1:-1] * growth - slopes
        falling = (slopes < 0).sum(axis=0)
        columns = np.arange(len(low))
        low, high = steps[falling, columns], steps[falling + 1, columns]
    return 0.5 * (low + high)


def _slopes(part, margins, steps):
    """Return minus the slope of the losses of the rows, of shape (n_steps, n_outputs)."""
    t, s = _targets(part)
    start, shift = t * margins[0], t * (margins[1] - margins[0])
    slopes = [(np.maximum(0.0, 1.0 - start - step[:, None] * shift) * shift) @ s for step in steps]
    return np.stack(slopes), margins


def choose_alpha(part, n_outputs, n_members, *, loss="squared_hinge", alphas=None, left_out=None):
    """Return the strength of least leave-one-out loss on one part, and its `LinearFit`.

    `alphas` are the strengths to try in falling order; None means 1, 0.1, … times the sum of the
    row weights. See `leave_one_out` for `left_out`.
    """
    t, weights = _targets(part)
    alphas = ALPHAS * weights.sum() if alphas is None else alphas
    coefs = np.zeros((n_outputs, n_members + 1))
    best = (np.inf, None, None)
    for alpha in alphas:
        fit = solve_linear(Whole(part), alpha, coefs, loss=loss)
        coefs = fit.coefs
        slack = 1.0 - t * leave_one_out(part, alpha, coefs, loss=loss, left_out=left_out)
        if loss == "squared_hinge":
            slack = np.maximum(0.0, slack)
        error = float((slack**2 @ weights).sum())
        if error < best[0]:
            best = (error, alpha, fit)
        elif error > 1.02 * best[0]:
            # The loss has a single minimum, so smaller strengths need not be tried.
            break
    return best[1:]


def leave_one_out(part, alpha, coefs, *, loss="squared_hinge", kept=None, left_out=None):
    """Return the scores of the rows by solutions fitted without them, of shape (n_outputs, n_rows).

    They are exact for the squared loss. With the squared hinge, leaving out a row moves other rows
    across the margin; all rows within one unit of it are treated as if they had moved, and rows
    outside the margin keep their score.

    Parameters
    ----------
    part, alpha, coefs, loss
        A part and the solution `coefs` of `solve_linear` for it.
    kept : ndarray of int, default=None
        Members that may have a weight; None means all members.
    left_out : ndarray of shape (n_rows,), default=None
        Share of the weight of a row that is left out; None means all of it.
    """
    members = np.arange(coefs.shape[1]) if kept is None else np.append(kept, coefs.shape[1] - 1)
    look = _look(Whole(part), alpha, coefs, loss, reach=2.0)
    factors = [_factor(H[np.ix_(members, members)]) for H in look.hessian]
    scores, start = [], 0
    for Z, t, s in part.blocks():
        f = _scores(Z, coefs)
        own = s if left_out is None else s * left_out[start : start + len(s)]
        start += len(s)
        for c, factor in enumerate(factors):
            inside = _inside(f[c], t[c], loss)
            A = _with_bias(Z[c][:, inside])[members] * np.sqrt(own[inside])
            half = solve_triangular(factor, A, trans="T", check_finite=False)
            leverage = np.minimum(np.einsum("mi,mi->i", half, half), 1.0 - 1e-6)
            f[c, inside] = t[c, inside] - (t[c, inside] - f[c, inside]) / (1.0 - leverage)
        scores.append(f)
    return np.concatenate(scores, axis=1)


def solve_non_negative(parts, n_outputs, n_members, alpha):
    """Minimise the squared loss over weights ≥ 0 that all outputs share, and over their biases."""
    start = _look(parts, 0.0, np.zeros((n_outputs, n_members + 1)), "squared")
    system = np.zeros((n_members, n_members))
    cross = np.zeros(n_members)
    for H, g in zip(start.hessian, start.gradient):
        # Subtracting the means removes the biases from the problem.
        column, weight = H[:-1, -1], H[-1, -1]
        system += H[:-1, :-1] - np.outer(column, column) / weight
        cross += -g[:-1] + column * g[-1] / weight
    system.flat[:: n_members + 1] += alpha
    factor = np.triu(_factor(system))
    weights = nnls(factor, solve_triangular(factor, cross, trans="T"))[0]
    biases = [
        -(g[-1] + H[:-1, -1] @ weights) / H[-1, -1] for H, g in zip(start.hessian, start.gradient)
    ]
    return np.column_stack([np.tile(weights, (n_outputs, 1)), biases])


def _factor(H):
    """Return the upper Cholesky factor, with a tiny ridge if members are equal."""
    try:
        return cho_factor(H, check_finite=False)[0]
    except LinAlgError:
        lifted = H.copy()
        lifted.flat[:: len(H) + 1] += 1e-9 * np.trace(H) / len(H) + np.finfo(float).tiny
        return cho_factor(lifted, check_finite=False)[0]


def _scores(Z, coefs):
    return np.matmul(coefs[:, None, :-1].astype(Z.dtype), Z)[:, 0] + coefs[:, -1:]


def _with_bias(A):
    full = np.ones((A.shape[0] + 1, A.shape[1]), order="F")
    full[:-1] = A
    return full
