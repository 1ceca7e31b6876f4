"""Raw chunks → checked rows: the facts that the first pass collects, and the reader of chunks."""

from abc import abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ..validation import naming_missing_columns
from .base import Table
from .class_rows import ClassRows
from .draws import calibration_rows
from .rows import Rows, stack_rows
from .weights import class_factors, counts_rows

FLOATS = [np.float64, np.float32]


class Facts(NamedTuple):
    """The facts about one chunk; rows of weight zero do not count.

    Attributes
    ----------
    n_rows : int
    head : raw first row, or None
        The first row with the names of the columns.
    n_features : int
    dtype : dtype
    labels : ndarray
        The classes in the chunk.
    counts, weights : ndarray
        Number of rows of each class, and the sum of their sample weights.
    weighted : bool
        Whether the chunk has sample weights.
    """

    n_rows: int
    head: Any
    n_features: int
    dtype: np.dtype
    labels: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    weighted: bool


def find_facts(X, y, sample_weight, accept_sparse):
    """Check a raw chunk and return its `Facts`."""
    head = X.iloc[:1] if hasattr(X, "iloc") else X[:1]
    with naming_missing_columns(X):
        X = _checked(X, accept_sparse, all_finite=True)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    kept, weights = _kept_rows(X, sample_weight)
    if len(y):
        check_classification_targets(y)
    labels, codes = np.unique(y[kept], return_inverse=True)
    sums = np.bincount(codes, None if weights is None else weights[kept], minlength=len(labels))
    return Facts(
        codes.size,
        head,
        X.shape[1],
        X.dtype,
        labels,
        np.bincount(codes, minlength=len(labels)),
        sums.astype(float),
        weights is not None,
    )


def _checked(X, accept_sparse, *, all_finite):
    return check_array(
        X,
        accept_sparse="csr" if accept_sparse else False,
        dtype=FLOATS,
        ensure_all_finite=all_finite,
        ensure_min_samples=0,
        input_name="X",
    )


def _kept_rows(X, sample_weight):
    if sample_weight is None:
        return slice(None), None
    weights = column_or_1d(sample_weight).astype(np.float64)
    check_consistent_length(X, weights)
    if not np.isfinite(weights).all() or (weights.size and weights.min() < 0):
        bad = weights[~np.isfinite(weights) | (weights < 0)][0]
        raise ValueError(f"sample_weight must be finite and at least 0 in every chunk, got {bad}.")
    return weights > 0, weights


class Reader(NamedTuple):
    """Turns raw chunks into `Rows` after the first pass over the whole table.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the classes.
    factors : ndarray of shape (n_classes,) or None
        Factors of the sample weights of each class, from `class_weight` and from the scale.
    dtype : dtype
    accept_sparse : bool
    view : callable or None
        Function of the inputs that the rows have in their place.
    """

    classes: np.ndarray
    factors: np.ndarray | None
    dtype: np.dtype
    accept_sparse: bool
    view: Any = None

    def __call__(self, start, X, y, sample_weight):
        # The first pass has already checked that all values are finite.
        X = _checked(X, self.accept_sparse, all_finite=False)
        X = X.astype(self.dtype, copy=False)
        kept, weights = _kept_rows(X, sample_weight)
        codes = np.searchsorted(self.classes, column_or_1d(y)[kept])
        if weights is not None:
            X, weights = X[kept], weights[kept]
        if self.factors is not None:
            by_class = self.factors[codes]
            weights = by_class if weights is None else by_class * weights
        seen = X if self.view is None else self.view(X)
        return Rows(start, seen, codes, weights, len(self.classes))


class ChunkedTable(Table):
    """A table whose parts are chunks, which a subclass reads.

    Parameters
    ----------
    facts : list of Facts
        One entry for every chunk.
    class_weight : dict, "balanced" or None
    accept_sparse : bool

    Attributes
    ----------
    head : raw first row
        The first row with the names of the columns.
    reader : Reader
    """

    def __init__(self, facts, class_weight, accept_sparse):
        self.facts = [fact for fact in facts if fact.n_rows]
        if not self.facts:
            raise ValueError(
                "No chunk has a row of positive sample_weight; at least one row is required."
            )
        self.head = self.facts[0].head
        n_features = self.facts[0].n_features
        for number, fact in enumerate(facts):
            if fact.n_rows and fact.n_features != n_features:
                raise ValueError(
                    f"Chunk {number} of X has {fact.n_features} features and the first chunk has "
                    f"{n_features}; all chunks must have the same columns."
                )
        #: Positions of the chunks that have rows.
        self.places = [place for place, fact in enumerate(facts) if fact.n_rows]
        self.classes = np.unique(np.concatenate([fact.labels for fact in self.facts]))
        self.sizes = np.array([fact.n_rows for fact in self.facts])
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.shape = int(self.sizes.sum()), n_features
        self.dtype = np.result_type(*{fact.dtype for fact in self.facts})
        self.counts = np.stack([self._by_class(fact, fact.counts) for fact in self.facts])
        self.class_rows = CountedClasses(self)
        sums = sum(self._by_class(fact, fact.weights) for fact in self.facts)
        factors = None
        if class_weight is not None or any(fact.weighted for fact in self.facts):
            factors = np.ones(len(self.classes))
            if class_weight is not None:
                factors = class_factors(class_weight, self.classes, self.class_rows.sizes)
            mean = sums.sum() / self.shape[0]
            factors = factors if counts_rows(mean) else factors / mean
        self.class_weights = sums if factors is None else factors * sums
        self.reader = Reader(self.classes, factors, self.dtype, accept_sparse)

    def _by_class(self, fact, values):
        full = np.zeros(len(self.classes), dtype=values.dtype)
        full[np.searchsorted(self.classes, fact.labels)] = values
        return full

    @abstractmethod
    def gather(self, function, *args, finish=None, places=None):
        """Return the results for the parts at `places`, or for all parts if it is None."""

    @property
    def all(self):
        return self.rows(np.arange(self.shape[0]))

    @property
    def scored_numbers(self):
        return calibration_rows(self.shape[0])

    @cached_property
    def scored(self):
        return self.rows(self.scored_numbers)

    def rows(self, numbers):
        if isinstance(numbers, slice):
            numbers = np.arange(self.shape[0])[numbers]
        numbers = np.asarray(numbers)
        wanted, order = np.unique(numbers, return_inverse=True)
        found = self.gather(_pick_own, wanted, places=self._places_of(wanted))
        return stack_rows(found).pick(order.reshape(numbers.shape))

    def seen_as(self, view):
        seen = copy(self)
        vars(seen).pop("scored", None)
        seen.reader = self.reader._replace(view=view)
        seen.class_rows = CountedClasses(seen)
        return seen

    def _places_of(self, numbers):
        return np.unique(np.searchsorted(self.starts, numbers, side="right") - 1)


class CountedClasses(ClassRows):
    """Finds rows by their class from the number of rows of each class in each chunk."""

    def __init__(self, table):
        self.table = table
        self.sizes = table.counts.sum(axis=0)
        self.before = np.cumsum(table.counts, axis=0) - table.counts

    def locate(self, codes, ranks):
        codes, ranks = np.broadcast_arrays(codes, ranks)
        places = np.empty(codes.shape, dtype=np.intp)
        for code in np.unique(codes):
            at = codes == code
            # The row is in the last chunk that has at most `rank` rows of the class before it.
            places[at] = np.searchsorted(self.before[:, code], ranks[at], side="right") - 1
        local = ranks - self.before[places, codes]
        wanted = {
            int(self.table.starts[place]): (codes[places == place], local[places == place])
            for place in np.unique(places)
        }
        asked = np.unique(places)
        found = self.table.gather(_locate_own, wanted, places=asked)
        numbers = np.empty(codes.shape, dtype=np.intp)
        for place, rows in zip(asked, found):
            numbers[places == place] = rows
        return numbers

    def codes_of(self, numbers):
        return self.table.rows(numbers).codes


def _pick_own(rows, numbers):
    """Return the numbered rows that are in this part."""
    first, last = np.searchsorted(numbers, [rows.start, rows.start + rows.n_rows])
    return rows.pick(numbers[first:last] - rows.start)


def _locate_own(rows, wanted):
    codes, ranks = wanted[rows.start]
    found = np.empty(codes.size, dtype=np.intp)
    for code in np.unique(codes):
        found[codes == code] = np.flatnonzero(rows.codes == code)[ranks[codes == code]]
    return found + rows.start
