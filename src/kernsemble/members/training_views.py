"""The views of the training rows, the stages of a race on them, and the kernels tuned on a view."""

from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..kernels import GeneralizedExponential, MedianGrid
from ..kernels.statistics import distance_statistics
from ..maps.mixed_views import fit_table_view
from ..maps.views import ColumnsView
from ..seeds import draw_seed
from ..tables.columns import MANY_LEVELS
from ..tables.copies import number_distinct
from ..tables.draws import (
    draw_by_class,
    draw_typical_rows,
    proportional_quotas,
    shuffle_by_class,
)
from .folded_ridge import Folds
from .kernel_ridge import fit_kernel_ridge_member
from .ridge_refine import refine_kernel_ridge_member
from .viewed import ViewedMember

#: Up to this many rows, a ridge is tuned on all of them. With more rows, a sample of this size
#: gives a first choice, and the neighbouring candidates are compared on all rows.
TUNING_ROWS = 250
#: Up to this many rows, ridges are exact and every member is fitted at full size at once. With
#: more, ridges use landmarks, and members race from small sizes to large ones.
EXACT_ROWS = 1000
#: Number of rows in the first round of a race; the others have all rows. Up to `FEW_ROWS`, all
#: rounds have them, because what was fitted to fewer is thrown away.
FIRST_ROWS, FEW_ROWS = 4000, 8000
#: Number of landmarks in the rounds of a race.
LANDMARKS = (200, 600, 1200, 2400)
#: Largest number of multiplications in the sums of one kernel: rows times squared landmarks.
WORK = 1.5e11
#: With more rows than this, a sample of this size gets honest scores, and all members but landmark
#: ridges and boosted trees are fitted to it.
SCORED_ROWS = 50_000
N_FOLDS = 5

ALPHAS = 2.0 ** np.arange(-14, 7)


class Tuned(NamedTuple):
    """The kernel and strength of least leave-one-out error, and their ridge on all rows."""

    kernel: Any
    alpha: float
    member: Any


class Stage(NamedTuple):
    """The rows on which the members of one round of a race are fitted and scored.

    Attributes
    ----------
    numbers : ndarray of int
        Numbers of these rows among the rows that can be scored.
    folds : Folds
    landmarks : ndarray of int
        Numbers of the landmarks among the rows that can be scored.
    """

    table: Any
    numbers: np.ndarray
    folds: Folds
    landmarks: np.ndarray


class TrainingViews:
    """The views of the training rows, with a cache of tuned kernels that members share.

    Threads share the cache: the first one that needs a tuned kernel tunes it, and others wait for
    the result. Every process has its own cache, with the same results.

    Attributes
    ----------
    table : Table
        All training rows, wherever they are.
        The rows that can be scored: all, or a sample with the classes in proportion.
    scored : ndarray of int
        Their numbers in `table`.
    views : dict of View
    sample : ndarray of int
        Numbers in `local` of the rows on which the first choice of an exact kernel is made.
    """

    def __init__(self, table, rng):
        self.table = table
        self.scored, self.local = _sample(table, rng)
        n, codes = self.local.n_rows, self.local.all.codes
        self.sample, self.first = np.arange(n), np.arange(n)
        if n > TUNING_ROWS:
            self.sample = np.sort(draw_typical_rows(codes, TUNING_ROWS, rng))
        if not self.is_exact and n > FEW_ROWS:
            self.first = np.sort(draw_typical_rows(codes, FIRST_ROWS, rng))
        self.by_class = shuffle_by_class(codes, rng)
        self.fold_of_row = self.deal(N_FOLDS)
        # A copy of a landmark would span nothing new.
        self.spread = rng.permutation(number_distinct(self.local.all.X))
        self.seed = draw_seed(rng)
        self.views = {
            "scaled": fit_table_view(self.local),
            "ranks": fit_table_view(self.local, ranks=True),
        }
        # The view in which many levels count as such, for members that see no class shares.
        self.views["levels"] = self.views["ranks"]
        columns = self.local.columns
        if columns.has_pairs or columns.n_levels.max() > MANY_LEVELS:
            self.views["levels"] = fit_table_view(self.local, ranks=True, by_levels=True)
        self._open_cache()

    def _open_cache(self):
        self._lock = Lock()
        self._seen: dict = {}
        self._shared: dict = {}
        self._locks: dict = {}

    def __getstate__(self):
        shared = ("_lock", "_seen", "_shared", "_locks")
        return {name: value for name, value in vars(self).items() if name not in shared}

    def __setstate__(self, state):
        vars(self).update(state)
        self._open_cache()

    @property
    def is_exact(self):
        """Whether ridges use every row."""
        return self.table.n_rows <= EXACT_ROWS

    @property
    def has_others(self):
        """Whether there are more rows than can be scored."""
        return self.local.n_rows < self.table.n_rows

    def seen(self, view):
        """Return a view of the rows that can be scored."""
        with self._lock:
            if view not in self._seen:
                self._seen[view] = self.local.seen_as(self.views[view])
            return self._seen[view]

    def shared(self, key, make):
        """Return `make()`, computed once for all threads."""
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._shared:
                self._shared[key] = make()
            return self._shared[key]

    def grows(self, level):
        """Return whether a round has more rows than the one before."""
        return level == 1 and len(self.first) < self.table.n_rows

    def stage(self, level):
        """Return the rows and landmarks of the round number `level` of a race."""
        return self.shared(("stage", level), lambda: self._make_stage(level))

    def _make_stage(self, level):
        numbers = self.first if level == 0 else np.arange(self.local.n_rows)
        whole = len(numbers) == self.local.n_rows
        table = self.local if whole else self.local.take(numbers)
        folds = Folds.of(self.fold_of_row[numbers], N_FOLDS)
        return Stage(table, numbers, folds, self.spread[: self.count_landmarks(level)])

    def deal(self, n_folds):
        """Return a fold for each row that can be scored; folds have the classes in proportion."""
        fold_of_row = np.empty(self.local.n_rows, dtype=np.intp)
        fold_of_row[self.by_class] = np.arange(self.local.n_rows) % n_folds
        return fold_of_row

    def narrow(self, table, part):
        """Return a table with a part of its columns.

        Parameters
        ----------
        table : MemoryTable
            The only one of its number of rows.
        part : {"by_shares", "by_levels"}
            Whether of levels and their class shares the second or the first are left out.
        """
        if not table.columns.has_pairs:
            return table
        kept = getattr(table.columns, part)
        seen = partial(table.seen_as, ColumnsView(kept), table.columns.take(kept))
        return self.shared((part, table.n_rows), seen)

    def widened(self, member, part):
        """Return a member that was fitted to such a table as one that takes all columns."""
        columns = self.local.columns
        if not columns.has_pairs:
            return member
        return ViewedMember.of(ColumnsView(getattr(columns, part)), member)

    def count_landmarks(self, level):
        """Return the number of landmarks of a round."""
        n_rows = len(self.first) if level == 0 else self.table.n_rows
        most = min(self.local.n_rows // 2, int(np.sqrt(WORK / n_rows)), len(self.spread))
        return min(LANDMARKS[min(level, len(LANDMARKS) - 1)], most)

    def tuned(self, view, family):
        """Return the exact ridge of a family with the least leave-one-out error on a view."""
        return self.shared((view, family), lambda: self.tune(self.seen(view), family))

    def tune(self, seen, family, step=1):
        """Return the exact ridge of a family with the least leave-one-out error on a view.

        The first choice is among every `step`-th width.
        """
        whole = len(self.sample) == seen.n_rows
        part = seen if whole else seen.take(self.sample)
        kernels = list_widths(family, part.all.X)
        found = fit_kernel_ridge_member(part, kernels[::step], ALPHAS)
        if not whole or step > 1:
            k = kernels.index(found.kernel)
            found = refine_kernel_ridge_member(seen, kernels[max(k - 1, 0) : k + 2], found.alpha)
        return Tuned(found.kernel, found.alpha, found.member)


def _sample(table, rng):
    """Return the numbers of the rows that can be scored, and their table."""
    n = table.n_rows
    if n <= SCORED_ROWS:
        numbers = np.arange(n)
        return numbers, table if table.in_memory else table.take(numbers)
    quotas = proportional_quotas(table.class_rows.sizes, SCORED_ROWS)
    numbers = np.sort(draw_by_class(table.class_rows, quotas, rng)[0])
    return numbers, table.take(numbers)


def list_widths(family, Z):
    """Return the candidate kernels of a family."""
    rng = np.random.RandomState(0)
    if family == "gaussian":
        return MedianGrid("rbf", -6, 4).sample(Z, 6, rng)
    if family == "exponential":
        scale = distance_statistics(Z, rng, p=1.0).median
        return [GeneralizedExponential(scale * 2.0**k, p=1.0, q=0.7) for k in (0, 2, 4)]
    name = "laplacian" if family == "laplace_l1" else "laplacian_l2"
    return MedianGrid(name, -4, 2).sample(Z, 4, rng)
