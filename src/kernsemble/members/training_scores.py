"""The scores of the training rows by all members, in blocks: what a level-one solver reads."""

import numpy as np
from sklearn.utils import gen_batches

from .subset import MemberBank

__all__ = ["TrainingScores"]

BLOCK_BYTES = 1 << 25
# Scores that are kept between passes; what is larger is computed again in every pass.
KEPT_BYTES = 1 << 29


class TrainingScores:
    """Scores of rows by members.

    Parameters
    ----------
    fits : list of SubsetFit
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    sample_weight : ndarray of shape (n_samples,) or None
    honest : bool
        Whether a member scores the rows of its own subset by the machines fitted without them.
    """

    def __init__(self, fits, X, T, sample_weight, *, honest):
        self.bank = MemberBank([fit.member for fit in fits])
        self.X = X
        self.t = np.ascontiguousarray(T.T)
        self.s = np.ones(len(T)) if sample_weight is None else sample_weight
        self.own = _own_scores(fits) if honest else None
        self._kept = None

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
        part.bank, part._kept = self.bank, None
        part.X, part.t, part.s = self.X[rows], self.t[:, rows], self.s[rows]
        part.own = None
        if self.own is not None:
            of_row, of_member, values = self.own
            places = np.full(self.n_rows, -1)
            places[rows] = np.arange(len(rows))
            taken = places[of_row] >= 0
            part.own = places[of_row[taken]], of_member[taken], values[taken]
        return part

    def blocks(self, scores=True):
        """Yield (Z, t, s): scores of shape (n_outputs, n_members, n_rows), targets, weights.

        Without `scores` Z is None, and nothing is computed.
        """
        n_outputs, n_members = self.shape
        row_bytes = self.bank.dtype.itemsize * n_outputs * n_members
        keep = row_bytes * self.n_rows <= KEPT_BYTES
        if keep and self._kept is None:
            self._kept = {}
        for number, rows in enumerate(gen_batches(self.n_rows, max(256, BLOCK_BYTES // row_bytes))):
            Z = None
            if scores:
                Z = self._kept.get(number) if keep else None
                if Z is None:
                    Z = self._compute(rows)
                    if keep:
                        self._kept[number] = Z
            yield Z, self.t[:, rows], self.s[rows]

    def _compute(self, rows):
        Z = self.bank.scores(self.X[rows])
        if self.own is not None:
            of_row, of_member, values = self.own
            part = slice(*np.searchsorted(of_row, [rows.start, rows.stop]))
            Z[:, of_member[part], of_row[part] - rows.start] = values[part].T
        return Z


def _own_scores(fits):
    """Return (row, member, scores) of every row that a member was fitted to, sorted by row."""
    of_row = np.concatenate([fit.rows for fit in fits])
    of_member = np.repeat(np.arange(len(fits)), [fit.rows.size for fit in fits])
    order = np.argsort(of_row, kind="stable")
    values = np.concatenate([fit.left_out for fit in fits])
    return of_row[order], of_member[order], values[order]
