"""Choice of RPEMEKL's strengths and number of landmarks by cross-validation."""

import numpy as np
from scipy.ndimage import uniform_filter

from ..members.mhks import map_into_spaces
from ..solvers.mhks_path import held_out_scores
from ..tables.draws import draw_rows, spread_classes
from ..targets import best_class, decode_scores
from ..validation import resolve_count

#: The paper's grid for both strengths.
STRENGTHS = tuple(2.0**e for e in range(-4, 5))
LANDMARK_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
MAX_LANDMARKS = 2000
MAX_ROWS = 2000
# A plain sample of this many rows is stratified when there are more.
PRESELECTED_ROWS = 100_000
N_FOLDS = 5


def search_strengths(table, kernels, *, coding, alphas, couplings, shares, rng, options):
    """Return the alpha, coupling and n_landmarks of best cross-validated accuracy.

    Strengths are compared at the middle number of landmarks, then the numbers at the best
    strengths: more landmarks approximate the same kernels better, so the best strengths hardly
    move. At most 2,000 rows take part. Landmarks may be held-out rows, for maps do not see labels.

    Parameters
    ----------
    table : Table
    kernels : list of Kernel
    coding : str
    alphas, couplings : sequences of float
    shares : sequence of int or float
        Numbers of landmarks or shares of the rows.
    rng : RandomState
    options : dict
        Options of the solver.
    """
    part = _typical_part(table, rng)
    n_part, codes, weights = part.n_rows, part.all.codes, part.all.sample_weight
    folds = np.empty(n_part, dtype=int)
    folds[spread_classes(codes, rng)] = np.arange(n_part) % min(N_FOLDS, n_part)

    def accuracies(share, alphas, couplings):
        count = min(table.count(share, "n_landmarks"), n_part)
        if isinstance(share, float):
            count = resolve_count(share, "n_landmarks", n_part)
        _, _, problem = map_into_spaces(part, kernels, count, coding, rng)
        mapped = problem.held
        S = held_out_scores(
            mapped.spaces.arrays,
            mapped.T,
            folds,
            alphas,
            couplings,
            sample_weight=weights,
            **options,
        )
        return _grid_accuracies(S, part, coding)

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
        share = max(1, min(MAX_LANDMARKS, round(share * table.n_rows)))
    return alpha, coupling, share


def _typical_part(table, rng):
    """Return a table of at most `MAX_ROWS` rows that holds the classes in proportion."""
    some = np.arange(table.n_copies)
    if table.n_copies > PRESELECTED_ROWS:
        some = np.sort(draw_rows(table.n_copies, PRESELECTED_ROWS, rng))
    # Every copy of a row is a row here: copies of a row with other classes would mislead about it
    # if all of its own were held out together.
    some = table.rows_of_copies(some)
    order = spread_classes(table.class_rows.codes_of(some), rng)
    return table.take_copies(some[np.sort(order[:: -(-len(order) // MAX_ROWS)])])


def _grid_accuracies(S, part, coding):
    found = np.empty(S.shape[2:])
    for i, j in np.ndindex(found.shape):
        scores = decode_scores(S[:, :, i, j].astype(float), part.n_classes, coding)
        hits = best_class(scores) == part.all.codes
        found[i, j] = np.average(hits, weights=part.all.sample_weight)
    return found
