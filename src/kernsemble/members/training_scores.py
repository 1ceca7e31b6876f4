"""The scores of the training rows by all members, in blocks: what a level-one solver reads."""

from functools import partial
from typing import NamedTuple

import numpy as np

from .subset import MemberBank, SubsetMember

__all__ = ["ScoreRule", "ScoredRows", "TrainingScores"]

BLOCK_BYTES = 1 << 25
# Scores that are kept between passes; what is larger is computed again in every pass.
KEPT_BYTES = 1 << 29
# Rows that give the mean score of a member.
MEAN_ROWS = 2000


class ScoreRule(NamedTuple):
    """How members speak about training rows.

    Where only members that did not see a row may speak, the others are at their mean, and those
    that may speak deviate from their mean by n / (n - l) times as much, for l of n rows in a
    subset: the sum over members then has the size it has for new rows.

    Attributes
    ----------
    bank : MemberBank
    seen : tuple of two ndarrays, or None
        Pairs (row, member) where the member was fitted to the row, sorted by row; None lets all
        members speak.
    means : ndarray of shape (n_outputs, n_members, 1) or None
    louder : float
    """

    bank: MemberBank
    seen: tuple | None = None
    means: np.ndarray | None = None
    louder: float = 1.0

    def scores(self, rows):
        """Return the scores of consecutive rows, of shape (n_outputs, n_members, n_rows)."""
        Z = self.bank.scores(rows.X)
        if self.seen is not None:
            of_row, of_member = self.seen
            part = slice(*np.searchsorted(of_row, [rows.start, rows.start + rows.n_rows]))
            Z -= self.means
            Z *= self.louder
            Z[:, of_member[part], of_row[part] - rows.start] = 0.0
            Z += self.means
        return Z

    def renumbered(self, numbers):
        """Return the rule for a table that has only some rows, given in rising order."""
        if self.seen is None:
            return self
        of_row, of_member = self.seen
        places = np.searchsorted(numbers, of_row)
        taken = numbers[np.minimum(places, len(numbers) - 1)] == of_row
        return self._replace(seen=(places[taken], of_member[taken]))


class ScoredRows:
    """The scores of some rows in blocks, kept between passes where they are few."""

    def __init__(self, rule, rows):
        self.rule, self.rows = rule, rows
        self._kept: dict[int, np.ndarray] = {}

    def blocks(self, scores=True):
        """Yield (Z, t, s): scores of shape (n_outputs, n_members, n_rows), targets, weights.

        Without `scores` Z is None, and nothing is computed.
        """
        bank = self.rule.bank
        row_bytes = bank.dtype.itemsize * bank.n_outputs * bank.n_members
        keep = row_bytes * self.rows.n_rows <= KEPT_BYTES
        for block in self.rows.blocks(max(256, BLOCK_BYTES // row_bytes)):
            Z = self._kept.get(block.start) if scores else None
            if scores and Z is None:
                Z = self.rule.scores(block)
                if keep:
                    self._kept[block.start] = Z
            T = block.targets(SubsetMember.coding)
            yield Z, np.ascontiguousarray(T.T), block.weights


class TrainingScores:
    """Scores of the training rows, wherever they are.

    Parameters
    ----------
    table : Table
    fits : list of SubsetFit
    out_of_subset : bool
        Whether members are silent about the rows of their own subset.

    Attributes
    ----------
    parts : object with `total` and `scan`
        Functions see its parts as `ScoredRows`; this is what `kernsemble.solvers.stacking` reads.
    """

    def __init__(self, table, fits, *, out_of_subset):
        self.table, size = table, fits[0].rows.size
        self.rule = ScoreRule(MemberBank([fit.member for fit in fits]))
        # Members of all rows have no row left to be honest about.
        if out_of_subset and size < table.n_rows:
            some = np.arange(0, table.n_rows, -(-table.n_rows // MEAN_ROWS))
            self.rule = self.rule._replace(
                seen=_seen_rows(fits),
                means=self.rule.bank.scores(table[some]).mean(axis=2, keepdims=True),
                louder=table.n_rows / (table.n_rows - size),
            )
        self.parts = table.through(partial(ScoredRows, self.rule))

    @property
    def shape(self):
        """Numbers of outputs and of members."""
        return self.rule.bank.n_outputs, self.rule.bank.n_members

    def sample(self, numbers):
        """Return the `ScoredRows` of some rows, whose numbers are given in rising order."""
        if self.table.in_memory and len(numbers) == self.table.n_rows:
            return self.parts.part
        rows = self.table.rows(numbers)._replace(start=0)
        return ScoredRows(self.rule.renumbered(numbers), rows)


def _seen_rows(fits):
    """Return the pairs (row, member) where the member was fitted to the row, sorted by row."""
    of_row = np.concatenate([fit.rows for fit in fits])
    of_member = np.repeat(np.arange(len(fits)), [fit.rows.size for fit in fits])
    order = np.argsort(of_row, kind="stable")
    return of_row[order], of_member[order]
