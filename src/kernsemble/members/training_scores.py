"""The scores of the training rows by all members, in blocks: what a level-one solver reads."""

import numpy as np
from sklearn.utils import gen_batches

from .subset import MemberBank

__all__ = ["TrainingScores"]

BLOCK_BYTES = 1 << 25
# Scores that are kept between passes; what is larger is computed again in every pass.
KEPT_BYTES = 1 << 29
# Rows that give the mean score of a member.
MEAN_ROWS = 2000


class TrainingScores:
    """Scores of rows by members.

    Where only members that did not see a row may speak, the others are at their mean, and those
    that may speak deviate from their mean by n / (n - l) times as much, for l of n rows in a
    subset: the sum over members then has the size it has for new rows.

    Parameters
    ----------
    fits : list of SubsetFit
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    sample_weight : ndarray of shape (n_samples,) or None
    out_of_subset : bool
        Whether members are silent about the rows of their own subset.
    """

    def __init__(self, fits, X, T, sample_weight, *, out_of_subset):
        self.bank = MemberBank([fit.member for fit in fits])
        self.X = X
        self.t = np.ascontiguousarray(T.T)
        self.s = np.ones(len(T)) if sample_weight is None else sample_weight
        size = fits[0].rows.size
        self.seen = self.means = None
        # Members of all rows have no row left to be honest about.
        if out_of_subset and size < len(T):
            self.louder = len(T) / (len(T) - size)
            self.seen = _seen_rows(fits)
            some = slice(None, None, -(-len(T) // MEAN_ROWS))
            self.means = self.bank.scores(X[some]).mean(axis=2, keepdims=True)
        self._kept = {}

    @property
    def shape(self):
        """Numbers of outputs and of members."""
        return len(self.t), self.bank.n_members

    @property
    def n_rows(self):
        return self.s.size

    def take(self, rows):
        """Return the scores of some rows, given in rising order."""
        part = object.__new__(TrainingScores)
        part.__dict__.update(self.__dict__)
        part.X, part.t, part.s, part._kept = self.X[rows], self.t[:, rows], self.s[rows], {}
        if self.seen is not None:
            of_row, of_member = self.seen
            places = np.full(self.n_rows, -1)
            places[rows] = np.arange(len(rows))
            taken = places[of_row] >= 0
            part.seen = places[of_row[taken]], of_member[taken]
        return part

    def blocks(self, scores=True):
        """Yield (Z, t, s): scores of shape (n_outputs, n_members, n_rows), targets, weights.

        Without `scores` Z is None, and nothing is computed.
        """
        row_bytes = self.bank.dtype.itemsize * self.shape[0] * self.shape[1]
        keep = row_bytes * self.n_rows <= KEPT_BYTES
        for rows in gen_batches(self.n_rows, max(256, BLOCK_BYTES // row_bytes)):
            Z = self._kept.get(rows.start) if scores else None
            if scores and Z is None:
                Z = self._compute(rows)
                if keep:
                    self._kept[rows.start] = Z
            yield Z, self.t[:, rows], self.s[rows]

    def _compute(self, rows):
        Z = self.bank.scores(self.X[rows])
        if self.seen is not None:
            of_row, of_member = self.seen
            part = slice(*np.searchsorted(of_row, [rows.start, rows.stop]))
            Z -= self.means
            Z *= self.louder
            Z[:, of_member[part], of_row[part] - rows.start] = 0.0
            Z += self.means
        return Z


def _seen_rows(fits):
    """Return the pairs (row, member) where the member was fitted to the row, sorted by row."""
    of_row = np.concatenate([fit.rows for fit in fits])
    of_member = np.repeat(np.arange(len(fits)), [fit.rows.size for fit in fits])
    order = np.argsort(of_row, kind="stable")
    return of_row[order], of_member[order]
