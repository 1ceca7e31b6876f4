"""Eigenpairs of a weighted Gram matrix, the one expensive step of every closed-form learner.

A dense eigendecomposition costs O(n³) with a large constant. Two kinds of Gram matrix are cheaper,
and both are common in a grid of kernel widths. Wide kernels have a numerical rank far below n, and
narrow ones are zero between many groups of rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import svd
from scipy.sparse.csgraph import connected_components

from ..threads import threads_by_rows
from .lapack import eigenpairs, pivoted_factor

EPS = np.finfo(float).eps
#: Largest cosine between columns that count as orthogonal.
ORTHOGONAL = 1e-10


class Spectrum(NamedTuple):
    """Eigenpairs of S^½ K S^½ = vectors · diag(values) · vectors', and `root` = s^½.

    When there are fewer vectors than rows, the other values are zero, and the vectors of tiny
    values are accurate only as the product vectors · sqrt(values).
    """

    vectors: np.ndarray
    values: np.ndarray
    root: np.ndarray


@threads_by_rows()
def gram_spectrum(K, sample_weight=None):
    """Return the `Spectrum` of a Gram matrix.

    Negative eigenvalues are rounding errors and become 0. None as `sample_weight` s means ones.
    """
    root = np.ones(len(K)) if sample_weight is None else np.sqrt(sample_weight)
    scaled = K if sample_weight is None else K * np.outer(root, root)
    groups = _independent_groups(scaled)
    if groups is None:
        vectors, values = _connected_pairs(scaled)
        return Spectrum(vectors, values, root)
    # A group of one row has a unit eigenvector; the larger groups overwrite their rows.
    vectors, values = np.eye(len(K)), np.diagonal(scaled).copy()
    for rows in groups:
        block = np.ix_(rows, rows)
        values[rows], vectors[block] = _eigh(scaled[block])
    return Spectrum(vectors, values, root)


@threads_by_rows()
def feature_spectrum(Z, sample_weight=None):
    """Return the `Spectrum` of the linear kernel Z Z' without forming it when Z is tall."""
    n, d = Z.shape
    if d >= n:
        return gram_spectrum(Z @ Z.T, sample_weight)
    root = np.ones(n) if sample_weight is None else np.sqrt(sample_weight)
    vectors, singular, _ = svd(root[:, None] * Z, full_matrices=False, check_finite=False)
    return Spectrum(vectors, singular**2, root)


def leading_spectra(Z, numbers, sample_weight=None):
    """Return for each number the `Spectrum` of the linear kernel of so many leading columns of Z.

    Coordinates of kernel PCA have orthogonal columns, whose directions are the eigenvectors.
    """
    root = np.ones(len(Z)) if sample_weight is None else np.sqrt(sample_weight)
    scaled = root[:, None] * Z
    gram = scaled.T @ scaled
    values = np.diagonal(gram)
    lengths = np.sqrt(np.where(values > 0.0, values, 1.0))
    cosines = gram / np.outer(lengths, lengths)
    np.fill_diagonal(cosines, 0.0)
    if Z.shape[1] >= len(Z) or np.abs(cosines).max(initial=0.0) > ORTHOGONAL:
        return [feature_spectrum(Z[:, :number], sample_weight) for number in numbers]
    vectors = scaled / lengths
    return [Spectrum(vectors[:, :number], values[:number], root) for number in numbers]


def _eigh(K):
    values, vectors = eigenpairs(K)
    return np.maximum(values, 0.0), vectors


def _connected_pairs(K):
    Z = _narrow_factor(K)
    if Z is None:
        values, vectors = _eigh(K)
        return vectors, values
    values, V = _eigh(Z.T @ Z)
    kept = values > 0
    # Vectors of tiny values are not orthogonal, but all formulas multiply them by their value.
    return (Z @ V[:, kept]) / np.sqrt(values[kept]), values[kept]


def _independent_groups(K):
    """Return the groups of two or more connected rows, or None if the matrix is dense."""
    linked = np.abs(K) > 0.01 * EPS * np.max(np.diagonal(K))
    # The search pays off only for a matrix with a few links per row.
    if np.count_nonzero(linked) > 8 * len(K):
        return None
    n_groups, label = connected_components(linked, directed=False)
    if n_groups == 1:
        return None
    sizes = np.bincount(label)
    groups = np.split(np.argsort(label, kind="stable"), np.cumsum(sizes)[:-1])
    return [groups[g] for g in np.flatnonzero(sizes > 1)]


def _narrow_factor(K):
    """Return Z with Z Z' = K up to rounding and clearly fewer columns than rows, or None.

    Pivoted Cholesky finds the rank at a tenth of the cost of the eigenvectors. A first try with
    every other row is cheaper still.
    """
    sample = K[::2, ::2]
    if len(sample) < 20 or pivoted_factor(sample)[2] == len(sample):
        return None
    factor, pivots, rank = pivoted_factor(K)
    if rank > 0.6 * len(K):
        return None
    Z = np.empty((len(K), rank))
    Z[pivots] = np.tril(factor[:, :rank])
    return Z
