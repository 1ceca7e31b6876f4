"""Quadratic penalties w' R w on the coefficients of a space.

A ridge is given by its strength, a float. A locality penalty keeps the outputs of close rows of one
class close, and a discriminative one also pushes the class means apart. Both are zero for constant
outputs, so intercepts are not penalised.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, eigvalsh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import laplacian
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

#: Largest number of classes with no more pairs than classes.
FEW_CLASSES = 3


def penalty_product(R, W):
    """Return R W, where a float R means R times the identity."""
    return R @ W if np.ndim(R) else R * W


def add_penalty(A, R):
    """Add R to the leading block of A in place; the last row and column are the intercept's."""
    r = len(A) - 1
    if np.ndim(R):
        A[:r, :r] += R
    else:
        A[np.arange(r), np.arange(r)] += R
    return A


def mean_squared_distance(Z):
    """Return the mean of |z_i - z_j|² over all pairs of rows."""
    centred = Z - Z.mean(axis=0)
    return max(2.0 * np.einsum("ij,ij->", centred, centred) / len(Z), np.finfo(float).tiny)


def class_laplacians(Z, codes, n_neighbors, scale, sample_weight=None):
    """Return the graph Laplacian of each class with edge weights exp(-|z_i - z_j|² / (2 scale)).

    Parameters
    ----------
    Z : ndarray of shape (n_rows, r)
    codes : ndarray of shape (n_rows,)
        Class numbers.
    n_neighbors : int or None
        Rows are joined when one is among the nearest neighbours of the other in its class; None
        joins all rows of a class.
    scale : float
    sample_weight : ndarray of shape (n_rows,), default=None
        The edge between rows i and j is multiplied by s_i s_j.

    Returns
    -------
    graph : list of (rows, laplacian)
        One pair per class of at least two rows; a single row has no edges. The Laplacian is sparse
        if the number of neighbours is limited.
    """
    graph = []
    for code in np.flatnonzero(np.bincount(codes) > 1):
        rows = np.flatnonzero(codes == code)
        weights = _heat_weights(Z[rows], n_neighbors, scale)
        if sample_weight is not None:
            s = sample_weight[rows]
            weights = weights * s[:, None] * s[None, :]
        graph.append((rows, laplacian(weights)))
    return graph


def _heat_weights(Z, n_neighbors, scale):
    n = len(Z)
    if n_neighbors is None or n_neighbors >= n - 1:
        weights = np.exp(pairwise_distances(Z, metric="sqeuclidean") / (-2.0 * scale))
        np.fill_diagonal(weights, 0.0)
        return weights
    search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(Z)
    distances, neighbors = search.kneighbors()
    heat = np.exp(distances.ravel() ** 2 / (-2.0 * scale))
    directed = csr_array(
        (heat, (np.repeat(np.arange(n), n_neighbors), neighbors.ravel())), shape=(n, n)
    )
    return directed.maximum(directed.T)


def locality(Z, graph):
    """Return Z' L Z, the quadratic form of half the sum of weight (f_i - f_j)² over the edges."""
    nothing = np.zeros((Z.shape[1], Z.shape[1]))
    return sum((Z[rows].T @ (L @ Z[rows]) for rows, L in graph), start=nothing)


def mean_differences(Z, codes, scale, sample_weight=None):
    """Return D such that D'D is the matrix M' H M of the paper.

    For few classes its rows are the differences of class means, each times the root of its heat
    weight. For many there are as many rows as classes, from the eigenvectors of the Laplacian H.
    """
    s = np.ones(len(Z)) if sample_weight is None else sample_weight
    classes = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    means = np.array([np.average(Z[rows], axis=0, weights=s[rows]) for rows in classes])
    if len(means) > FEW_CLASSES:
        values, vectors = eigh(laplacian(_heat_weights(means, None, scale)), driver="evd")
        return np.sqrt(np.maximum(values, 0.0))[:, None] * (vectors.T @ means)
    p, q = np.triu_indices(len(means), 1)
    D = means[p] - means[q]
    heat = np.exp(np.einsum("ij,ij->i", D, D) / (-2.0 * scale))
    return np.sqrt(heat)[:, None] * D


def discriminative_locality(alpha, beta, gamma, within, D):
    """Return R = alpha I + beta (within - gamma D'D) and the gamma used, for which R is definite.

    If R were not definite the objective would have no minimum, because distant class means would
    outweigh any loss. A gamma beyond the bound is replaced by nine tenths of the bound.
    """
    R = beta * within
    R[np.diag_indices_from(R)] += alpha
    if beta * gamma > 0 and len(D):
        spread = D @ cho_solve(cho_factor(R, lower=True), D.T)
        largest = eigvalsh(spread, subset_by_index=[len(D) - 1, len(D) - 1])[0]
        bound = 1.0 / (beta * largest) if largest > 0 else 0.0
        gamma = float(gamma) * bound if isinstance(gamma, Share) else min(gamma, 0.9 * bound)
        R -= (beta * gamma) * (D.T @ D)
    return R, float(gamma)


class Share(float):
    """A number that is relative to what the data suggest; see `Locality`."""


class Locality(NamedTuple):
    """How outputs are kept in place.

    Attributes
    ----------
    beta : float or Share
        Strength; a `Share` is multiplied by the ratio of the squared coordinates to the penalty
        that unit coefficients have.
    gamma : float or Share
        Weight of the class means; a `Share` is multiplied by the largest one that leaves the
        penalty positive definite.
    n_neighbors : int or None
    """

    beta: float
    gamma: float
    n_neighbors: int | None


class LocalityPenalty:
    """The (discriminative) locality penalty of one space, for any target column.

    Only the classes that take part in a column of `T` count, so a pair of classes has its own graph
    and two means. The attributes `beta` and `gamma` are the smallest values used so far.
    """

    def __init__(self, Z, T, codes, alpha, locality, sample_weight):
        self.Z, self.T, self.codes, self.alpha = Z, T, codes, alpha
        self.asked, self.beta, self.gamma = locality, np.inf, np.inf
        self.sample_weight = np.ones(len(Z)) if sample_weight is None else sample_weight
        self.scale = mean_squared_distance(Z)
        self.graph = class_laplacians(Z, codes, locality.n_neighbors, self.scale, sample_weight)
        self.last: Any = (None, None)

    def __call__(self, column):
        taking_part = self.T[:, column] != 0
        if self.last[0] is not None and np.array_equal(self.last[0], taking_part):
            return self.last[1]
        within = locality(self.Z, [part for part in self.graph if taking_part[part[0][0]]])
        rows = np.flatnonzero(taking_part)
        Z, s = self.Z[rows], self.sample_weight[rows]
        beta, gamma, _ = self.asked
        if isinstance(beta, Share):
            size, penalty = s @ np.einsum("ij,ij->i", Z, Z), np.trace(within)
            # Where all rows are equal there is nothing to keep in place.
            beta = float(beta) * size / penalty if penalty > 1e-12 * size else 0.0
        D = mean_differences(Z, self.codes[rows], self.scale, s)
        R, gamma = discriminative_locality(self.alpha, beta, gamma, within, D)
        self.beta, self.gamma = min(self.beta, beta), min(self.gamma, gamma)
        self.last = taking_part, R
        return R
