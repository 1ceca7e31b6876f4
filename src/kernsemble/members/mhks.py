"""A member fitted by Ho-Kashyap learning in several kernel spaces with shared landmarks."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils import gen_batches

from ..kernels import evaluate
from ..kernels.blocks import rows_per_block
from ..maps import EmpiricalKernelMap
from ..maps.landmarks import select_landmarks
from ..solvers.mhks import solve_mhks
from ..solvers.spaces import HeldSpaces, MappedRows, Problem, problem_of, row_atoms
from ..tables import MemoryTable
from ..tables.draws import calibration_rows, copies_in_folds
from ..targets import encode_targets
from .member import Member

BLOCK_BYTES = 1 << 24
#: Number of targets of the folds that are left out at once.
FOLD_VALUES = 1 << 22


class KernelSpaces:
    """Empirical kernel maps of the rows of X, computed in blocks of rows with shared landmarks.

    Blocks hold kernel values, and their products with the projections are coordinates. Distances
    are computed once for all kernels.
    """

    def __init__(self, kernels, X, landmarks, projections):
        self.kernels, self.X, self.landmarks = kernels, X, landmarks
        self.projections = projections
        self.n_rows = X.shape[0]
        self.ranks = [P.shape[1] for P in projections]

    def blocks(self):
        for rows in _row_blocks(self.X, self.landmarks):
            yield rows, evaluate(self.kernels, self.X[rows], self.landmarks)

    def held(self):
        """Return the spaces with all coordinates in memory."""
        arrays = [np.empty((self.n_rows, P.shape[1]), P.dtype) for P in self.projections]
        for rows, grams in self.blocks():
            for Phi, K, P in zip(arrays, grams, self.projections):
                np.matmul(K, P, out=Phi[rows])
        return HeldSpaces(arrays)


class _Mapping(NamedTuple):
    """How the rows of a part are mapped into the spaces."""

    kernels: list
    landmarks: np.ndarray
    projections: list
    coding: str
    class_atom: np.ndarray
    hold: bool

    def __call__(self, rows):
        spaces = KernelSpaces(self.kernels, rows.X, self.landmarks, self.projections)
        return MappedRows(
            spaces.held() if self.hold else spaces,
            rows.targets(self.coding),
            rows.weights,
            # The class of a row determines the columns that it takes part in.
            self.class_atom[rows.codes],
        )


@dataclass(frozen=True, eq=False)
class MHKSMember(Member):
    """A member with the scores Σ_l k_l(x, landmarks) @ dual_coefs[l] + intercept.

    Attributes
    ----------
    kernels : list of Kernel
    landmarks : {ndarray, CSR matrix} of shape (n_landmarks, n_features)
    dual_coefs : list of ndarray of shape (n_landmarks, n_outputs)
        One matrix per kernel.
    intercept : ndarray of shape (n_outputs,)
    objective : ndarray of shape (n_iter + 1,)
    n_iter : int
    converged : bool
    coding : str
    beta, gamma : float or None
        Strength and weight of the class means that a locality penalty used, the smallest of any
        space and problem.
    honest_scores : ndarray of shape (n_scored, n_outputs) or None
    """

    kernels: list
    landmarks: Any
    dual_coefs: list
    intercept: np.ndarray
    objective: np.ndarray
    n_iter: int
    converged: bool
    coding: str = "signed"
    beta: float | None = None
    gamma: float | None = None
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        S = np.tile(self.intercept, (X.shape[0], 1))
        for rows in _row_blocks(X, self.landmarks):
            grams = evaluate(self.kernels, X[rows], self.landmarks)
            for K, coefs in zip(grams, self.dual_coefs):
                S[rows] += K @ coefs
        return S


def _row_blocks(X, landmarks):
    size = rows_per_block(landmarks.shape[0], X.dtype.itemsize, BLOCK_BYTES)
    return gen_batches(X.shape[0], size)


def map_into_spaces(table, kernels, n_landmarks, coding, rng):
    """Map the rows into one space per kernel.

    Parameters
    ----------
    table : Table
    kernels : list of Kernel
    n_landmarks : int or None
        Number of random rows that span the maps of all kernels; None means all rows.
    coding : str
    rng : RandomState

    Returns
    -------
    landmarks, projections
        A row has the coordinates `kernel(x, landmarks) @ projection` in the space of each kernel.
    problem : Problem
        Coordinates are kept in memory if they fit into scikit-learn's `working_memory`. Otherwise
        they are computed in blocks of rows, in the process that holds the rows.
    """
    if n_landmarks is None:
        rows, maps = table.all, [EmpiricalKernelMap(kernel) for kernel in kernels]
        arrays = [m.fit_transform(rows.X) for m in maps]
        problem = problem_of(arrays, rows.targets(coding), rows.sample_weight)
        return rows.X, [m.projection_ for m in maps], problem
    landmarks = select_landmarks(table, n_landmarks, "uniform", rng)
    projections = [EmpiricalKernelMap(kernel).fit(landmarks).projection_ for kernel in kernels]
    ranks = [P.shape[1] for P in projections]
    bytes_needed = table.n_rows * sum(ranks) * table.dtype.itemsize
    hold = table.in_memory and bytes_needed <= get_config()["working_memory"] * 2**20
    patterns = encode_targets(np.arange(table.n_classes), table.n_classes, coding)
    class_atom, members = row_atoms(patterns)
    parts = table.through(_Mapping(kernels, landmarks, projections, coding, class_atom, hold))
    problem = Problem(parts, table.n_rows, ranks, members, parts.part if hold else None)
    return landmarks, projections, problem


def fit_mhks_member(table, kernels, penalize, *, coding, n_landmarks, rng, n_folds, **solver):
    """Fit all target columns in the spaces of all kernels and return an `MHKSMember`.

    Parameters
    ----------
    penalize : callable
        Function from a `Problem` and the table of its rows to the penalties of `solve_mhks`.
    n_folds : int
        Number of parts of the rows that calibrate probabilities, which are left out in turn to
        score them honestly; 0 means that they are not scored.
    **solver
        Options of `solve_mhks`.
    table, kernels, coding, n_landmarks, rng
        See `map_into_spaces`.
    """
    landmarks, projections, problem = map_into_spaces(table, kernels, n_landmarks, coding, rng)
    penalties = penalize(problem, table)
    result = solve_mhks(problem, penalties=penalties, **solver)
    honest = None
    if n_folds:
        rows = table.rows(calibration_rows(table.n_rows))
        held = problem.held and problem.held.spaces
        if held is None or rows.n_rows < table.n_rows:
            held = KernelSpaces(kernels, rows.X, landmarks, projections).held()
        folds = copies_in_folds(rows, n_folds, rng)
        honest = held_out_mhks(held.arrays, rows, coding, folds, penalize, solver)
    M = len(kernels)
    beta, gamma = _smallest(penalties)
    return MHKSMember(
        list(kernels),
        landmarks,
        [P @ (W[:-1] / M) for P, W in zip(projections, result.coefs)],
        sum(W[-1] for W in result.coefs) / M,
        result.objective.sum(axis=1),
        int(result.n_iter.max()),
        bool(result.converged.all()),
        coding,
        beta,
        gamma,
        honest,
    )


def held_out_mhks(arrays, rows, coding, folds, penalize, solver):
    """Return the scores of every row by the machine that is fitted without its fold.

    Landmarks may be held-out rows, for maps do not see labels; penalties see those of the other
    folds alone.

    Parameters
    ----------
    arrays : list of ndarray of shape (n_rows, r_l)
        Coordinates of the rows.
    rows : Rows
    coding : str
    folds : ndarray of shape (n_folds, n_rows)
        Number of copies of each row in every fold; see `copies_in_folds`.
    penalize : callable
        See `fit_mhks_member`.
    solver : dict
        Options of `solve_mhks`.
    """
    T = rows.targets(coding)
    S, shares = np.zeros_like(T), folds / folds.sum(axis=0)
    shares = shares[(shares > 0.0).any(axis=1) & (shares < 1.0).any(axis=1)]
    if not len(shares):
        return S
    # A row whose copies are in several folds is split up; its score is the mean of theirs.
    row, fold = np.nonzero(shares.T)
    share, split = shares[fold, row], [Z[row] for Z in arrays]
    # Several folds are columns of one problem, because many columns hardly take longer than one.
    for batch in gen_batches(len(shares), max(1, FOLD_VALUES // (len(row) * T.shape[1]))):
        some = np.arange(batch.start, batch.stop)
        trained = fold[:, None] != some
        columns = (T[row, None] * trained[:, :, None]).reshape(len(row), -1)
        penalties = _fold_penalties(arrays, rows, T, shares[batch], penalize)
        weights = rows.weights[row] * share
        found = solve_mhks(split, columns, penalties, sample_weight=weights, **solver)
        for number, held in enumerate(some):
            out, own = fold == held, slice(number * T.shape[1], (number + 1) * T.shape[1])
            scores = [Z[out] @ W[:-1, own] + W[-1, own] for Z, W in zip(split, found.coefs)]
            S[row[out]] += share[out, None] * sum(scores) / len(arrays)
    return S


def _fold_penalties(arrays, rows, T, shares, penalize):
    """Return the penalty of each space, which for every column is that of its fold."""
    found = []
    for held_out in shares:
        rest = np.flatnonzero(held_out < 1.0)
        part = rows.pick(rest)
        part = part._replace(sample_weight=part.weights * (1.0 - held_out[rest]), copies=None)
        problem = problem_of([Z[rest] for Z in arrays], T[rest], part.sample_weight)
        found.append(penalize(problem, MemoryTable.of(part, np.arange(rows.n_classes))))

    def penalty(column, space):
        fold, own_column = divmod(column, T.shape[1])
        own = found[fold][space]
        return own(own_column) if callable(own) else own

    return [partial(penalty, space=space) for space in range(len(arrays))]


def _smallest(penalties):
    """Return the smallest beta and gamma of locality penalties, or None."""
    if not hasattr(penalties[0], "beta"):
        return None, None
    return min(penalty.beta for penalty in penalties), min(p.gamma for p in penalties)
