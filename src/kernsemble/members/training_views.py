"""The views of the training rows, and the kernels tuned on each view."""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..kernels import GeneralizedExponential, MedianGrid
from ..kernels.statistics import distance_statistics
from ..maps.views import fit_rank_view, fit_scaled_view
from ..seeds import draw_seed
from ..tables.draws import draw_typical_rows
from .kernel_ridge import fit_kernel_ridge_member, fit_large_member

#: Up to this many rows, a ridge is tuned on all of them. With more rows, a sample of this size
#: gives a first choice, and the neighbouring candidates are compared on all rows.
TUNING_ROWS = 250
#: Up to this many rows, neighbouring widths are compared; with more, only neighbouring strengths.
REFINED_ROWS = 1500
#: Up to this many rows, ridges are exact; with more, they use landmarks.
EXACT_ROWS = 4000
#: With more rows than this, a sample of this size gets honest scores, and forests and networks are
#: fitted to it.
SCORED_ROWS = 50_000
#: Largest number of multiplications in the fit of one member: rows times squared landmarks.
WORK = 1.5e11
MAX_LANDMARKS = 1200

ALPHAS = 2.0 ** np.arange(-14, 7)


class Tuned(NamedTuple):
    """The kernel and strength of least leave-one-out error, and their ridge on all rows."""

    kernel: Any
    alpha: float
    member: Any


class TrainingViews:
    """The views of the training rows, with a cache of tuned kernels that members share.

    Threads share the cache: the first one that needs a tuned kernel tunes it, and others wait for
    the result. Every process has its own cache, with the same results.

    Attributes
    ----------
    table : MemoryTable
    views : dict of View
    scored : ndarray of int
        Numbers of the rows that get honest scores.
    sample : ndarray of int
        Numbers of the rows on which the first choice of a kernel is made.
    """

    def __init__(self, table, rng):
        self.table, n = table, table.n_rows
        self.scored = np.arange(n)
        if n > SCORED_ROWS:
            self.scored = np.sort(rng.choice(n, SCORED_ROWS, replace=False))
        self.sample = self.scored
        if n > TUNING_ROWS:
            typical = draw_typical_rows(table.all.codes[self.scored], TUNING_ROWS, rng)
            self.sample = self.scored[np.sort(typical)]
        self.seed = draw_seed(rng)
        some = table.all.X if n <= SCORED_ROWS else table[self.scored]
        self.views = {"scaled": fit_scaled_view(some), "ranks": fit_rank_view(some)}
        self._open_cache()

    def _open_cache(self):
        self._lock = Lock()
        self._seen: dict = {}
        self._tuned: dict = {}
        self._tuning: dict = {}

    def __getstate__(self):
        shared = ("_lock", "_seen", "_tuned", "_tuning")
        return {name: value for name, value in vars(self).items() if name not in shared}

    def __setstate__(self, state):
        vars(self).update(state)
        self._open_cache()

    @property
    def is_exact(self):
        """Whether ridges use every row."""
        return self.table.n_rows <= EXACT_ROWS

    def seen(self, view):
        """Return a view of the table."""
        with self._lock:
            if view not in self._seen:
                self._seen[view] = self.table.seen_as(self.views[view])
            return self._seen[view]

    def some(self, n_rows):
        """Return the numbers of about `n_rows` evenly spread scored rows, or of all if fewer."""
        if len(self.scored) <= n_rows:
            return self.scored
        return np.union1d(self.sample, self.scored[:: -(-len(self.scored) // n_rows)])

    def complete(self, member, numbers):
        """Return honest scores of all scored rows by a member fitted to the rows `numbers`."""
        honest = member.honest_scores
        if len(numbers) == len(self.scored):
            return honest
        S = np.empty((len(self.scored), honest.shape[1]))
        known = np.isin(self.scored, numbers)
        S[known] = honest
        S[~known] = member.scores(self.table[self.scored[~known]])
        return S

    def tuned(self, view, family):
        """Return the ridge of a family with the least leave-one-out error on a view."""
        key = view, family
        with self._lock:
            lock = self._tuning.setdefault(key, Lock())
        with lock:
            if key not in self._tuned:
                self._tuned[key] = self.tune(self.seen(view), family)
            return self._tuned[key]

    def tune(self, seen, family, step=1):
        """Return the ridge of a family with the least leave-one-out error on a view of all rows.

        The first choice is among every `step`-th width.
        """
        whole = len(self.sample) == seen.n_rows
        part = seen if whole else seen.take(self.sample)
        kernels = _widths(family, part.all.X)
        found = fit_kernel_ridge_member(part, kernels[::step], ALPHAS)
        if whole and step == 1:
            return Tuned(found.kernel, found.alpha, found.member)
        return self._refine(seen, kernels, kernels.index(found.kernel), found.alpha)

    def _refine(self, seen, kernels, k, alpha):
        """Return the best ridge on all rows among the neighbours of the first choice."""
        n = seen.n_rows
        if self.is_exact:
            n_aside = 1 if n <= REFINED_ROWS else 0
            near = kernels[max(k - n_aside, 0) : k + n_aside + 1]
            by_width = fit_kernel_ridge_member(seen, near, np.array([alpha]))
            strengths = np.array([alpha / 4.0, alpha * 4.0])
            by_strength = fit_kernel_ridge_member(seen, [by_width.kernel], strengths)
            found = min(by_width, by_strength, key=lambda search: search.loss)
            return Tuned(found.kernel, found.alpha, found.member)
        strengths = alpha * 2.0 ** np.arange(-4, 5)
        n_landmarks = int(min(MAX_LANDMARKS, n // 3, np.sqrt(WORK / n)))
        options = {"scored": self.scored, "seed": self.seed, "n_landmarks": n_landmarks}
        return Tuned(kernels[k], alpha, fit_large_member(seen, kernels[k], strengths, **options))


def _widths(family, Z):
    """Return the candidate kernels of a family."""
    rng = np.random.RandomState(0)
    if family == "gaussian":
        return MedianGrid("rbf", -6, 4).sample(Z, 6, rng)
    if family == "exponential":
        scale = distance_statistics(Z, rng, p=1.0).median
        return [GeneralizedExponential(scale * 2.0**k, p=1.0, q=0.7) for k in (0, 2, 4)]
    name = "laplacian" if family == "laplace_l1" else "laplacian_l2"
    return MedianGrid(name, -4, 2).sample(Z, 4, rng)
