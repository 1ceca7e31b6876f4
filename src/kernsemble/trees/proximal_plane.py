"""The two proximal planes of a node, each near one group of rows and far from the other.

Let G = [A, -1]'[A, -1]/n for the rows A of the first group, and J the same for the second. Plane 1
minimises z'Gz / z'Jz over z = (w, b), and plane 2 maximises it. They are the first and the last
eigenvector of the generalised eigenproblem G z = mu J z.
"""

import numpy as np

from ..compiled import compiled
from .grouping import RANK_TOL
from .moments import group_matrix
from .small_eigen import cholesky, solve_upper, symmetric_eigen, whiten

AXIS, TIKHONOV, NULLSPACE = 0, 1, 2


@compiled
def proximal_planes(moments, centre, spread, group, is_regular, growth, planes):
    """Write both planes, with unit normals, into `planes`; return whether they exist.

    If G or J is singular, `growth.regularization` says what to do. AXIS gives up, TIKHONOV adds
    `growth.alpha` to the diagonal of the matrix that is minimised, and NULLSPACE searches the null
    space of that matrix, where the minimum is exactly zero.

    Parameters
    ----------
    moments : Moments
    centre, spread : ndarray of shape (n_drawn,)
        Mean and variance of each feature at the node.
    group : ndarray of shape (n_present,)
        The group, 0 or 1, of each class.
    is_regular : bool
        Whether G and J can be regular: both groups have as many rows as a plane has weights. If
        not, they are singular even if rounding hides it.
    growth : Growth
    planes : ndarray of shape (2, n_drawn + 1)
        A row (w, b) is the plane w'x = b.
    """
    n_drawn = centre.shape[0]
    size = n_drawn + 1
    G, J = np.empty((size, size)), np.empty((size, size))
    L_G, L_J = np.empty((size, size)), np.empty((size, size))
    reference = np.ones(size)
    for a in range(n_drawn):
        reference[a] = spread[a]
    # With the mean of the node as origin, the columns of X and the constant are not collinear.
    group_matrix(moments, group, 0, centre, G)
    group_matrix(moments, group, 1, centre, J)
    if is_regular:
        is_regular = cholesky(G, size, reference, RANK_TOL, L_G)
    if is_regular:
        is_regular = cholesky(J, size, reference, RANK_TOL, L_J)
    if is_regular:
        _extreme_ratios(G, L_J, size, planes)
        for side in range(2):
            for a in range(n_drawn):
                planes[side, n_drawn] += planes[side, a] * centre[a]
    elif not _singular_planes(moments, group, growth.regularization, growth.alpha, G, J, planes):
        return False
    return _scale(planes[0], n_drawn) and _scale(planes[1], n_drawn)


@compiled
def _singular_planes(moments, group, regularization, alpha, G, J, planes):
    """Write the planes of singular matrices; return whether there are any.

    AXIS has none. Where `alpha` is None, as it may be for AXIS, numba leaves the rest out.
    """
    if alpha is None:
        return False
    if regularization == AXIS:
        return False
    size = planes.shape[1]
    origin = np.zeros(size - 1)
    group_matrix(moments, group, 0, origin, G)
    group_matrix(moments, group, 1, origin, J)
    for side in range(2):
        own, other = (G, J) if side == 0 else (J, G)
        if regularization == TIKHONOV:
            found = _largest_ratio(other, own, alpha, size, planes[side])
        else:
            found = _null_plane(own, other, size, planes[side])
        if not found:
            return False
    return True


@compiled
def _extreme_ratios(G, L_J, size, planes):
    """Write the first and the last eigenvector of G z = mu J z, where J = L_J L_J'."""
    C, vectors = np.empty((size, size)), np.empty((size, size))
    values, work = np.empty(size), np.empty((2, size))
    whiten(G, L_J, size, C)
    symmetric_eigen(C, size, values, vectors, work)
    smallest, largest = 0, 0
    for i in range(size):
        if values[i] < values[smallest]:
            smallest = i
        if values[i] > values[largest]:
            largest = i
    for a in range(size):
        planes[0, a] = vectors[smallest, a]
        planes[1, a] = vectors[largest, a]
    solve_upper(L_J, size, planes[0])
    solve_upper(L_J, size, planes[1])


@compiled
def _largest_ratio(numerator, denominator, alpha, size, plane):
    """Write the z that maximises z'numerator z / z'(denominator + alpha I)z.

    Return whether the denominator is regular.
    """
    ridged, L = np.empty((size, size)), np.empty((size, size))
    for a in range(size):
        for b in range(size):
            ridged[a, b] = denominator[a, b]
        ridged[a, a] += alpha
    if not cholesky(ridged, size, np.zeros(size), 0.0, L):
        return False
    planes = np.empty((2, size))
    _extreme_ratios(numerator, L, size, planes)
    for a in range(size):
        plane[a] = planes[1, a]
    return True


@compiled
def _null_plane(own, other, size, plane):
    """Write the unit z in the null space of `own` that maximises z'other z.

    If `own` is regular, the z that maximises z'other z / z'own z is written instead. Return whether
    there is such a z.
    """
    A, vectors = np.empty((size, size)), np.empty((size, size))
    values, work = np.empty(size), np.empty((2, size))
    for a in range(size):
        for b in range(size):
            A[a, b] = own[a, b]
    symmetric_eigen(A, size, values, vectors, work)
    limit = 0.0
    for a in range(size):
        limit = max(limit, RANK_TOL * values[a])
    rank = np.int64(0)
    for i in range(size):
        if values[i] <= limit:
            for a in range(size):
                vectors[rank, a] = vectors[i, a]
            rank += 1
    if rank == 0:
        return _largest_ratio(other, own, 0.0, size, plane)
    projected, inner = np.zeros((rank, rank)), np.empty((rank, rank))
    for i in range(rank):
        for j in range(rank):
            for a in range(size):
                for b in range(size):
                    projected[i, j] += vectors[i, a] * other[a, b] * vectors[j, b]
    symmetric_eigen(projected, rank, values, inner, work)
    top = 0
    for i in range(rank):
        if values[i] > values[top]:
            top = i
    if values[top] <= limit:
        return False
    for a in range(size):
        plane[a] = 0.0
        for i in range(rank):
            plane[a] += inner[top, i] * vectors[i, a]
    return True


@compiled
def _scale(plane, n_drawn):
    """Scale the plane to a unit normal whose largest entry is positive.

    Return whether the plane has a normal.
    """
    norm, largest = 0.0, 0
    for a in range(n_drawn):
        norm += plane[a] * plane[a]
        if abs(plane[a]) > abs(plane[largest]):
            largest = a
    # Without this bound, a plane with almost no normal would get an infinite offset.
    if not norm > 1e-20 * plane[n_drawn] * plane[n_drawn] or not np.isfinite(norm):
        return False
    factor = 1.0 / np.sqrt(norm)
    if plane[largest] < 0.0:
        factor = -factor
    for a in range(n_drawn + 1):
        plane[a] *= factor
    return True
