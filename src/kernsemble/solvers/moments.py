"""Feature matrices of several views, read in row blocks, and their second moments.

A *view* of the data is a feature matrix Phi_l of shape (n_rows, r_l). Solvers read all views
together, block by block, from any object with

* `n_rows`, and `ranks`, the r_l;
* `projections`, one matrix P_l (or None, the identity) per view;
* `blocks()`, which yields `(rows, [Z_1, ..., Z_M])` with `Phi_l[rows] = Z_l @ P_l`.

With a projection, products with Phi_l cost two thin products and Phi_l itself is never built.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

__all__ = ["DenseViews", "OnePart", "ViewedRows", "as_views", "partial_moments", "row_atoms"]


BLOCK_BYTES = 1 << 22


class DenseViews:
    """Feature matrices held in memory, one per view."""

    def __init__(self, arrays):
        self.arrays = [np.asarray(Z) for Z in arrays]
        self.n_rows = self.arrays[0].shape[0]
        self.ranks = [Z.shape[1] for Z in self.arrays]
        self.projections = [None] * len(self.arrays)

    def blocks(self):
        # Blocks that stay in the cache are read once for both products of an iteration.
        size = max(256, BLOCK_BYTES // (8 * max(self.ranks)))
        for rows in gen_batches(self.n_rows, size):
            yield rows, [Z[rows] for Z in self.arrays]


def as_views(views):
    """Wrap a list of feature matrices; anything that yields blocks passes through."""
    return views if hasattr(views, "blocks") else DenseViews(views)


class ViewedRows(NamedTuple):
    """Rows as the solvers see them.

    Attributes
    ----------
    views : object that yields row blocks
    T : ndarray of shape (n_rows, n_columns)
    sample_weight : ndarray of shape (n_rows,)
    atom : ndarray of int of shape (n_rows,)
        See `row_atoms`.
    """

    views: Any
    T: np.ndarray
    sample_weight: np.ndarray
    atom: np.ndarray


class OnePart:
    """All rows at once: the shape of a problem whose rows are in memory.

    A problem in many parts (chunks of a file, or on other machines) has the same attributes and
    methods, and adds up what the functions return for its parts.

    Attributes
    ----------
    ranks : list of int
    n_rows : int
    members : bool ndarray of shape (n_atoms, n_columns)
    """

    def __init__(self, views, T, sample_weight):
        self.ranks, self.n_rows = views.ranks, views.n_rows
        atom, self.members = row_atoms(T)
        self.rows = ViewedRows(views, T, sample_weight, atom)

    def total(self, function, *args):
        """Return the sum of `function(viewed_rows, *args)` over the parts."""
        return function(self.rows, *args)

    def scan(self, function, states, *args):
        """Return the sum, and the next state of every part; see `kernsemble.tables`."""
        return function(self.rows, states, *args)


def row_atoms(T):
    """Number the rows by the set of target columns they take part in.

    Every column's rows are then a union of atoms (of classes, for one-vs-one targets), and its
    moments a sum of theirs.

    Returns
    -------
    atom : ndarray of shape (n_rows,)
    members : bool ndarray of shape (n_atoms, n_columns)
    """
    packed = np.packbits(T != 0, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, atom = np.unique(keys, return_index=True, return_inverse=True)
    return atom, T[first] != 0


def partial_moments(views, atom, n_atoms, sample_weight):
    """Sum [Phi_l, 1]' diag(sample_weight) [Phi_l, 1] over the rows of each atom, for each view.

    Moments of disjoint chunks of rows (read from disk, or on other machines) simply add up.

    Parameters
    ----------
    views : list of ndarray, or an object that yields row blocks
    atom : ndarray of shape (n_rows,)
        Number of the group a row belongs to.
    n_atoms : int
    sample_weight : ndarray of shape (n_rows,)

    Returns
    -------
    moments : list of ndarray of shape (n_atoms, r_l + 1, r_l + 1)
    """
    views = as_views(views)
    sums = [np.zeros((n_atoms, rank + 1, rank + 1)) for rank in views.ranks]
    for rows, blocks in views.blocks():
        root = np.sqrt(sample_weight[rows])
        atom_rows = [np.flatnonzero(atom[rows] == a) for a in range(n_atoms)]
        for total, Z, P in zip(sums, blocks, views.projections):
            Phi = Z if P is None else Z @ P
            for a, chosen in enumerate(atom_rows):
                if len(chosen) == len(Phi):
                    total[a] += augmented_gram(Phi, root)
                elif len(chosen):
                    total[a] += augmented_gram(Phi[chosen], root[chosen])
    return sums


def augmented_gram(Phi, root):
    """Return [Phi, 1]' diag(root²) [Phi, 1]."""
    r = Phi.shape[1]
    C = np.empty((r + 1, r + 1))
    scaled = Phi * root[:, None].astype(Phi.dtype, copy=False)
    C[:r, :r] = scaled.T @ scaled
    C[r, :r] = C[:r, r] = root @ scaled
    C[r, r] = root @ root
    return C
