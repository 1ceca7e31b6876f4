"""A table: rows with classes and weights, the sums and scans over them, and rows by number.

A method that needs only sums over the rows, and a few rows by their number, is written once for
every kind of table. It gives `total` a function of `Rows`: in memory the function sees all rows at
once, in a stream it sees one chunk after the other, and in a dask collection it runs where the
chunks are. Rows have the same numbers everywhere, so one seed draws the same rows.
"""

from abc import ABC, abstractmethod
from copy import deepcopy
from functools import cached_property, reduce

import numpy as np

from ..targets import encode_targets
from .class_rows import ClassRows, KnownCodes
from .rows import Rows

__all__ = ["MemoryTable", "Table", "Whole", "add", "add_all"]


class Parts(ABC):
    """Data in one or more parts: functions go to the parts, and sums come back."""

    @abstractmethod
    def total(self, function, *args):
        """Return the sum of `function(part, *args)` over the parts; see `add`."""

    @abstractmethod
    def scan(self, function, states, *args):
        """Return the sum over the parts, and the next state of every part.

        Parameters
        ----------
        function : callable
            `function(part, state, *args)` returns a term of the sum and the part's next state.
        states : object or None
            States from the last scan; None gives every part the state None.
        """


class Whole(Parts):
    """Data in a single part."""

    def __init__(self, part):
        self.part = part

    def total(self, function, *args):
        return function(self.part, *args)

    def scan(self, function, states, *args):
        return function(self.part, states, *args)


class Seen(Parts):
    """The parts of a table, each seen through a function of its rows."""

    def __init__(self, table, look):
        self.table, self.look = table, look

    def total(self, function, *args):
        return self.table.total(_look_and_call, self.look, function, args)

    def scan(self, function, states, *args):
        return self.table.scan(_look_and_scan, states, self.look, function, args)


def _look_and_call(rows, look, function, args):
    return function(look(rows), *args)


def _look_and_scan(rows, state, look, function, args):
    # A part that is computed again on another worker must find the state that it was given.
    return function(look(rows), deepcopy(state), *args)


class Table(Parts):
    """Rows with classes and weights, wherever they are.

    `table[numbers]` returns the inputs of chosen rows, so that a table can stand where code asks an
    array only for its shape and for some rows.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
        Type of the inputs.
    classes : ndarray of shape (n_classes,)
        Labels of the classes; codes are positions in this array.
    class_rows : ClassRows
    class_weights : ndarray of shape (n_classes,)
        Sum of the sample weights of each class.
    in_memory : bool
        Whether all rows are held by this process.
    """

    shape: tuple
    dtype: np.dtype
    classes: np.ndarray
    class_rows: ClassRows
    class_weights: np.ndarray
    in_memory = False

    @abstractmethod
    def gather(self, function, *args, finish=None):
        """Return `finish(list of function(rows, *args))`, by default the list itself."""

    @abstractmethod
    def rows(self, numbers):
        """Return the rows with the given numbers, in that order."""

    @property
    @abstractmethod
    def all(self):
        """All rows, brought together in memory."""

    @property
    @abstractmethod
    def scored_numbers(self):
        """Numbers of the rows that get honest scores: all in memory, otherwise a sample."""

    @property
    @abstractmethod
    def scored(self):
        """The rows that get honest scores."""

    @property
    def n_rows(self):
        return self.shape[0]

    @property
    def n_classes(self):
        return len(self.classes)

    def target_sums(self, coding):
        """Return the sum of the weights and the weighted sums of the target columns."""
        targets = encode_targets(np.arange(self.n_classes), self.n_classes, coding)
        return self.class_weights.sum(), self.class_weights @ targets

    def holds(self, n_values):
        """Whether so many derived values of every row may be held in memory at once."""
        return False

    def through(self, look):
        """Return the parts as `look(rows)` shows them."""
        return Seen(self, look)

    def take(self, numbers):
        """Return a table in memory of the rows with the given numbers."""
        return MemoryTable.of(self.rows(numbers), self.classes)

    def __getitem__(self, numbers):
        return self.rows(numbers).X


class MemoryTable(Whole, Table):
    """A table whose rows are arrays in this process."""

    # Values of a derived feature matrix that are held at once; those of more rows are computed
    # again in every pass.
    HELD_VALUES = 1 << 26

    in_memory = True

    def __init__(self, X, codes, classes, sample_weight=None):
        super().__init__(Rows(0, X, codes, sample_weight, len(classes)))
        self.classes = classes
        self.shape, self.dtype = X.shape, X.dtype

    @classmethod
    def of(cls, rows, classes):
        """Return the table of some rows."""
        return cls(rows.X, rows.codes, classes, rows.sample_weight)

    @property
    def all(self):
        return self.part

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
        # Second moments of more columns than rows would be larger than the columns themselves.
        return self.n_rows <= n_values or self.n_rows * n_values <= self.HELD_VALUES

    def through(self, look):
        return Whole(look(self.all))

    def seen_as(self, view):
        """Return the table whose inputs are `view(X)`."""
        return MemoryTable.of(self.all._replace(X=view(self.all.X)), self.classes)


def add(left, right):
    """Return the sum of two results: numbers, arrays, moments, or tuples and lists of them."""
    if isinstance(left, (tuple, list)):
        return type(left)([add(a, b) for a, b in zip(left, right)])
    return left + right


def add_all(terms):
    """Return the sum of a list of results."""
    return reduce(add, terms)
