"""What Ho-Kashyap methods find from the data: kernels, strengths, coupling, landmarks."""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter

from ..maps.views import UnchangedView
from ..solvers.mhks_path import held_out_scores
from ..tables.draws import draw_rows, spread_classes
from ..targets import best_class, decode_scores
from ..validation import resolve_count
from .co_ridge import ViewKernels, fit_co_ridge_members
from .mhks import map_into_spaces

#: Number of rows on which kernels and strengths are compared.
TUNING_ROWS = 300
#: Strengths and couplings that are compared.
ALPHAS = 2.0 ** np.arange(-14.0, 7.0, 2.0)
COUPLINGS = np.array([0.0, 0.25, 1.0, 4.0, 16.0])
MAX_LANDMARKS = 2000
MAX_ROWS = 2000
# A plain sample of this many rows is stratified when there are more.
PRESELECTED_ROWS = 100_000
N_FOLDS = 5


class Chosen(NamedTuple):
    """The kernel and the strength of every space, and the coupling between them."""

    kernels: list
    alphas: list
    coupling: float


def choose_spaces(table, candidates, alphas, couplings, rng):
    """Return the kernels and strengths of least squared leave-one-out error, in closed form.

    Every space is tuned alone as a kernel ridge, then the coupling of all. With margins at zero a
    Ho-Kashyap method is this ridge. A sample of the rows is enough: the best strength is the ratio
    of noise to signal, which does not depend on the number of rows.

    Parameters
    ----------
    table : Table
    candidates : list of list of Kernel
        Candidates of each space.
    alphas, couplings : ndarray
    rng : RandomState

    Returns
    -------
    Chosen
    """
    part = typical_part(table, TUNING_ROWS, rng)
    views = [ViewKernels(UnchangedView(), kernels) for kernels in candidates]
    options = {"combine": "mean", "every_coupling": True}
    found = fit_co_ridge_members(part, views, alphas, couplings, **options)
    return Chosen(found.kernels, found.alphas, found.coupling)


def search_strengths(table, kernels, *, coding, alphas, couplings, counts, rng, options):
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
    counts : sequence of int or float
        Numbers of landmarks or shares of the rows.
    rng : RandomState
    options : dict
        Options of the solver.
    """
    part = typical_part(table, MAX_ROWS, rng)
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

    alpha, coupling, share = alphas[0], couplings[0], counts[len(counts) // 2]
    if len(alphas) * len(couplings) > 1:
        # A single point of the grid is noise; its neighbourhood is not.
        grid = uniform_filter(accuracies(share, alphas, couplings), 3, mode="nearest")
        i, j = np.unravel_index(grid.argmax(), grid.shape)
        alpha, coupling = alphas[i], couplings[j]
    if len(counts) > 1:
        found = np.array([accuracies(s, [alpha], [coupling])[0, 0] for s in counts])
        smooth = uniform_filter(found, 3, mode="nearest")
        # Of equal ones the largest, which follows the kernels most closely.
        share = counts[np.flatnonzero(smooth >= smooth.max() - 1e-12)[-1]]
    if isinstance(share, float):
        share = max(1, min(MAX_LANDMARKS, round(share * table.n_rows)))
    return alpha, coupling, share


def typical_part(table, size, rng):
    """Return a table of at most `size` rows that holds the classes in proportion."""
    if table.in_memory and table.n_copies <= size:
        return table
    some = np.arange(table.n_copies)
    if table.n_copies > PRESELECTED_ROWS:
        some = np.sort(draw_rows(table.n_copies, PRESELECTED_ROWS, rng))
    # Every copy of a row is a row here: copies of a row with other classes would mislead about it
    # if all of its own were held out together.
    some = table.rows_of_copies(some)
    order = spread_classes(table.class_rows.codes_of(some), rng)
    return table.take_copies(some[np.sort(order[:: -(-len(order) // size)])])


def _grid_accuracies(S, part, coding):
    found = np.empty(S.shape[2:])
    for i, j in np.ndindex(found.shape):
        scores = decode_scores(S[:, :, i, j].astype(float), part.n_classes, coding)
        hits = best_class(scores) == part.all.codes
        found[i, j] = np.average(hits, weights=part.all.sample_weight)
    return found
