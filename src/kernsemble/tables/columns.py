"""What the columns of a table hold: numbers or categories, and whether values may be missing."""

from typing import NamedTuple

import numpy as np

#: A category with more levels than this enters most distances by the class shares of its levels,
#: not as a mismatch: nearly every pair of rows mismatches, which tells little.
MANY_LEVELS = 30

#: Roles of columns; see `Columns`.
COMMON, SHARES, LEVELS = 0, 1, 2


class Columns(NamedTuple):
    """The kinds of the columns of an array of floats.

    A column of categories holds the codes 0, …, n_levels - 1 of its levels. A missing value, and a
    level that was not seen in training, is NaN.

    Parameters
    ----------
    n_levels : ndarray of int of shape (n_features,)
        Number of levels of every column; 0 means that the column holds numbers.
    has_missing : ndarray of bool of shape (n_features,)
        Whether values of the training rows are missing. New rows may lack values anywhere.
    roles : ndarray of int of shape (n_features,), default=None
        `SHARES` for class shares that stand beside the levels they belong to, `LEVELS` for these,
        `COMMON` for all other columns; None means `COMMON`. From levels and their class shares
        together a model could tell the labels of the fold that the shares leave out, so it may use
        either (`by_levels`, `by_shares`), never both.

    Examples
    --------
    >>> columns = Columns(np.array([0, 3]), np.array([False, True]))
    >>> columns.categories, columns.is_plain
    (array([1]), False)
    >>> Columns.plain(2).is_plain
    True
    """

    n_levels: np.ndarray
    has_missing: np.ndarray
    roles: np.ndarray | None = None

    @classmethod
    def plain(cls, n_features):
        """Return columns of numbers, none of them missing."""
        return cls(np.zeros(n_features, dtype=np.intp), np.zeros(n_features, dtype=bool))

    @property
    def is_plain(self):
        """Whether all values are known numbers."""
        return not (self.n_levels.any() or self.has_missing.any())

    @property
    def numbers(self):
        """Positions of the columns of numbers."""
        return np.flatnonzero(self.n_levels == 0)

    @property
    def categories(self):
        """Positions of the columns of categories."""
        return np.flatnonzero(self.n_levels)

    @property
    def has_pairs(self):
        """Whether there are levels beside their class shares, of which a model may use either."""
        return self.roles is not None

    @property
    def by_shares(self):
        """Positions of the columns without the levels that class shares stand for."""
        return self._without(LEVELS)

    @property
    def by_levels(self):
        """Positions of the columns without the class shares that stand beside their levels."""
        return self._without(SHARES)

    def _without(self, role):
        every = np.arange(len(self.n_levels))
        return every if self.roles is None else every[self.roles != role]

    def take(self, positions):
        """Return what some columns hold, among which are no levels beside their class shares."""
        return Columns(self.n_levels[positions], self.has_missing[positions])
