"""Held-out scores of Ho-Kashyap learning over a grid of strengths and couplings."""

import numpy as np
from scipy.linalg import eigh

from .mhks import FIRST_MARGIN, negligible_decrease


def held_out_scores(spaces, T, folds, alphas, couplings, *, sample_weight=None, rho, tol, max_iter):
    """Score every row by models that were fitted without its fold, for a whole grid.

    The problem is that of `solve_mhks` with ridge penalties. One eigendecomposition per space and
    set of rows serves the whole grid and all folds. With C = U D U' the system of any alpha and
    coupling is diagonal. A held-out row stays in C, but its target is its own last output. That
    majorises the objective of the other rows, so the iteration still descends to their solution.
    With k folds, each iteration divides the error by about k.

    Parameters
    ----------
    spaces : list of ndarray of shape (n_rows, r_l)
    T, sample_weight, rho, tol, max_iter
        See `solve_mhks`.
    folds : ndarray of shape (n_rows,)
        Fold numbers 0, 1, …
    alphas, couplings : sequences of float

    Returns
    -------
    S : float32 ndarray of shape (n_rows, n_columns, len(alphas), len(couplings))
        Mean output of the spaces.
    """
    if sample_weight is None:
        sample_weight = np.ones(len(T))
    n_folds = int(folds.max()) + 1
    grid = np.meshgrid(alphas, couplings, np.arange(n_folds), indexing="ij")
    alpha, coupling, fold = (values.ravel() for values in grid)
    S = np.empty((*T.shape, len(alphas), len(couplings)), dtype=np.float32)
    supports, support_of = np.unique(T != 0, axis=1, return_inverse=True)
    for number, support in enumerate(supports.T):
        rows = np.flatnonzero(support & (sample_weight > 0))
        s = sample_weight[rows]
        bases = [_Basis(Z[rows], s) for Z in spaces]
        trained = (folds[rows, None] != fold).astype(float)
        for column in np.flatnonzero(support_of == number):
            options = (alpha, coupling), (rho, tol, max_iter)
            W = _descend(bases, T[rows, column], s, trained, *options)
            models = [basis.in_features(w) for basis, w in zip(bases, W)]
            for k in range(n_folds):
                out, own = np.flatnonzero(folds == k), np.flatnonzero(fold == k)
                scores = sum(Z[out] @ V[:-1, own] + V[-1, own] for Z, V in zip(spaces, models))
                S[out, column] = (scores / len(spaces)).reshape(-1, len(alphas), len(couplings))
    return S


class _Basis:
    """Principal axes of the rows of a space, in which every ridge system is diagonal."""

    def __init__(self, Phi, s):
        self.mean = s @ Phi / s.sum()
        scaled = (Phi - self.mean) * np.sqrt(s)[:, None]
        wide = scaled.shape[0] < scaled.shape[1]
        gram = scaled @ scaled.T if wide else scaled.T @ scaled
        values, vectors = eigh(gram, check_finite=False)
        kept = values > 1e-12 * max(values[-1], np.finfo(float).tiny)
        self.variances, self.axes = values[kept], vectors[:, kept]
        if wide:
            self.axes = scaled.T @ (self.axes / np.sqrt(self.variances))
        self.Z = (Phi - self.mean) @ self.axes

    def in_features(self, W):
        """Return coefficients and intercepts for the features of the space."""
        V = self.axes @ W[:-1]
        return np.vstack([V, W[-1] - self.mean @ V])


def _descend(bases, t, s, trained, grid, options):
    """Fit all models of the grid together; return one (k + 1, n_models) matrix per space."""
    Z, (alpha, coupling) = [basis.Z for basis in bases], grid
    rho, tol, max_iter = options
    M, n_models = len(Z), trained.shape[1]
    W = [np.zeros((z.shape[1] + 1, n_models)) for z in Z]
    t, s = t[:, None], s[:, None]
    active, w = np.arange(n_models), W
    b = [np.full(trained.shape, FIRST_MARGIN) for _ in Z]
    root = np.sqrt(s) * trained
    current, first = np.full(n_models, np.inf), np.empty(0)
    for iteration in range(max_iter):
        own = 1.0 + coupling * (M - 1) / M
        F = [z @ v[:-1] + v[-1] for z, v in zip(Z, w)]
        mean = sum(F) / M
        loss = np.zeros(len(active))
        for j in range(M):
            loss += alpha * np.einsum("ij,ij->j", w[j][:-1], w[j][:-1])
            e = t * F[j]
            e -= 1.0
            e -= b[j]
            b[j] += (2.0 * rho) * np.maximum(e, 0.0)
            e *= root
            loss += np.einsum("ij,ij->j", e, e)
            np.subtract(F[j], mean, out=e)
            e *= root
            loss += coupling * np.einsum("ij,ij->j", e, e)
        first = loss if iteration == 0 else first
        go = current - loss > negligible_decrease(loss, first, tol)
        if not go.all():
            active, current, loss, root = active[go], current[go], loss[go], root[:, go]
            first = first[go]
            alpha, coupling, own, mean = alpha[go], coupling[go], own[go], mean[:, go]
            b, F = [m[:, go] for m in b], [f[:, go] for f in F]
        if not len(active):
            break
        current = loss
        w = []
        for j in range(M):
            target = t * (1.0 + b[j]) + coupling * (mean - F[j] / M)
            # The target of a held-out row is its last output, so it has no influence.
            target = s * np.where(root > 0, target, own * F[j])
            slopes = (Z[j].T @ target) / (own * bases[j].variances[:, None] + alpha)
            w.append(np.vstack([slopes, target.sum(axis=0) / (own * s.sum())]))
            W[j][:, active] = w[j]
    return W
