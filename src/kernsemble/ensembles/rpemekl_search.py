"""Choice of RPEMEKL's strengths and number of landmarks by cross-validation."""

import numpy as np
from scipy.ndimage import uniform_filter

from ..members.mhks import build_views
from ..solvers.mhks_path import held_out_scores
from ..targets import decode_scores
from ..validation import resolve_count

__all__ = ["LANDMARK_SHARES", "STRENGTHS", "search_strengths"]

#: The paper's grid for both strengths.
STRENGTHS = tuple(2.0**e for e in range(-4, 5))
LANDMARK_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
MAX_LANDMARKS = 2000
MAX_ROWS = 2000
N_FOLDS = 5


def search_strengths(
    X, T, codes, sample_weight, kernels, *, coding, alphas, couplings, shares, rng, options
):
    """Return the alpha, coupling and n_landmarks of best cross-validated accuracy.

    Strengths are compared at the middle number of landmarks, then the numbers at the best
    strengths: more landmarks approximate the same kernels better, so the best strengths hardly
    move. At most 2000 rows take part. Landmarks may be held-out rows, for maps do not see labels.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
    T : ndarray of shape (n_rows, n_columns)
    codes : ndarray of shape (n_rows,)
    sample_weight : ndarray of shape (n_rows,) or None
    kernels : list of Kernel
    coding : str
        Of the targets.
    alphas, couplings : sequences of float
    shares : sequence of int or float
        Numbers of landmarks or shares of the rows.
    rng : RandomState
    options : dict
        For the solver.
    """
    order = _stratified_order(codes, rng)
    rows = np.sort(order[:: -(-len(order) // MAX_ROWS)])
    X_part, T_part, codes_part = X[rows], T[rows], codes[rows]
    weight = None if sample_weight is None else sample_weight[rows]
    folds = np.empty(len(rows), dtype=int)
    folds[_stratified_order(codes_part, rng)] = np.arange(len(rows)) % min(N_FOLDS, len(rows))

    def accuracies(share, alphas, couplings):
        count = min(resolve_count(share, "n_landmarks", X.shape[0]), len(rows))
        if isinstance(share, float):
            count = resolve_count(share, "n_landmarks", len(rows))
        views = build_views(kernels, X_part, count, rng)[-1]
        S = held_out_scores(
            views.arrays, T_part, folds, alphas, couplings, sample_weight=weight, **options
        )
        return _grid_accuracies(S, codes_part, weight, coding)

    alpha, coupling, share = alphas[0], couplings[0], shares[len(shares) // 2]
    if len(alphas) * len(couplings) > 1:
        # A single point of the grid is noise; its neighbourhood is not.
        grid = uniform_filter(accuracies(share, alphas, couplings), 3, mode="nearest")
        i, j = np.unravel_index(grid.argmax(), grid.shape)
        alpha, coupling = alphas[i], couplings[j]
    if len(shares) > 1:
        found = np.array([accuracies(s, [alpha], [coupling])[0, 0] for s in shares])
        smooth = uniform_filter(found, 3, mode="nearest")
        # Of equal ones the largest, which follows the kernels most closely.
        share = shares[np.flatnonzero(smooth >= smooth.max() - 1e-12)[-1]]
    if isinstance(share, float):
        share = max(1, min(MAX_LANDMARKS, round(share * X.shape[0])))
    return alpha, coupling, share


def _stratified_order(codes, rng):
    """A random order in which every stretch holds the classes in proportion."""
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes)
    place = np.concatenate([(np.arange(n) + rng.rand()) / n for n in sizes if n])
    return by_class[np.argsort(place, kind="stable")]


def _grid_accuracies(S, codes, weight, coding):
    n_classes = int(codes.max()) + 1
    found = np.empty(S.shape[2:])
    for i, j in np.ndindex(found.shape):
        scores = decode_scores(S[:, :, i, j].astype(float), n_classes, coding)
        best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        found[i, j] = np.average(best == codes, weights=weight)
    return found
