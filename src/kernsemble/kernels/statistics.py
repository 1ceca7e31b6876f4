"""Statistics of the distances between rows, from which samplers take the widths of kernels.

The rows of a table count with their weights: a pair of rows has the product of their weights, and a
row that stands for several copies also forms pairs of distance zero with itself.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..tables.draws import draw_rows
from .blocks import for_each_block, row_blocks
from .pairs import pair_up

#: The statistics of a table with more rows are those of a random sample of this many rows.
MAX_EXACT_ROWS = 4000
# Number of distances from which the position of the median is estimated.
SAMPLE_VALUES = 10_000


class SampledRows(NamedTuple):
    """Rows that stand for all rows, with their weights and numbers of copies, or None."""

    X: Any
    weights: np.ndarray | None
    copies: np.ndarray | None


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
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    rng : RandomState
        Draws the sample if there are more than `MAX_EXACT_ROWS` rows.

    Returns
    -------
    SampledRows
    """
    n_rows = X.shape[0]
    some: Any = slice(None)
    if n_rows > MAX_EXACT_ROWS:
        some = np.sort(draw_rows(n_rows, MAX_EXACT_ROWS, rng))
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return SampledRows(X[some], None, None)
    rows = X.rows(np.arange(n_rows)[some])
    weights = rows.sample_weight
    if weights is not None and rows.copies is None and np.ptp(weights) == 0.0:
        weights = None
    return SampledRows(rows.X, weights, rows.copies)


def distance_statistics(X, rng, *, p=2.0):
    """Return the statistics of the l_p distances between the rows of `X`.

    Parameters
    ----------
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
        Rows of an array have the same weight.
    rng : RandomState
        Draws the sample if there are more than `MAX_EXACT_ROWS` rows.
    p : float, default=2.0
        Order of the norm.

    Returns
    -------
    DistanceStatistics
    """
    sampled = sample_rows(X, rng)
    blocks = row_blocks(sampled.X.shape[0], sampled.X.shape[0], sampled.X.dtype.itemsize)
    distances = _pair_values(sampled.X, p, blocks)
    weights: Any = None
    if sampled.weights is not None:
        weights = _pair_weights(sampled.weights, blocks)
    if sampled.copies is not None:
        # A row of weight w and c copies forms c (c - 1) / 2 pairs of weight (w / c)² with itself.
        own = sampled.weights**2 * (1.0 - 1.0 / sampled.copies) / 2.0
        distances, weights = np.append(distances, 0.0), np.append(weights, own.sum())
    if weights is not None:
        # Pairs of no weight, such as those of a single copy, must not count as the median.
        distances, weights = distances[weights > 0.0], weights[weights > 0.0]
    return _summary(distances, weights)


def _pair_values(X, p, blocks):
    """Return the distances of all pairs of rows, each pair once, in blocks of rows."""
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

    for_each_block(write, blocks)
    return distances


def _pair_weights(weights, blocks):
    """Return the products of the weights of all pairs, in the order of `_pair_values`."""
    products = []
    for rows in blocks:
        size = rows.stop - rows.start
        block = np.outer(weights[rows], weights[rows.start :])
        products += [block[:, size:].ravel(), block[np.triu_indices(size, 1)]]
    return np.concatenate(products)


def _summary(distances, weights):
    """Return the statistics of distances; `weights` None means equal weights."""
    if not distances.size or not distances.any():
        return DistanceStatistics(1.0, 1.0, 1.0, 1.0)
    if weights is None:
        mean, median = float(distances.mean()), _median(distances)
        mean_squared = float(np.vdot(distances, distances)) / distances.size
    else:
        total, median = weights.sum(), _weighted_median(distances, weights)
        mean = float(weights @ distances / total)
        mean_squared = float(weights @ np.square(distances) / total)
    # The median is zero if most rows are copies of one row.
    return DistanceStatistics(mean, median or mean, float(distances.max()), mean_squared)


def _weighted_median(values, weights):
    """Return the value that half of the weight is below, the mean of two if it is a tie.

    With equal weights this is the usual median. Only values near it, as judged by a sample, are
    sorted.
    """
    half, low, high = 0.5 * weights.sum(), -np.inf, np.inf
    step = max(1, values.size // SAMPLE_VALUES)
    order = np.argsort(values[::step])
    sample, shares = values[::step][order], np.cumsum(weights[::step][order])
    if values.size > SAMPLE_VALUES:
        low, high = sample[np.searchsorted(shares, [0.48 * shares[-1], 0.52 * shares[-1]])]
    below = weights[values < low].sum()
    middle = np.flatnonzero((values >= low) & (values <= high))
    if not below < half < below + weights[middle].sum():
        # The sample does not represent the values.
        below, middle = 0.0, np.arange(values.size)
    middle = middle[np.argsort(values[middle], kind="stable")]
    reached = below + np.cumsum(weights[middle])
    # Sums of products may miss the half by rounding; the pair must not depend on that.
    slack = 1e-9 * half
    first, second = np.searchsorted(reached, [half - slack, half + slack])
    second = min(second, len(middle) - 1)
    return float(0.5 * (values[middle[first]] + values[middle[second]]))


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
