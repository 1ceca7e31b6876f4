"""A member that learns by Ho-Kashyap in several kernel spaces on shared landmarks."""

from typing import NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils import gen_batches

from ..kernels import evaluate
from ..kernels.blocks import rows_per_block
from ..maps import EmpiricalKernelMap
from ..maps.landmarks import select_landmarks
from ..solvers.mhks import solve_mhks
from ..solvers.moments import DenseViews, ViewedRows, row_atoms
from ..tables import Table

__all__ = ["KernelViews", "MHKSMember", "TableViews", "build_views", "fit_mhks_member"]

BLOCK_BYTES = 1 << 24


class KernelViews:
    """Empirical kernel maps of the rows of X, evaluated block by block on shared landmarks.

    Blocks hold kernel values, and the projections take them to coordinates; distances are
    computed once for all kernels.
    """

    def __init__(self, kernels, X, landmarks, projections):
        self.kernels, self.X, self.landmarks = kernels, X, landmarks
        self.projections = projections
        self.n_rows = X.shape[0]
        self.ranks = [P.shape[1] for P in projections]

    def blocks(self):
        for rows in _row_blocks(self.X, self.landmarks):
            yield rows, evaluate(self.kernels, self.X[rows], self.landmarks)

    def to_dense(self):
        """Compute all coordinates and hold them."""
        arrays = [np.empty((self.n_rows, P.shape[1]), P.dtype) for P in self.projections]
        for rows, grams in self.blocks():
            for Phi, K, P in zip(arrays, grams, self.projections):
                np.matmul(K, P, out=Phi[rows])
        return DenseViews(arrays)


class TableViews:
    """The problem of a table in parts: every pass maps the rows where they are.

    The same shape as `kernsemble.solvers.moments.OnePart`.
    """

    def __init__(self, kernels, table, landmarks, projections):
        self.table = table
        self.n_rows = table.shape[0]
        self.ranks = [P.shape[1] for P in projections]
        # A row's atom follows from its class.
        class_atom, self.members = row_atoms(table.target_patterns)
        self.view = _Viewer(kernels, landmarks, projections, class_atom)

    def total(self, function, *args):
        return self.table.total(_on_views, self.view, function, args)

    def scan(self, function, states, *args):
        return self.table.scan(_scan_views, states, self.view, function, args)


class _Viewer(NamedTuple):
    kernels: list
    landmarks: np.ndarray
    projections: list
    class_atom: np.ndarray

    def __call__(self, rows):
        views = KernelViews(self.kernels, rows.X, self.landmarks, self.projections)
        return ViewedRows(views, rows.T, rows.weights, self.class_atom[rows.codes])


def _on_views(rows, view, function, args):
    return function(view(rows), *args)


def _scan_views(rows, state, view, function, args):
    # A part that is computed again elsewhere must find the state it was given.
    state = None if state is None else [margins.copy() for margins in state]
    return function(view(rows), state, *args)


class MHKSMember(NamedTuple):
    """Mean over the views of sum_s dual_coefs[s] k(x, landmark_s), plus an intercept."""

    kernels: list
    landmarks: np.ndarray
    dual_coefs: list
    intercept: np.ndarray
    objective: np.ndarray
    n_iter: int
    converged: bool

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


def build_views(kernels, X, n_landmarks, rng):
    """Map X into one space per kernel.

    Parameters
    ----------
    kernels : list of Kernel
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    n_landmarks : int or None
        Random rows that span the maps, the same for every kernel; None means all rows.
    rng : RandomState

    Returns
    -------
    landmarks, projections, views
        `views` holds the coordinates when they fit into scikit-learn's `working_memory`,
        and computes them block by block otherwise, for a table where its rows are.
    """
    if n_landmarks is None:
        maps = [EmpiricalKernelMap(kernel) for kernel in kernels]
        held = DenseViews([m.fit_transform(X) for m in maps])
        return X, [m.projection_ for m in maps], held
    landmarks = select_landmarks(X, n_landmarks, "uniform", rng)
    projections = [EmpiricalKernelMap(kernel).fit(landmarks).projection_ for kernel in kernels]
    if isinstance(X, Table):
        return landmarks, projections, TableViews(kernels, X, landmarks, projections)
    views = KernelViews(kernels, X, landmarks, projections)
    bytes_needed = X.shape[0] * sum(views.ranks) * X.dtype.itemsize
    fits = bytes_needed <= get_config()["working_memory"] * 2**20
    return landmarks, projections, views.to_dense() if fits else views


def fit_mhks_member(kernels, X, T, penalize, *, n_landmarks, sample_weight, rng, **options):
    """Fit all target columns in the spaces of all kernels.

    Parameters
    ----------
    kernels : list of Kernel
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    T : ndarray of shape (n_rows, n_columns)
        None for a table, which has its own targets and weights.
    penalize : callable
        Gives the penalties of `solve_mhks` for the views.
    n_landmarks : int or None
    sample_weight : ndarray of shape (n_rows,) or None
    rng : RandomState
    **options
        Passed to `solve_mhks`.

    Returns
    -------
    MHKSMember
    """
    landmarks, projections, views = build_views(kernels, X, n_landmarks, rng)
    result = solve_mhks(views, T, penalize(views), sample_weight=sample_weight, **options)
    M = len(kernels)
    return MHKSMember(
        list(kernels),
        landmarks,
        [P @ (W[:-1] / M) for P, W in zip(projections, result.coefs)],
        sum(W[-1] for W in result.coefs) / M,
        result.objective.sum(axis=1),
        int(result.n_iter.max()),
        bool(result.converged.all()),
    )
