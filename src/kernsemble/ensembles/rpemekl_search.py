"""Choice of RPEMEKL's strengths and number of landmarks by cross-validation."""

import numpy as np
from scipy.ndimage import uniform_filter

from ..members.mhks import build_views
from ..solvers.mhks_path import held_out_scores
from ..tables import as_table, draw_rows
from ..targets import decode_scores
from ..validation import resolve_count

__all__ = ["LANDMARK_SHARES", "STRENGTHS", "search_strengths"]

#: The paper's grid for both strengths.
STRENGTHS = tuple(2.0**e for e in range(-4, 5))
LANDMARK_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
MAX_LANDMARKS = 2000
MAX_ROWS = 2000
# Of more rows a plain sample is stratified.
PRESELECTED_ROWS = 100_000
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
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
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
    part = _some_rows(as_table(X, T, sample_weight, codes), rng)
    X_part, T_part, weight, codes_part = part.X, part.T, part.sample_weight, part.codes
    n_part = part.n_rows
    folds = np.empty(n_part, dtype=int)
    folds[_stratified_order(codes_part, rng)] = np.arange(n_part) % min(N_FOLDS, n_part)

    def accuracies(share, alphas, couplings):
        count = min(resolve_count(share, "n_landmarks", X.shape[0]), n_part)
        if isinstance(share, float):
            count = resolve_count(share, "n_landmarks", n_part)
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


def _some_rows(table, rng):
    """Return at most `MAX_ROWS` rows that hold the classes in proportion."""
    n_rows = table.shape[0]
    some = np.arange(n_rows)
    if n_rows > PRESELECTED_ROWS:
        some = np.sort(draw_rows(n_rows, PRESELECTED_ROWS, rng))
    order = _stratified_order(table.classes.codes_of(some), rng)
    return table.rows(some[np.sort(order[:: -(-len(order) // MAX_ROWS)])])


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
