"""A table in parts: functions go to the rows, sums and a few chosen rows come back.

A learner that needs only sums over the rows, and some rows by their number, is written once for
all tables. It gives `total` a function of `Rows`; in memory the function sees all rows at once, of
a stream it sees one chunk after the other, and in a dask collection it runs where the chunks are.
Rows have the same numbers everywhere, so one seed draws the same rows.
"""

from abc import ABC, abstractmethod
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.random import sample_without_replacement

__all__ = [
    "CALIBRATION_ROWS",
    "ClassRows",
    "MemoryTable",
    "Rows",
    "Table",
    "add",
    "as_table",
    "calibration_rows",
    "draw_rows",
    "stack_rows",
]

#: Rows on which probabilities are calibrated; one temperature needs no more.
CALIBRATION_ROWS = 20_000
# Up to here numpy's permutation of all rows is affordable.
PERMUTED_ROWS = 1 << 24


class Rows(NamedTuple):
    """Some consecutive or chosen rows with all that belongs to them.

    Attributes
    ----------
    start : int
        Number of the first row, where they are consecutive.
    X : {ndarray, CSR matrix} of shape (n_rows, n_features)
    T : ndarray of shape (n_rows, n_outputs)
    sample_weight : ndarray of shape (n_rows,) or None
    codes : ndarray of int of shape (n_rows,) or None
    """

    start: int
    X: Any
    T: np.ndarray
    sample_weight: np.ndarray | None
    codes: np.ndarray | None = None

    @property
    def n_rows(self):
        return self.X.shape[0]

    @property
    def weights(self):
        """The sample weights, ones where there are none."""
        return np.ones(self.n_rows) if self.sample_weight is None else self.sample_weight

    def pick(self, chosen):
        """Return the rows of a slice or of places among these."""
        start = self.start + (chosen.start or 0) if isinstance(chosen, slice) else self.start
        return Rows(
            start,
            self.X[chosen],
            self.T[chosen],
            None if self.sample_weight is None else self.sample_weight[chosen],
            None if self.codes is None else self.codes[chosen],
        )

    def blocks(self, size):
        """Yield the rows, at most `size` at a time."""
        for batch in gen_batches(self.n_rows, size):
            yield self.pick(batch)


class ClassRows(ABC):
    """Where the rows of each class are.

    Attributes
    ----------
    sizes : ndarray of int of shape (n_classes,)
    """

    sizes: np.ndarray

    @abstractmethod
    def locate(self, codes, ranks):
        """Return the number of row `ranks[i]`, counted within class `codes[i]`, for every i."""

    @abstractmethod
    def codes_of(self, numbers):
        """Return the classes of rows."""


class KnownCodes(ClassRows):
    """Classes of all rows in one array."""

    def __init__(self, codes):
        self.codes = codes
        self.sizes = np.bincount(codes)
        self.order = np.argsort(codes, kind="stable")
        self.first = np.cumsum(self.sizes) - self.sizes

    def locate(self, codes, ranks):
        return self.order[self.first[codes] + ranks]

    def codes_of(self, numbers):
        return self.codes[numbers]


class Table(ABC):
    """Rows with targets and weights, wherever they are.

    `table[numbers]` returns inputs of chosen rows, so a table can stand where code only asks an
    array for its shape and for some rows.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
        Of the inputs.
    classes : ClassRows
    """

    shape: tuple
    dtype: np.dtype
    classes: ClassRows

    @abstractmethod
    def total(self, function, *args):
        """Return the sum of `function(rows, *args)` over the parts; see `add`."""

    @abstractmethod
    def scan(self, function, states, *args):
        """Carry a state per part along.

        `function(rows, state, *args)` returns a term of the sum and the part's next state.

        Parameters
        ----------
        function : callable
        states : object or None
            From the last scan; None gives every part the state None.

        Returns
        -------
        total, states
        """

    @abstractmethod
    def gather(self, function, *args, finish=None):
        """Return `finish(list of function(rows, *args))`, by default the list itself."""

    @abstractmethod
    def rows(self, numbers):
        """Return the rows of the given numbers, in that order."""

    @property
    @abstractmethod
    def target_sums(self):
        """The sum of the weights and the weighted sums of the target columns."""

    @property
    @abstractmethod
    def target_patterns(self):
        """Rows of targets of which every row's equals one, of shape (n_patterns, n_outputs)."""

    @property
    @abstractmethod
    def honest(self):
        """The rows whose honest scores are computed: all in memory, else a sample."""

    def __getitem__(self, numbers):
        return self.rows(numbers).X


class MemoryTable(Table):
    """Arrays; one part."""

    def __init__(self, X, T, sample_weight=None, codes=None):
        self.all = Rows(0, X, T, sample_weight, codes)
        self.shape, self.dtype = X.shape, X.dtype

    @property
    def classes(self):
        return KnownCodes(self.all.codes)

    def total(self, function, *args):
        return function(self.all, *args)

    def scan(self, function, states, *args):
        return function(self.all, states, *args)

    def gather(self, function, *args, finish=None):
        parts = [function(self.all, *args)]
        return parts if finish is None else finish(parts)

    def rows(self, numbers):
        return self.all.pick(numbers)

    @property
    def target_sums(self):
        weights = self.all.weights
        return weights.sum(), weights @ self.all.T

    @property
    def target_patterns(self):
        return self.all.T

    @property
    def honest(self):
        return self.all


def as_table(X, T=None, sample_weight=None, codes=None):
    """Return arrays as a table; a table passes through."""
    return X if isinstance(X, Table) else MemoryTable(X, T, sample_weight, codes)


def add(left, right):
    """Return the sum of two results: numbers, arrays, moments, or tuples and lists of them."""
    if isinstance(left, (tuple, list)):
        return type(left)([add(a, b) for a, b in zip(left, right)])
    return left + right


def add_all(terms):
    """Return the sum of a list of results."""
    return reduce(add, terms)


def stack_rows(parts):
    """Return the rows of all parts below each other."""
    parts = list(parts)
    first = parts[0]
    if len(parts) == 1:
        return first
    stack = sparse.vstack if sparse.issparse(first.X) else np.concatenate
    return Rows(
        first.start,
        stack([part.X for part in parts]),
        np.concatenate([part.T for part in parts]),
        None
        if first.sample_weight is None
        else np.concatenate([part.sample_weight for part in parts]),
        np.concatenate([part.codes for part in parts]),
    )


def draw_rows(n_rows, size, rng):
    """Return the numbers of `size` different rows, in no order."""
    if n_rows <= PERMUTED_ROWS:
        return rng.choice(n_rows, size, replace=False)
    return sample_without_replacement(n_rows, size, random_state=rng)


def calibration_rows(n_rows):
    """Return the numbers of the rows that calibrate probabilities: all, or the same sample always.

    The sample does not depend on the caller's seed, since no part of the model does on it.
    """
    if n_rows <= CALIBRATION_ROWS:
        return np.arange(n_rows)
    return np.sort(draw_rows(n_rows, CALIBRATION_ROWS, np.random.RandomState(0)))
