"""The scores of the training rows by all members, in blocks, for a level-one solver."""

from functools import partial
from typing import NamedTuple

import numpy as np

from .subset import MemberBank, SubsetMember

BLOCK_BYTES = 1 << 25
# Scores that take no more memory than this are kept between passes; others are computed again.
KEPT_BYTES = 1 << 29
# Number of rows from which the mean score of a member is computed.
MEAN_ROWS = 2000


class ScoreRule(NamedTuple):
    """How training rows are scored by the members of a bank.

    For honest scores, a member gives its mean score to the rows of its own subset. Its deviations
    from the mean for other rows are multiplied by n / (n - l), for subsets of l of the n rows, so
    that the sum over the members has the same size as for new rows.

    Attributes
    ----------
    bank : MemberBank
    seen : tuple of two ndarrays, or None
        Pairs (row, member) in which the member was fitted to the row, sorted by row. None means
        that all members score all rows as they do new rows.
    means : ndarray of shape (n_outputs, n_members, 1) or None
        Mean scores of the members.
    louder : float
        The factor n / (n - l).
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
        """Return the rule for a table of some rows, whose numbers are given in rising order."""
        if self.seen is None:
            return self
        of_row, of_member = self.seen
        places = np.searchsorted(numbers, of_row)
        taken = numbers[np.minimum(places, len(numbers) - 1)] == of_row
        return self._replace(seen=(places[taken], of_member[taken]))


class ScoredRows:
    """The scores of some rows in blocks, which are kept between passes if they are few."""

    def __init__(self, rule, rows):
        self.rule, self.rows = rule, rows
        self._kept: dict[int, np.ndarray] = {}

    def blocks(self, scores=True):
        """Yield scores, targets and weights as `kernsemble.solvers.stacking` reads them."""
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
    """Scores of the training rows of any table.

    Parameters
    ----------
    table : Table
    fits : list of SubsetFit
    out_of_subset : bool
        Whether members give only their mean score to the rows of their own subset.

    Attributes
    ----------
    parts : object with `total` and `scan`
        The table as parts of `ScoredRows`, for `kernsemble.solvers.stacking`.
    """

    def __init__(self, table, fits, *, out_of_subset):
        self.table, size = table, fits[0].rows.size
        self.rule = ScoreRule(MemberBank([fit.member for fit in fits]))
        # Members that were fitted to all rows have no honest scores.
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
        """The numbers of outputs and of members."""
        return self.rule.bank.n_outputs, self.rule.bank.n_members

    def sample(self, numbers):
        """Return the `ScoredRows` of some rows, with numbers in rising order."""
        if self.table.in_memory and len(numbers) == self.table.n_rows:
            return self.parts.part
        rows = self.table.rows(numbers)._replace(start=0)
        return ScoredRows(self.rule.renumbered(numbers), rows)


def _seen_rows(fits):
    """Return the pairs (row, member) in which the member was fitted to the row, sorted by row."""
    of_row = np.concatenate([fit.rows for fit in fits])
    of_member = np.repeat(np.arange(len(fits)), [fit.rows.size for fit in fits])
    order = np.argsort(of_row, kind="stable")
    return of_row[order], of_member[order]
