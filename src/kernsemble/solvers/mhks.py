"""Ho-Kashyap learning in one or many spaces, with any quadratic penalty and many target columns."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor
from scipy.linalg.lapack import dpotrs
from sklearn import get_config

from ..validation import check_choice, check_real
from .penalties import add_penalty, penalty_product
from .spaces import augmented_gram, partial_moments, problem_of
from .squared_hinge import SquaredHinge, minimize_newton

# Initial value of the margins b, which never decrease.
FIRST_MARGIN = 1e-6


class MHKSResult(NamedTuple):
    """The coefficients, and the objective on the way to them.

    `coefs` holds one matrix of shape (r_l + 1, n_columns) per space, with the intercepts in the
    last row. `objective` has one row per iteration and one column per target column; a column that
    has stopped repeats its last value. `n_iter` and `converged` have one entry per column.
    """

    coefs: list
    objective: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


def solve_mhks(
    spaces,
    T=None,
    penalties=(),
    *,
    coupling=1.0,
    sample_weight=None,
    algorithm="ho_kashyap",
    rho=0.99,
    tol=1e-3,
    max_iter=100,
    start=None,
):
    """Fit one linear function per space and target column, with agreement between the spaces.

    For every column t of T, over the rows with t_i != 0, minimise over the functions
    f_l(x) = w_l' phi_l(x) + w_l0 and margins b_l >= 0::

        sum_l [ sum_i s_i (t_i f_li - 1 - b_li)² + w_l' R_l w_l ]
            + coupling sum_l sum_i s_i (f_li - mean_j f_ji)²

    Parameters
    ----------
    spaces : list of ndarray of shape (n_rows, r_l), an object that yields row blocks, or a Problem
        See `kernsemble.solvers.spaces`.
    T : ndarray of shape (n_rows, n_columns), default=None
        Targets +1 and -1; 0 leaves the row out of the problem of that column. None goes with a
        `Problem`, which has its own targets and weights.
    penalties : list with one entry per space
        A float alpha (R = alpha I), a matrix R, or a function that returns either for the number of
        a column. Columns with the same rows share their penalty.
    coupling : float, default=1.0
    sample_weight : ndarray of shape (n_rows,), default=None
    algorithm : {"ho_kashyap", "newton"}, default="ho_kashyap"
        "ho_kashyap" starts from b near 0, raises it by rho (e + |e|) and solves each space from
        the last outputs of the others. "newton" sets b to its optimum max(0, t f - 1) and minimises
        the squared hinge loss by active sets.
    rho : float in (0, 1), default=0.99
    tol : float, default=1e-3
        "ho_kashyap" stops when an iteration lowers the objective by less than this share of it, or
        of what `negligible_decrease` has for data without errors. "newton" runs until no row enters
        or leaves the margin.
    max_iter : int, default=100
    start : list of ndarray of shape (r_l + 1, n_columns), default=None
        Initial coefficients; None means zero.

    Returns
    -------
    MHKSResult
    """
    check_choice(algorithm, "algorithm", ("ho_kashyap", "newton"))
    check_real(rho, "rho", low=0.0, high=1.0, open_low=True, open_high=True)
    problem = spaces if hasattr(spaces, "scan") else problem_of(spaces, T, sample_weight)
    n_columns = problem.members.shape[1]
    if start is None:
        start = [np.zeros((rank + 1, n_columns)) for rank in problem.ranks]
    penalties = [p if callable(p) else (lambda column, p=p: p) for p in penalties]
    W = [np.array(w, dtype=float) for w in start]
    if algorithm == "newton":
        return _newton_columns(problem, penalties, coupling, max_iter, W)
    moments = _ColumnMoments(problem)
    own_weight = 1.0 + coupling * (len(W) - 1) / len(W)
    parts = []
    for columns in _column_batches(problem.ranks, moments.support, problem.n_rows):
        systems = _Systems(moments, columns, penalties, own_weight)
        start = [w[:, columns] for w in W]
        part = _ho_kashyap(problem, columns, systems, coupling, rho, tol, max_iter, start)
        parts.append((columns, part))
    return _join_columns(parts)


def _join_columns(parts):
    """Put the columns of partial results back into their order."""
    order = np.argsort(np.concatenate([columns for columns, _ in parts]))
    results = [result for _, result in parts]
    length = max(len(result.objective) for result in results)
    history = [
        np.vstack([r.objective, np.repeat(r.objective[-1:], length - len(r.objective), axis=0)])
        for r in results
    ]
    return MHKSResult(
        [np.hstack(w)[:, order] for w in zip(*(r.coefs for r in results))],
        np.hstack(history)[:, order],
        np.concatenate([r.n_iter for r in results])[order],
        np.concatenate([r.converged for r in results])[order],
    )


def _newton_columns(problem, penalties, coupling, max_iter, W):
    parts = []
    for column in range(problem.members.shape[1]):
        R = [penalty(column) for penalty in penalties]
        loss = SquaredHinge(problem, column, R, coupling)
        start = np.concatenate([w[:, column] for w in W])
        w, history, converged = minimize_newton(loss, start, max_iter)
        coefs = [w[part][:, None] for part in loss.parts]
        n_iter, done = np.array([len(history) - 1]), np.array([converged])
        result = MHKSResult(coefs, np.array(history)[:, None], n_iter, done)
        parts.append((np.array([column]), result))
    return _join_columns(parts)


class _ColumnMoments:
    """Augmented second moments of every space over the rows of a target column.

    If they take little memory, or no more than the features, the moments of the atoms (the classes,
    for one-vs-one targets) are computed once and added up. Otherwise those of each column are
    computed from its rows.
    """

    def __init__(self, problem):
        self.problem, self.members = problem, problem.members
        n_atoms, sizes = len(self.members), [rank + 1 for rank in problem.ranks]
        moment_bytes = 8 * n_atoms * sum(size**2 for size in sizes)
        little = max(8 * problem.n_rows * sum(sizes), get_config()["working_memory"] * 2**17)
        _, self.support = np.unique(self.members, axis=1, return_inverse=True)
        self.atoms = None
        if n_atoms == 1 or problem.held is None or moment_bytes <= little:
            self.atoms = problem.total(partial_moments, n_atoms)

    def of(self, column):
        if self.atoms is not None:
            return [atoms[self.members[:, column]].sum(axis=0) for atoms in self.atoms]
        spaces, T, sample_weight, _ = self.problem.held
        rows = np.flatnonzero(T[:, column])
        root = np.sqrt(sample_weight[rows])
        return [augmented_gram(Phi[rows], root) for Phi in spaces.arrays]


def _column_batches(ranks, support, n_rows):
    """Yield batches of columns whose factors and margins fit into the working memory."""
    budget = get_config()["working_memory"] * 2**20
    # Each system stores its factor and its penalty.
    factor_bytes = 16 * sum((rank + 1) ** 2 for rank in ranks)
    margin_bytes = 8 * n_rows * (len(ranks) + 1)
    batch: list[int] = []
    used, seen = 0, set[int]()
    for column in np.argsort(support, kind="stable"):
        need = margin_bytes + (0 if support[column] in seen else factor_bytes)
        if batch and used + need > budget:
            yield np.array(batch)
            batch, used, need = [], 0, margin_bytes + factor_bytes
            seen.clear()
        batch.append(column)
        used += need
        seen.add(support[column])
    yield np.array(batch)


class _Systems:
    """The factored normal equations of every space, one factor for each set of rows."""

    def __init__(self, moments, columns, penalties, own_weight):
        _, first, self.group = np.unique(
            moments.support[columns], return_index=True, return_inverse=True
        )
        self.penalties, self.factors = [], []
        for column in columns[first]:
            R = [penalty(column) for penalty in penalties]
            systems = [add_penalty(own_weight * C, p) for C, p in zip(moments.of(column), R)]
            self.penalties.append(R)
            factors = [cho_factor(A, lower=True, check_finite=False)[0] for A in systems]
            self.factors.append(factors)

    def solve(self, j, G, groups):
        """Solve space j for the right-hand sides of the active columns."""
        W = np.empty_like(G)
        for group, at in groups:
            # Without the checks of `cho_solve`, which take longer than a small system.
            W[:, at] = dpotrs(self.factors[group][j], G[:, at], lower=1)[0]
        return W

    def penalty(self, j, W, groups):
        """Return w' R w for each active column."""
        values = np.empty(W.shape[1])
        for group, at in groups:
            w = W[:-1, at]
            values[at] = np.einsum("ij,ij->j", w, penalty_product(self.penalties[group][j], w))
        return values

    def groups_of(self, active):
        """Return each set of rows with the positions of its columns among the active ones.

        Columns are sorted by their rows, so these positions are slices.
        """
        groups, starts = np.unique(self.group[active], return_index=True)
        stops = [*starts[1:], len(active)]
        return list(zip(groups, map(slice, starts, stops)))


def _ho_kashyap(problem, columns, systems, coupling, rho, tol, max_iter, W):
    M, n_columns = len(W), len(columns)
    margins = None
    active = np.arange(n_columns)
    n_iter, converged = np.zeros(n_columns, dtype=int), np.zeros(n_columns, dtype=bool)
    history, current, first = [], np.full(n_columns, np.inf), np.empty(0)
    groups = systems.groups_of(active)
    # A pass computes the objective at (W, b), updates b and sums what the next W needs, so that the
    # rows are read once per iteration.
    for iteration in range(max_iter + 1):
        (G, loss), margins = problem.scan(_pass, margins, W, columns, active, coupling, rho)
        for j in range(M):
            loss += systems.penalty(j, W[j][:, active], groups)
        first = loss if iteration == 0 else first
        stop = current[active] - loss <= negligible_decrease(loss, first[active], tol)
        current[active], n_iter[active] = loss, iteration
        history.append(current.copy())
        converged[active[stop]] = True
        if stop.any():
            active, G = active[~stop], [g[:, ~stop] for g in G]
            groups = systems.groups_of(active)
        if not len(active) or iteration == max_iter:
            break
        for j in range(M):
            W[j][:, active] = systems.solve(j, G[j], groups)
    return MHKSResult(W, np.array(history), n_iter, converged)


def negligible_decrease(loss, first, tol):
    """Return the decrease of the objective that is too small for another iteration.

    It is the share `tol` of the objective, or of a thousandth of its first value, with the usual
    `tol`, where the objective has fallen below that. On classes that can be told apart without
    error the objective goes on falling towards zero, by the same share of it for a long time,
    while the scores no longer change.
    """
    return tol * np.maximum(loss, tol * first)


def _pass(mapped, b, W, columns, active, coupling, rho):
    """Return the next right-hand sides, the objective without penalties, and the updated b.

    Before the first pass b is None.
    """
    spaces, T, sample_weight, _ = mapped
    M, moving = len(W), columns[active]
    b = [np.full((len(T), len(columns)), FIRST_MARGIN) for _ in W] if b is None else b
    loss = np.zeros(len(active))
    G = [np.zeros((len(w), len(active))) for w in W]
    for rows, blocks in spaces.blocks():
        t = T[rows][:, moving]
        s = sample_weight[rows, None] * (t != 0)
        F = [_outputs(Z, P, w[:, active]) for Z, P, w in zip(blocks, spaces.projections, W)]
        mean = sum(F) / M
        for j in range(M):
            margin = b[j][rows][:, active]
            e = t * F[j] - 1.0 - margin
            apart = F[j] - mean
            loss += np.einsum("ij,ij,ij->j", s, e, e)
            loss += coupling * np.einsum("ij,ij,ij->j", s, apart, apart)
            margin += (2.0 * rho) * np.maximum(e, 0.0)
            b[j][rows, active] = margin
            target = s * (t * (1.0 + margin) + coupling * (mean - F[j] / M))
            G[j] += _sums(blocks[j], spaces.projections[j], target)
    return (G, loss), b


def _outputs(Z, P, W):
    """Return Phi W + intercept for one block, where Phi = Z P."""
    w = W[:-1] if P is None else P @ W[:-1]
    return Z @ w.astype(Z.dtype, copy=False) + W[-1]


def _sums(Z, P, R):
    """Return [Phi, 1]' R for one block, where Phi = Z P."""
    G = Z.T @ R.astype(Z.dtype, copy=False)
    return np.vstack([G if P is None else P.T @ G, R.sum(axis=0)])
