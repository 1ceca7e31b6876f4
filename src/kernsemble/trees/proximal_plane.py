"""The two proximal planes of a node: each near one group of rows and far from the other.

With G = [A, -1]'[A, -1]/n and J the same for the other group, plane 1 minimises z'Gz / z'Jz over
z = (w, b) and plane 2 the reverse: the two ends of one generalised eigenproblem G z = mu J z.
"""

import numpy as np

from kernsemble.trees.compiled import compiled
from kernsemble.trees.grouping import RANK_TOL
from kernsemble.trees.moments import group_matrix
from kernsemble.trees.small_eigen import cholesky, solve_upper, symmetric_eigen, whiten

__all__ = ["AXIS", "NULLSPACE", "TIKHONOV", "proximal_planes"]

AXIS, TIKHONOV, NULLSPACE = 0, 1, 2


@compiled
def proximal_planes(
    group, n_drawn, weights, means, scatters, centre, spread, regularization, alpha, planes
):
    """Write both planes, of unit normal, into `planes`; return whether they exist.

    Parameters
    ----------
    group : ndarray of shape (n_present,)
        0 or 1 for each class.
    weights, means, scatters : ndarray
        See `class_moments`.
    centre, spread : ndarray of shape (n_drawn,)
        The node's mean and variance.
    regularization : int
        What to do when G or J is singular: AXIS gives up, TIKHONOV adds `alpha` to the diagonal of
        the matrix that is minimised, NULLSPACE minimises it exactly, over its null space.
    alpha : float
    planes : ndarray of shape (2, n_drawn + 1)
        Written: row (w, b) is the plane w'x = b.
    """
    size = n_drawn + 1
    G, J = np.empty((size, size)), np.empty((size, size))
    L_G, L_J = np.empty((size, size)), np.empty((size, size))
    reference = np.ones(size)
    reference[:n_drawn] = spread
    # Seen from the node's mean the columns of X and the constant are far from collinear.
    group_matrix(group, 0, n_drawn, weights, means, scatters, centre, G)
    group_matrix(group, 1, n_drawn, weights, means, scatters, centre, J)
    regular = cholesky(G, size, reference, RANK_TOL, L_G)
    regular = cholesky(J, size, reference, RANK_TOL, L_J) and regular
    if regular:
        _extreme_ratios(G, L_J, size, planes)
        for side in range(2):
            for a in range(n_drawn):
                planes[side, n_drawn] += planes[side, a] * centre[a]
    elif regularization == AXIS:
        return False
    else:
        origin = np.zeros(n_drawn)
        group_matrix(group, 0, n_drawn, weights, means, scatters, origin, G)
        group_matrix(group, 1, n_drawn, weights, means, scatters, origin, J)
        if regularization == TIKHONOV:
            _ridged_plane(G, J, alpha, size, planes[0])
            _ridged_plane(J, G, alpha, size, planes[1])
        elif not (_null_plane(G, J, size, planes[0]) and _null_plane(J, G, size, planes[1])):
            return False
    return _scale(planes[0], n_drawn) and _scale(planes[1], n_drawn)


@compiled
def _extreme_ratios(G, L_J, size, planes):
    """Write the smallest and the largest eigenvector of G z = mu J z, J = L_J L_J'."""
    C, vectors = np.empty((size, size)), np.empty((size, size))
    values, work = np.empty(size), np.empty((2, size))
    whiten(G, L_J, size, C)
    symmetric_eigen(C, size, values, vectors, work)
    planes[0] = vectors[np.argmin(values)]
    planes[1] = vectors[np.argmax(values)]
    solve_upper(L_J, size, planes[0])
    solve_upper(L_J, size, planes[1])


@compiled
def _ridged_plane(own, other, alpha, size, plane):
    """Write the z that minimises z'(own + alpha I)z / z'other z."""
    ridged, L = own.copy(), np.empty((size, size))
    for a in range(size):
        ridged[a, a] += alpha
    cholesky(ridged, size, np.zeros(size), 0.0, L)
    _largest_ratio(other, L, size, plane)


@compiled
def _largest_ratio(G, L, size, plane):
    """Write the largest eigenvector of G z = mu L L' z."""
    planes = np.empty((2, size))
    _extreme_ratios(G, L, size, planes)
    plane[:] = planes[1]


@compiled
def _null_plane(own, other, size, plane):
    """Write the unit z in the null space of `own` that maximises z'other z, if there is one.

    Where `own` is regular the ratio itself has a minimum, and that is taken.
    """
    A, vectors = own.copy(), np.empty((size, size))
    values, work = np.empty(size), np.empty((2, size))
    symmetric_eigen(A, size, values, vectors, work)
    limit = RANK_TOL * np.max(values)
    basis = vectors[values <= limit]
    if basis.shape[0] == 0:
        L = np.empty((size, size))
        cholesky(own, size, np.zeros(size), 0.0, L)
        _largest_ratio(other, L, size, plane)
        return True
    rank = basis.shape[0]
    projected = np.zeros((rank, rank))
    for i in range(rank):
        for j in range(rank):
            for a in range(size):
                for b in range(size):
                    projected[i, j] += basis[i, a] * other[a, b] * basis[j, b]
    inner = np.empty((rank, rank))
    symmetric_eigen(projected, rank, values[:rank], inner, work)
    top = np.argmax(values[:rank])
    if values[top] <= limit:
        return False
    plane[:] = 0.0
    for i in range(rank):
        for a in range(size):
            plane[a] += inner[top, i] * basis[i, a]
    return True


@compiled
def _scale(plane, n_drawn):
    """Give the plane a unit normal whose largest entry is positive; False when it has none."""
    norm, largest = 0.0, 0
    for a in range(n_drawn):
        norm += plane[a] * plane[a]
        if abs(plane[a]) > abs(plane[largest]):
            largest = a
    # Without the bound a plane that is all offset would be blown up to infinity.
    if not norm > 1e-20 * plane[n_drawn] * plane[n_drawn] or not np.isfinite(norm):
        return False
    factor = 1.0 / np.sqrt(norm)
    if plane[largest] < 0.0:
        factor = -factor
    for a in range(n_drawn + 1):
        plane[a] *= factor
    return True
