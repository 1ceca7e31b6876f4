"""Class means and scatter matrices of a node's rows, and the group matrices they add up to."""

from .compiled import compiled

__all__ = ["class_moments", "group_matrix", "node_centre"]

_ROUNDING = 1e-10


@compiled(fastmath=True)
def class_moments(Z, n_drawn, bounds, weights, roots, means, scatters, centred):
    """Weighted mean and scatter of every class.

    Parameters
    ----------
    Z : ndarray of shape (n_drawn, n_rows)
        The drawn features of the node's rows, which are sorted by class.
    bounds : ndarray of shape (n_present + 1,)
        Class k holds the rows bounds[k] to bounds[k + 1].
    weights : ndarray of shape (n_present,)
        Total weight of each class.
    roots : ndarray of shape (n_rows,)
        Square roots of the row weights.
    means, scatters : ndarray of shape (n_present, n_drawn[, n_drawn])
        Written; a scatter matrix is the sum of w (x - mean) (x - mean)'.
    centred : ndarray of shape (n_drawn, n_rows)
        Room for the work.
    """
    for k in range(bounds.shape[0] - 1):
        start, stop = bounds[k], bounds[k + 1]
        root = roots[start:stop]
        for a in range(n_drawn):
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
def node_centre(n_drawn, weights, means, scatters, centre, spread):
    """Write the node's mean and variance of each drawn feature.

    To the variance is added what rounding leaves of a constant column, so that no pivot of noise
    is measured against noise.
    """
    total = 0.0
    for k in range(weights.shape[0]):
        total += weights[k]
    for a in range(n_drawn):
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
def group_matrix(group, side, n_drawn, weights, means, scatters, origin, G):
    """Write [X - origin, -1]' [X - origin, -1] / n of the classes with `group == side` into G."""
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
