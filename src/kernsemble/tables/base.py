"""A table: rows with classes and weights, the sums and scans over them, and rows by number.

A method that needs only sums over the rows, and a few rows by their number, is written once for
every kind of table. It passes a function of `Rows` to `total`. In memory the function is called
once with all rows, for a stream it is called with one chunk after the other, and for a dask
collection it runs on the workers that hold the chunks. Rows have the same numbers in every kind of
table, so one seed draws the same rows.
"""

from abc import ABC, abstractmethod
from copy import deepcopy
from functools import cached_property, reduce
from numbers import Integral

import numpy as np

from ..targets import encode_targets
from ..validation import resolve_count
from .class_rows import ClassRows, KnownCodes
from .columns import Columns
from .rows import Rows


class Parts(ABC):
    """Data in one or more parts, over which functions are summed."""

    @abstractmethod
    def total(self, function, *args):
        """Return the sum of `function(part, *args)` over the parts; see `add`."""

    @abstractmethod
    def scan(self, function, states, *args):
        """Return the sum over the parts, and the next state of every part.

        Parameters
        ----------
        function : callable
            `function(part, state, *args)` returns a term of the sum and the next state of the part.
        states : object or None
            The states that the last scan returned. None means that the state of every part is None.
        """


class Whole(Parts):
    """Data in a single part.

    Parameters
    ----------
    part : object
        The data, which functions take as a whole.
    """

    def __init__(self, part):
        self.part = part

    def total(self, function, *args):
        return function(self.part, *args)

    def scan(self, function, states, *args):
        return function(self.part, states, *args)


class Seen(Parts):
    """The parts of a table, each replaced by a function of its rows."""

    def __init__(self, table, look):
        self.table, self.look = table, look

    def total(self, function, *args):
        return self.table.total(_look_and_call, self.look, function, args)

    def scan(self, function, states, *args):
        return self.table.scan(_look_and_scan, states, self.look, function, args)


def _look_and_call(rows, look, function, args):
    return function(look(rows), *args)


def _look_and_scan(rows, state, look, function, args):
    # If the part is computed again on another worker, it must start from the same state.
    return function(look(rows), deepcopy(state), *args)


class Table(Parts):
    """Rows with classes and weights, in memory or elsewhere.

    `table[numbers]` returns the inputs of chosen rows, so a table can replace an array in code that
    reads only its shape and some of its rows.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
        Data type of the inputs.
    classes : ndarray of shape (n_classes,)
        Labels of the classes; codes are positions in this array.
    class_rows : ClassRows
    class_weights : ndarray of shape (n_classes,)
        Sum of the sample weights of each class.
    in_memory : bool
        Whether all rows are in the memory of this process.
    """

    shape: tuple
    dtype: np.dtype
    classes: np.ndarray
    class_rows: ClassRows
    class_weights: np.ndarray
    in_memory = False

    @abstractmethod
    def gather(self, function, *args, finish=None):
        """Return the list of `function(rows, *args)` for all parts, or `finish` of that list."""

    @abstractmethod
    def rows(self, numbers):
        """Return the rows with the given numbers, in that order."""

    @property
    @abstractmethod
    def all(self):
        """All rows, in memory."""

    @property
    @abstractmethod
    def scored_numbers(self):
        """Numbers of the rows that get honest scores: all rows in memory, otherwise a sample."""

    @property
    @abstractmethod
    def scored(self):
        """The rows that get honest scores."""

    @property
    def columns(self):
        """What the columns hold: known numbers, unless a table says otherwise."""
        return Columns.plain(self.shape[1])

    @property
    def n_rows(self):
        return self.shape[0]

    @property
    def n_copies(self):
        """Number of training rows; a row of the table may stand for several."""
        return self.n_rows

    @property
    def n_classes(self):
        return len(self.classes)

    def count(self, value, name):
        """Return how many different rows a count, a share of the rows or None (all) stands for.

        A count may be as large as the number of training rows, copies included.
        """
        if isinstance(value, Integral):
            value = resolve_count(value, name, self.n_copies)
            return min(value, self.n_rows)
        return resolve_count(value, name, self.n_rows)

    def target_sums(self, coding):
        """Return the sum of the weights and the weighted sums of the target columns."""
        targets = encode_targets(np.arange(self.n_classes), self.n_classes, coding)
        return self.class_weights.sum(), self.class_weights @ targets

    def holds(self, n_values):
        """Return whether `n_values` derived values of every row may be held in memory at once."""
        return False

    def through(self, look):
        """Return the parts with `look(rows)` in place of their rows."""
        return Seen(self, look)

    @abstractmethod
    def seen_as(self, view):
        """Return the table whose inputs are `view(X)`, known numbers."""

    def take(self, numbers):
        """Return a table in memory of the rows with the given numbers."""
        return MemoryTable.of(self.rows(numbers), self.classes, self.columns)

    def rows_of_copies(self, copies):
        """Return the numbers of the rows to which copies, numbered in the same order, belong."""
        return copies

    def list_copies(self, most):
        """Return the table in which copies are rows again, and the numbers of the rows they copy.

        The numbers are None if no row has copies. Where there would be more than about `most` rows,
        several copies stay together as one row.
        """
        return self, None

    def take_copies(self, numbers):
        """Return a table in memory of one copy of each row with the given numbers."""
        return MemoryTable.of(self.rows(numbers).one_copy(), self.classes, self.columns)

    def __getitem__(self, numbers):
        return self.rows(numbers).X


class MemoryTable(Whole, Table):
    """A table whose rows are arrays in this process.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
        The rows.
    codes : ndarray of int of shape (n_rows,)
        Positions of their classes in `classes`.
    classes : ndarray of shape (n_classes,)
        The sorted labels.
    sample_weight : ndarray of shape (n_rows,), default=None
        Positive weights; None means that every row has weight 1.
    columns : Columns, default=None
        What the columns hold; None means numbers, none of them missing.
    copies : ndarray of shape (n_rows,), default=None
        Number of equal rows that each row stands for; None means that it stands for itself.
    merged : Merged, default=None
        Which training rows the rows of the table stand for, if equal rows were merged.
    """

    # Largest number of values of a derived feature matrix that is held in memory. A larger matrix
    # is computed again in every pass.
    HELD_VALUES = 1 << 26

    in_memory = True

    def __init__(
        self, X, codes, classes, sample_weight=None, columns=None, *, copies=None, merged=None
    ):
        super().__init__(Rows(0, X, codes, sample_weight, len(classes), copies))
        self.classes, self.merged = classes, merged
        self.shape, self.dtype = X.shape, X.dtype
        self._columns = Columns.plain(X.shape[1]) if columns is None else columns

    @classmethod
    def of(cls, rows, classes, columns=None):
        """Return the table of some rows."""
        return cls(rows.X, rows.codes, classes, rows.sample_weight, columns, copies=rows.copies)

    @property
    def columns(self):
        return self._columns

    @property
    def all(self):
        return self.part

    @property
    def n_copies(self):
        return self.n_rows if self.all.copies is None else int(self.all.copies.sum())

    def rows_of_copies(self, copies):
        if self.all.copies is None:
            return copies
        return np.searchsorted(np.cumsum(self.all.copies), copies, side="right")

    def list_copies(self, most):
        if self.all.copies is None:
            return super().list_copies(most)
        share = min(1.0, most / self.n_copies)
        listed = np.maximum(1, np.floor(share * self.all.copies)).astype(int)
        numbers = np.repeat(np.arange(self.n_rows), listed)
        rows = self.rows(numbers)._replace(copies=listed[numbers])
        return MemoryTable.of(rows.one_copy(), self.classes, self.columns), numbers

    @property
    def scored_numbers(self):
        return np.arange(self.n_rows)

    @property
    def scored(self):
        return self.part

    @cached_property
    def class_rows(self):
        return KnownCodes(self.all.codes, self.n_classes)

    @cached_property
    def class_weights(self):
        weights = np.bincount(self.all.codes, self.all.sample_weight, minlength=self.n_classes)
        return weights.astype(np.float64)

    def gather(self, function, *args, finish=None):
        parts = [function(self.all, *args)]
        return parts if finish is None else finish(parts)

    def rows(self, numbers):
        return self.all.pick(numbers)

    def holds(self, n_values):
        # With more columns than rows, their second moments would be larger than the columns.
        return self.n_rows <= n_values or self.n_rows * n_values <= self.HELD_VALUES

    def through(self, look):
        return Whole(look(self.all))

    def seen_as(self, view, columns=None):
        seen = MemoryTable.of(self.all._replace(X=view(self.all.X)), self.classes, columns)
        seen.merged = self.merged
        return seen


def add(left, right):
    """Return the sum of two results, which are numbers, arrays, moments, or tuples and lists."""
    if isinstance(left, (tuple, list)):
        return type(left)([add(a, b) for a, b in zip(left, right)])
    return left + right


def add_all(terms):
    """Return the sum of a list of results."""
    return reduce(add, terms)
