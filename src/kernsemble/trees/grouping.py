"""Division of three or more classes into two groups, by the Bhattacharyya distance."""

import numpy as np

from ..compiled import compiled
from .small_eigen import cholesky, solve_lower

# A direction with less than this share of the variance of the node is rounding noise.
RANK_TOL = 1e-10
# Added to each class covariance, relative to the pooled variance of each feature. Otherwise a class
# of few rows would have determinant zero and an infinite distance to every other class.
COVARIANCE_RIDGE = 0.01


@compiled
def group_classes(moments, spread, group):
    """Write the group, 0 or 1, of each class into `group`.

    The two classes that are farthest apart start the groups. Every other class joins the nearer of
    them, or the second one if both are equally far.

    Parameters
    ----------
    moments : Moments
    spread : ndarray of shape (n_drawn,)
        Variance of each feature at the node.
    group : ndarray of int of shape (n_present,)
    """
    n_present = moments.weights.shape[0]
    if n_present == 2:
        group[0], group[1] = 0, 1
        return
    distances = _distances(moments, spread)
    first, second, farthest = 0, 1, -1.0
    for i in range(n_present):
        for j in range(i + 1, n_present):
            if distances[i, j] > farthest:
                first, second, farthest = i, j, distances[i, j]
    for k in range(n_present):
        group[k] = 0 if distances[k, first] < distances[k, second] else 1
    group[first], group[second] = 0, 1


@compiled
def _distances(moments, spread):
    """Return the distance of each pair of classes.

    It is the Bhattacharyya distance, or the distance of the means if the covariance is singular.
    """
    weights, means, scatters = moments.weights, moments.means, moments.scatters
    n_present, n_drawn = means.shape
    covariances = np.empty((n_present, n_drawn, n_drawn))
    ridge = np.zeros(n_drawn)
    total = 0.0
    for k in range(n_present):
        total += weights[k]
        for a in range(n_drawn):
            ridge[a] += COVARIANCE_RIDGE * scatters[k, a, a]
            for b in range(n_drawn):
                covariances[k, a, b] = scatters[k, a, b] / weights[k]
    for a in range(n_drawn):
        ridge[a] /= total
    half_sum = np.empty((n_drawn, n_drawn))
    ridged, L = np.empty((n_drawn, n_drawn)), np.empty((n_drawn, n_drawn))
    gap = np.empty(n_drawn)
    log_dets = np.empty(n_present)
    for k in range(n_present):
        log_dets[k] = _ridged_log_det(covariances[k], n_drawn, ridge, ridged, L)
    distances = np.zeros((n_present, n_present))
    for i in range(n_present):
        for j in range(i):
            for a in range(n_drawn):
                gap[a] = means[i, a] - means[j, a]
                for b in range(n_drawn):
                    half_sum[a, b] = 0.5 * (covariances[i, a, b] + covariances[j, a, b])
            distance = 0.0
            if n_drawn > 1 and cholesky(half_sum, n_drawn, spread, RANK_TOL, L):
                log_det = _ridged_log_det(half_sum, n_drawn, ridge, ridged, L)
                solve_lower(L, n_drawn, gap)
                distance = 0.5 * (log_det - 0.5 * (log_dets[i] + log_dets[j]))
                for a in range(n_drawn):
                    distance += 0.125 * gap[a] * gap[a]
            else:
                for a in range(n_drawn):
                    distance += gap[a] * gap[a]
                distance = np.sqrt(distance)
            distances[i, j] = distance
            distances[j, i] = distance
    return distances


@compiled
def _ridged_log_det(A, size, ridge, ridged, L):
    """Factor A plus the ridge into L and return the logarithm of its determinant."""
    for a in range(size):
        for b in range(size):
            ridged[a, b] = A[a, b]
        ridged[a, a] += ridge[a]
    if not cholesky(ridged, size, ridge, 0.0, L):
        # A feature is constant within every class, so no pair of classes has a regular covariance.
        return 0.0
    log_det = 0.0
    for a in range(size):
        log_det += 2.0 * np.log(L[a, a])
    return log_det
