"""A member fitted by Ho-Kashyap learning in several kernel spaces with shared landmarks."""

from dataclasses import dataclass
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
from ..targets import encode_targets
from .member import Member

BLOCK_BYTES = 1 << 24


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
    gamma : float or None
        Smallest weight of the class means used by a locality penalty.
    """

    kernels: list
    landmarks: Any
    dual_coefs: list
    intercept: np.ndarray
    objective: np.ndarray
    n_iter: int
    converged: bool
    coding: str = "signed"
    gamma: float | None = None

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


def fit_mhks_member(table, kernels, penalize, *, coding, n_landmarks, rng, **options):
    """Fit all target columns in the spaces of all kernels and return an `MHKSMember`.

    `penalize` is a function from the `Problem` to the penalties of `solve_mhks`, which also takes
    the `options`. See `map_into_spaces` for the other parameters.
    """
    landmarks, projections, problem = map_into_spaces(table, kernels, n_landmarks, coding, rng)
    penalties = penalize(problem)
    result = solve_mhks(problem, penalties=penalties, **options)
    M = len(kernels)
    return MHKSMember(
        list(kernels),
        landmarks,
        [P @ (W[:-1] / M) for P, W in zip(projections, result.coefs)],
        sum(W[-1] for W in result.coefs) / M,
        result.objective.sum(axis=1),
        int(result.n_iter.max()),
        bool(result.converged.all()),
        coding,
        min((penalty.gamma for penalty in penalties if hasattr(penalty, "gamma")), default=None),
    )
