"""Statistics of the distances between rows, from which samplers take the widths of kernels."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..tables.draws import draw_rows
from .blocks import for_each_block, row_blocks
from .pairs import pair_up

#: The statistics of a table with more rows are those of a random sample of this many rows.
MAX_EXACT_ROWS = 4000
# Number of distances from which the position of the median is estimated.
SAMPLE_VALUES = 10_000


class DistanceStatistics(NamedTuple):
    """Statistics of the distances between different rows, all above zero.

    Attributes
    ----------
    mean, median, maximum, mean_squared : float
        They are 1 if all rows are equal, because such rows have no scale.
    """

    mean: float
    median: float
    maximum: float
    mean_squared: float


def sample_rows(X, rng):
    """Return the rows that stand for `X`: all of them, or a random sample if there are many.

    Parameters
    ----------
    X : {ndarray, CSR matrix, table} of shape (n_rows, n_features)
        A table is any object with `shape` and `dtype` that returns rows for `X[row_numbers]`.
    rng : RandomState
        Draws the sample if there are more than `MAX_EXACT_ROWS` rows.

    Returns
    -------
    rows : {ndarray, CSR matrix} of shape (n_sampled, n_features)
    """
    n_rows = X.shape[0]
    if n_rows > MAX_EXACT_ROWS:
        return X[np.sort(draw_rows(n_rows, MAX_EXACT_ROWS, rng))]
    in_memory = isinstance(X, np.ndarray) or sparse.issparse(X)
    return X if in_memory else X[np.arange(n_rows)]


def distance_statistics(X, rng, *, p=2.0):
    """Return the statistics of the l_p distances between the rows of `X`.

    Parameters
    ----------
    X : {ndarray, CSR matrix, table} of shape (n_rows, n_features)
        See `sample_rows`.
    rng : RandomState
        Draws the sample if there are more than `MAX_EXACT_ROWS` rows.
    p : float, default=2.0
        Order of the norm.

    Returns
    -------
    DistanceStatistics
    """
    X = sample_rows(X, rng)
    n_rows = X.shape[0]
    pairs = pair_up(X)
    # The blocks share these norms, so they are computed before the rows are sliced.
    _ = pairs.y.squared_norms
    distances = np.empty(n_rows * (n_rows - 1) // 2)

    def write(rows):
        block = pairs.block(rows, slice(rows.start, n_rows)).distances(p)
        size = rows.stop - rows.start
        end = rows.start * (2 * n_rows - rows.start - 1) // 2
        # Each pair counts once: the part right of the diagonal block, and its upper triangle.
        for values in (block[:, size:].ravel(), block[np.triu_indices(size, 1)]):
            distances[end : end + values.size] = values
            end += values.size

    for_each_block(write, row_blocks(n_rows, n_rows, X.dtype.itemsize))
    mean = float(distances.mean()) if distances.size else 0.0
    if mean == 0.0:
        return DistanceStatistics(1.0, 1.0, 1.0, 1.0)
    # The median is zero if most rows are copies of one row.
    median = _median(distances) or mean
    mean_squared = float(np.vdot(distances, distances)) / distances.size
    return DistanceStatistics(mean, median, float(distances.max()), mean_squared)


def _median(values):
    """Return the exact median; only values near it, as judged by a sample, are sorted."""
    ranks = [(values.size - 1) // 2, values.size // 2]
    sample = np.sort(values[:: max(1, values.size // SAMPLE_VALUES)])
    low, high = sample[[int(0.48 * sample.size), int(0.52 * sample.size)]]
    n_below = np.count_nonzero(values < low)
    middle = values[(values >= low) & (values <= high)]
    if not n_below <= ranks[0] <= ranks[1] < n_below + middle.size:
        # The sample does not represent the values, and the median is not between its bounds.
        return float(np.median(values))
    ranks = [rank - n_below for rank in ranks]
    return float(np.partition(middle, ranks)[ranks].mean())
