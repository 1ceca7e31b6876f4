"""Some rows of a table with their classes and weights."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from ..targets import encode_targets

# Largest number of rows × classes in a block of rows.
BLOCK_SCORES = 1 << 22


class Rows(NamedTuple):
    """Consecutive or chosen rows with their classes and weights.

    Parameters
    ----------
    start : int
        Number of the first row in its table, if the rows are consecutive.
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
        The rows.
    codes : ndarray of int of shape (n_rows,)
        Classes 0, …, n_classes - 1.
    sample_weight : ndarray of shape (n_rows,) or None
        Positive weights; None means that every row has weight 1.
    n_classes : int
        Number of classes of the whole table.
    copies : ndarray of shape (n_rows,) or None, default=None
        Number of equal rows that each row stands for; its weight is the sum of theirs. None means
        that every row stands for itself.
    """

    start: int
    X: Any
    codes: np.ndarray
    sample_weight: np.ndarray | None
    n_classes: int
    copies: np.ndarray | None = None

    @property
    def n_rows(self):
        return len(self.codes)

    @property
    def weights(self):
        """The sample weights, or ones if there are none."""
        return np.ones(self.n_rows) if self.sample_weight is None else self.sample_weight

    @property
    def left_out(self):
        """The share of a row's weight that one of its copies has, or None if it has no copies.

        Leaving one row out leaves out this share.
        """
        return None if self.copies is None else 1.0 / self.copies

    def one_copy(self):
        """Return the rows, each standing for one of its copies."""
        if self.copies is None:
            return self
        weights = self.weights / self.copies
        return self._replace(sample_weight=weights, copies=None)

    def targets(self, coding):
        """Return the target columns of the classes; see `kernsemble.targets`."""
        return encode_targets(self.codes, self.n_classes, coding)

    def pick(self, chosen):
        """Return the rows at the positions of a slice or an array."""
        start = self.start + (chosen.start or 0) if isinstance(chosen, slice) else self.start
        weights = None if self.sample_weight is None else self.sample_weight[chosen]
        copies = None if self.copies is None else self.copies[chosen]
        return Rows(start, self.X[chosen], self.codes[chosen], weights, self.n_classes, copies)

    def blocks(self, size):
        """Yield the rows, at most `size` at a time, fewer where there are many classes."""
        # Whoever works in blocks keeps several numbers for every row and class of one.
        size = min(size, max(16, BLOCK_SCORES // self.n_classes))
        for batch in gen_batches(self.n_rows, size):
            yield self.pick(batch)


def stack_rows(parts):
    """Return the rows of all parts in one `Rows`."""
    parts = list(parts)
    first = parts[0]
    if len(parts) == 1:
        return first
    stack = sparse.vstack if sparse.issparse(first.X) else np.concatenate
    weights = None
    if first.sample_weight is not None:
        weights = np.concatenate([part.sample_weight for part in parts])
    return Rows(
        first.start,
        stack([part.X for part in parts]),
        np.concatenate([part.codes for part in parts]),
        weights,
        first.n_classes,
    )
