"""Feature matrices of several kernel spaces, read in blocks of rows, and their second moments.

In kernel space l the rows have a feature matrix Phi_l of shape (n_rows, r_l). Solvers read all
spaces together, block by block, from any object with

* `n_rows`, and `ranks`, the r_l;
* `projections`, one matrix P_l per space, where None means the identity;
* `blocks()`, which yields `(rows, [Z_1, ..., Z_M])` with `Phi_l[rows] = Z_l @ P_l`.

With a projection, a product with Phi_l takes two thin products, and Phi_l itself is never formed.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from ..tables import Whole

BLOCK_BYTES = 1 << 22


class HeldSpaces:
    """Feature matrices held in memory, one per space."""

    def __init__(self, arrays):
        self.arrays = [np.asarray(Z) for Z in arrays]
        self.n_rows = self.arrays[0].shape[0]
        self.ranks = [Z.shape[1] for Z in self.arrays]
        self.projections = [None] * len(self.arrays)
        # A block that fits into the cache is read once for both products of an iteration.
        size = max(256, BLOCK_BYTES // (8 * max(self.ranks)))
        self._batches = list(gen_batches(self.n_rows, size))

    def blocks(self):
        for rows in self._batches:
            yield rows, [Z[rows] for Z in self.arrays]


class MappedRows(NamedTuple):
    """Rows as the solvers see them.

    Attributes
    ----------
    spaces : object that yields row blocks
    T : ndarray of shape (n_rows, n_columns)
    sample_weight : ndarray of shape (n_rows,)
    atom : ndarray of int of shape (n_rows,)
        Number of the group that each row belongs to; see `row_atoms`.
    """

    spaces: Any
    T: np.ndarray
    sample_weight: np.ndarray
    atom: np.ndarray


class Problem(NamedTuple):
    """The rows of a problem in several spaces, in one or more parts.

    Attributes
    ----------
    parts : object with `total` and `scan`
        It passes `MappedRows` to functions; see `kernsemble.tables`.
    n_rows : int
    ranks : list of int
        Number of features of each space.
    members : bool ndarray of shape (n_atoms, n_columns)
        Whether a group of rows takes part in a target column.
    held : MappedRows or None
        All rows, if their feature matrices are held in memory.
    """

    parts: Any
    n_rows: int
    ranks: list
    members: np.ndarray
    held: MappedRows | None

    def total(self, function, *args):
        return self.parts.total(function, *args)

    def scan(self, function, states, *args):
        return self.parts.scan(function, states, *args)


def problem_of(spaces, T, sample_weight=None):
    """Return the `Problem` of rows in a single part.

    `spaces` is a list of feature matrices or an object that yields blocks. See `MappedRows` for the
    other arguments.
    """
    spaces = spaces if hasattr(spaces, "blocks") else HeldSpaces(spaces)
    weights = np.ones(spaces.n_rows) if sample_weight is None else sample_weight
    atom, members = row_atoms(T)
    rows = MappedRows(spaces, T, weights, atom)
    held = rows if hasattr(spaces, "arrays") else None
    return Problem(Whole(rows), spaces.n_rows, spaces.ranks, members, held)


def row_atoms(T):
    """Group the rows by the set of target columns that they take part in.

    The rows of every column are a union of these groups, the atoms (of classes, for one-vs-one
    targets), and its moments are the sum of theirs.

    Returns
    -------
    atom : ndarray of shape (n_rows,)
    members : bool ndarray of shape (n_atoms, n_columns)
    """
    packed = np.packbits(T != 0, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, atom = np.unique(keys, return_index=True, return_inverse=True)
    return atom, T[first] != 0


def partial_moments(mapped, n_atoms):
    """Sum [Phi_l, 1]' diag(sample_weight) [Phi_l, 1] over the rows of each atom, for each space.

    Returns one array of shape (n_atoms, r_l + 1, r_l + 1) per space. The moments of disjoint chunks
    of `MappedRows` add up.
    """
    spaces, _, sample_weight, atom = mapped
    sums = [np.zeros((n_atoms, rank + 1, rank + 1)) for rank in spaces.ranks]
    for rows, blocks in spaces.blocks():
        root = np.sqrt(sample_weight[rows])
        atom_rows = [np.flatnonzero(atom[rows] == a) for a in range(n_atoms)]
        for total, Z, P in zip(sums, blocks, spaces.projections):
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
