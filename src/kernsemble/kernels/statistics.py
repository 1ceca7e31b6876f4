"""Scales of a table: means, medians and maxima of its pairwise distances."""

from typing import NamedTuple

import numpy as np

from ..tables.draws import draw_rows
from .blocks import for_each_block, row_blocks
from .pairs import pair_up

__all__ = ["MAX_EXACT_ROWS", "DistanceStatistics", "distance_statistics", "rows_of_scale"]

#: Above this many rows the statistics are those of a random sample of so many rows.
MAX_EXACT_ROWS = 4000
# So many of the distances say where the middle is.
SAMPLE_VALUES = 10_000


class DistanceStatistics(NamedTuple):
    """Statistics of the distances between different rows, all above zero.

    Attributes
    ----------
    mean, median, maximum, mean_squared : float
        1 when all rows are equal, where no scale exists.
    """

    mean: float
    median: float
    maximum: float
    mean_squared: float


def rows_of_scale(X, rng):
    """Return the rows from which a scale is taken: all of them, or a sample of many."""
    if X.shape[0] > MAX_EXACT_ROWS:
        return X[np.sort(draw_rows(X.shape[0], MAX_EXACT_ROWS, rng))]
    return X[:]


def distance_statistics(X, rng, *, p=2.0):
    """Return the statistics of the l_p distances between the rows of `X`.

    Parameters
    ----------
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    rng : RandomState
        Chooses the sample when there are more than `MAX_EXACT_ROWS` rows.
    p : float, default=2.0
        Norm.
    """
    X = rows_of_scale(X, rng)
    n_rows = X.shape[0]
    pairs = pair_up(X)
    _ = pairs.y.squared_norms  # prepared once, before it is sliced
    distances = np.empty(n_rows * (n_rows - 1) // 2)

    def write(rows):
        block = pairs.block(rows, slice(rows.start, n_rows)).distances(p)
        size = rows.stop - rows.start
        end = rows.start * (2 * n_rows - rows.start - 1) // 2
        # Each pair once: what lies right of the diagonal block, and its upper triangle.
        for values in (block[:, size:].ravel(), block[np.triu_indices(size, 1)]):
            distances[end : end + values.size] = values
            end += values.size

    for_each_block(write, row_blocks(n_rows, n_rows, X.dtype.itemsize))
    mean = float(distances.mean()) if distances.size else 0.0
    if mean == 0.0:
        return DistanceStatistics(1.0, 1.0, 1.0, 1.0)
    # More than half of the rows may be copies of one another.
    median = _median(distances) or mean
    mean_squared = float(np.vdot(distances, distances)) / distances.size
    return DistanceStatistics(mean, median, float(distances.max()), mean_squared)


def _median(values):
    """Return the median: a sample says where the middle is, and only values there are sorted."""
    ranks = [(values.size - 1) // 2, values.size // 2]
    sample = np.sort(values[:: max(1, values.size // SAMPLE_VALUES)])
    low, high = sample[[int(0.48 * sample.size), int(0.52 * sample.size)]]
    n_below = np.count_nonzero(values < low)
    middle = values[(values >= low) & (values <= high)]
    if not n_below <= ranks[0] <= ranks[1] < n_below + middle.size:
        # The sample was not like the rest.
        return float(np.median(values))
    ranks = [rank - n_below for rank in ranks]
    return float(np.partition(middle, ranks)[ranks].mean())
