"""Weighted sums of kernels that fall with a power of a distance, compiled.

No matrix is stored: a row is compared with a tile of others, and the kernel values of the tile are
multiplied by their coefficients while they are in the first-level cache. All kernels share the
distances. The sums of a row do not depend on the other rows.
"""

import numpy as np

from ..compiled import compiled
from .exponentials import exponential, power

# Number of rows in a tile, whose columns, distances and coefficients stay in the cache.
TILE = 128
# Sums may be reordered, so that loops use vector instructions; NaN and infinity stay what they are.
REORDERED = {"reassoc", "contract", "nsz"}


@compiled(entry=True, fastmath=REORDERED)
def add_decay_sums(X, columns, norms, powers, rates, ends, coefs, sums):
    """Add the sums of kernel values times coefficients to the columns of `sums`.

    Parameters
    ----------
    X : ndarray of shape (n_x, n_features)
    columns : ndarray of shape (n_features, n_y)
        The rows that those of `X` are compared with, column by column.
    norms : ndarray of int of shape (n_kernels,)
        1 for city-block distances, 2 for Euclidean ones.
    powers, rates : ndarray of shape (n_kernels,)
        The values of a kernel are exp(-rate distance^power).
    ends : ndarray of int of shape (n_kernels + 1,)
        Where the coefficients of every kernel begin, and where the last ones end.
    coefs : ndarray of shape (n_sums, n_y)
    sums : ndarray of shape (n_x, n_sums)
    """
    n_y, any_city, any_euclidean = columns.shape[1], np.any(norms == 1), np.any(norms == 2)
    cities, squares, values = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    for first in range(0, n_y, TILE):
        stop = min(first + TILE, n_y)
        for i in range(X.shape[0]):
            if any_city and any_euclidean:
                _write_distances(X[i], columns, first, stop, cities, squares)
            elif any_city:
                _write_distances(X[i], columns, first, stop, cities, None)
            else:
                _write_distances(X[i], columns, first, stop, None, squares)
            for k in range(norms.shape[0]):
                if norms[k] == 1:
                    _write_values(cities[: stop - first], powers[k], rates[k], values)
                else:
                    _write_values(squares[: stop - first], 0.5 * powers[k], rates[k], values)
                for c in range(ends[k], ends[k + 1]):
                    own, total = coefs[c, first:stop], 0.0
                    for j in range(own.shape[0]):
                        total += values[j] * own[j]
                    sums[i, c] += total


@compiled(fastmath=REORDERED)
def _write_distances(x, columns, first, stop, cities, squares):
    """Write the city-block distances and the squared Euclidean ones; None stands for neither."""
    if cities is not None:
        cities[:] = 0.0
    if squares is not None:
        squares[:] = 0.0
    # Four columns at a time, because every pass reads and writes the sums.
    last = x.shape[0] - x.shape[0] % 4
    for k in range(0, last, 4):
        A, B = columns[k, first:stop], columns[k + 1, first:stop]
        C, D = columns[k + 2, first:stop], columns[k + 3, first:stop]
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        for j in range(stop - first):
            p, q, r, s = a - A[j], b - B[j], c - C[j], d - D[j]
            if cities is not None:
                cities[j] += (abs(p) + abs(q)) + (abs(r) + abs(s))
            if squares is not None:
                squares[j] += (p * p + q * q) + (r * r + s * s)
    for k in range(last, x.shape[0]):
        A, a = columns[k, first:stop], x[k]
        for j in range(stop - first):
            p = a - A[j]
            if cities is not None:
                cities[j] += abs(p)
            if squares is not None:
                squares[j] += p * p


@compiled
def _write_values(bases, exponent, rate, values):
    """Write exp(-rate base^exponent)."""
    if exponent == 1.0:
        for j in range(bases.shape[0]):
            values[j] = exponential(-rate * bases[j])
    elif exponent == 0.5:
        for j in range(bases.shape[0]):
            values[j] = exponential(-rate * np.sqrt(bases[j]))
    else:
        for j in range(bases.shape[0]):
            values[j] = exponential(-rate * power(bases[j], exponent))
