"""Means and scatter matrices of the classes of a node, and the matrices of groups of classes."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled

_ROUNDING = 1e-10


class Moments(NamedTuple):
    """Moments of the drawn features in each class of a node.

    Attributes
    ----------
    weights : ndarray of shape (n_present,)
        Weight of each class.
    means : ndarray of shape (n_present, n_drawn)
    scatters : ndarray of shape (n_present, n_drawn, n_drawn)
        Sum of w (x - mean) (x - mean)' over the rows of each class.
    """

    weights: np.ndarray
    means: np.ndarray
    scatters: np.ndarray


@compiled(fastmath=True)
def class_moments(Z, bounds, roots, moments, centred):
    """Write the weighted mean and scatter matrix of every class.

    Parameters
    ----------
    Z : ndarray of shape (n_drawn, n_rows)
        The drawn features of the rows, which are sorted by class.
    bounds : ndarray of shape (n_present + 1,)
        Class k has the rows bounds[k] to bounds[k + 1].
    roots : ndarray of shape (n_rows,)
        Square roots of the weights of the rows.
    moments : Moments
        Its means and scatter matrices are written.
    centred : ndarray of shape (n_drawn, n_rows)
        An array for intermediate results.
    """
    weights, means, scatters = moments.weights, moments.means, moments.scatters
    for k in range(bounds.shape[0] - 1):
        start, stop = bounds[k], bounds[k + 1]
        root = roots[start:stop]
        for a in range(Z.shape[0]):
            column = Z[a, start:stop]
            out = centred[a, start:stop]
            total = 0.0
            for i in range(stop - start):
                total += root[i] * root[i] * column[i]
            mean = total / weights[k]
            means[k, a] = mean
            for i in range(stop - start):
                out[i] = root[i] * (column[i] - mean)
            for b in range(a + 1):
                other = centred[b, start:stop]
                total = 0.0
                for i in range(stop - start):
                    total += out[i] * other[i]
                scatters[k, a, b] = total
                scatters[k, b, a] = total


@compiled
def node_centre(moments, centre, spread):
    """Write the mean and the variance of each feature over the whole node.

    The rounding error of a constant column is added to its variance, because a pivot that is noise
    must not be compared with noise.
    """
    weights, means, scatters = moments.weights, moments.means, moments.scatters
    total = 0.0
    for k in range(weights.shape[0]):
        total += weights[k]
    for a in range(means.shape[1]):
        mean = 0.0
        for k in range(weights.shape[0]):
            mean += weights[k] * means[k, a]
        mean /= total
        within = 0.0
        for k in range(weights.shape[0]):
            offset = means[k, a] - mean
            within += scatters[k, a, a] + weights[k] * offset * offset
        centre[a] = mean
        spread[a] = within / total + _ROUNDING * mean * mean


@compiled
def group_matrix(moments, group, side, origin, G):
    """Write [X - origin, -1]' [X - origin, -1] / n into G, X being the rows of one group.

    Parameters
    ----------
    moments : Moments
    group : ndarray of shape (n_present,)
        The group, 0 or 1, of each class.
    side : int
        The group whose matrix is wanted.
    origin : ndarray of shape (n_drawn,)
    G : ndarray of shape (n_drawn + 1, n_drawn + 1)
    """
    weights, means, scatters = moments.weights, moments.means, moments.scatters
    n_drawn = means.shape[1]
    size = n_drawn + 1
    for a in range(size):
        for b in range(size):
            G[a, b] = 0.0
    total = 0.0
    for k in range(weights.shape[0]):
        if group[k] != side:
            continue
        weight = weights[k]
        total += weight
        for a in range(n_drawn):
            offset = means[k, a] - origin[a]
            for b in range(a + 1):
                G[a, b] += scatters[k, a, b] + weight * offset * (means[k, b] - origin[b])
            G[n_drawn, a] -= weight * offset
    for a in range(n_drawn):
        for b in range(a + 1):
            G[a, b] /= total
            G[b, a] = G[a, b]
        G[n_drawn, a] /= total
        G[a, n_drawn] = G[n_drawn, a]
    G[n_drawn, n_drawn] = 1.0
