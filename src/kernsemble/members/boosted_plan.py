"""Boosted trees in a race: how many trees a round grows, and on which rows."""

from typing import Any, NamedTuple

import numpy as np

from ..tables.draws import draw_by_class, proportional_quotas
from ..trees.bins import BinnedRows
from .boosted import boost_fold, join_folds
from .folded_ridge import Folds
from .plans import DOUBT, Bundle, Grown, LogShares
from .training_views import N_FOLDS

# Trees per class in the rounds of a race, and the most classes for which it is worth it: beyond,
# hundreds of trees a step cost more than all other members together.
BOOSTED_TREES = (40, 100, 200, 400)
FIRST_TREES, MAX_CLASSES = 300, 50
# What trees see of categories with many levels. Boosted trees, whose levels have one order for all
# nodes, gain more from class shares.
BOOSTED_COLUMNS = "by_shares"
# From this round on, trees are grown on rows without honest scores too, if there are any. Then they
# are a share of the largest number of trees per class.
OTHERS_LEVEL, OTHERS_SHARES, MOST_TREES = 2, (0.5, 1.0), 400
# Largest number of values of these rows, a million rows of 20 columns, and of values that all trees
# read. Of more rows with fewer trees than the last number, a model would be worse.
MAX_VALUES, MAX_READ, LEAST_TREES = 2 * 10**7, 16 * 10**9, 250
# Smallest number of models, and number of rows that more of them see together. The more rows each
# sees, the less their mean is better than one of them.
LEAST_MODELS, MODEL_ROWS = 2, 10**6


class GrowthRows(NamedTuple):
    """The rows on which the trees of a round are grown.

    Attributes
    ----------
    table : MemoryTable
    scored : ndarray of int
        Numbers in `table` of the rows that get honest scores.
    others : ndarray of int
        Numbers of the other rows, which every model sees.
    folds : list of ndarray of int
        For every model, positions in `scored` of the rows that it does not see.
    n_trees : int
        Number of trees per class.
    """

    table: Any
    scored: np.ndarray
    others: np.ndarray
    folds: list
    n_trees: int

    def pair(self, k):
        """Return the numbers of the rows that a model sees, in order, and of those of its fold."""
        fold = self.folds[k]
        seen = np.concatenate([np.delete(self.scored, fold), self.others])
        return np.sort(seen), self.scored[fold]

    @property
    def n_seen(self):
        """The number of rows that the models see, one after the other."""
        n_models = len(self.folds)
        return (n_models - 1) * len(self.scored) + n_models * len(self.others)


def plan_boosted(training, level, states, seed):
    """Boost trees without each fold in turn."""
    ((name, models),) = states.items()
    rows = find_growth_rows(training, level)
    if rows is None:
        return []
    if models is None or training.grows(level) or sees_more_rows(training, level):
        models = [None] * len(rows.folds)
    table = training.stage(level).table

    def join(fitted):
        boosters = [own.growing.booster for own in fitted if own.growing is not None]
        if not boosters:
            return {}
        joined = join_folds(table, rows.folds, boosters, [own.shares for own in fitted])
        earlier = join_folds(table, rows.folds, boosters, [own.earlier for own in fitted])
        before = LogShares.of(earlier, DOUBT).honest_scores
        member = LogShares.of(training.widened(joined, BOOSTED_COLUMNS), DOUBT)
        return {name: Grown(member, [own.growing for own in fitted], before)}

    tasks = [(_boost, level, k, model, seed) for k, model in enumerate(models)]
    n_grown = max((own.booster.model.n_steps for own in models if own is not None), default=0)
    cost = rows.n_seen * table.n_classes * (rows.n_trees - n_grown)
    return [Bundle((name,), tasks, join, cost)]


def _boost(training, level, k, growing, seed):
    rows = find_growth_rows(training, level)
    key = "bins", rows.table.n_rows
    binned = training.shared(key, lambda: BinnedRows.of(rows.table.all.X, rows.scored))
    return boost_fold(rows.table, binned, rows.pair(k), rows.n_trees, growing, seed)


def sees_more_rows(training, level):
    """Return whether trees see rows in a round that those of the round before did not see."""
    return level == OTHERS_LEVEL and _sees_others(training, level)


def _sees_others(training, level):
    return level >= OTHERS_LEVEL and _count_rows(training) > training.local.n_rows


def _count_rows(training):
    """Return the number of rows on which trees are worth their time, scored or not."""
    n_rows, n_columns = training.table.shape
    most = MAX_READ // (LEAST_MODELS * LEAST_TREES * _count_read(training))
    return min(n_rows, MAX_VALUES // n_columns, most)


def _count_read(training):
    """Return the number of values of a row that the trees of one step read."""
    n_classes = training.local.n_classes
    return training.table.shape[1] * (1 if n_classes == 2 else n_classes)


def find_growth_rows(training, level):
    """Return the `GrowthRows` of a round, or None if there is no larger number of trees."""
    if not _sees_others(training, level):
        return _scored_rows(training, level) if level < len(BOOSTED_TREES) else None
    if level - OTHERS_LEVEL >= len(OTHERS_SHARES):
        return None
    rows = training.shared("growth rows", lambda: _draw_rows(training))
    return rows._replace(n_trees=int(OTHERS_SHARES[level - OTHERS_LEVEL] * rows.n_trees))


def _scored_rows(training, level):
    table = training.narrow(training.stage(level).table, BOOSTED_COLUMNS)
    folds = [fold for _, fold in training.stage(level).folds.pairs()]
    n_trees = min(BOOSTED_TREES[level], max(8, FIRST_TREES // table.n_classes) * 2**level)
    scored, others = np.arange(table.n_rows), np.empty(0, dtype=np.intp)
    return GrowthRows(table, scored, others, folds, n_trees)


def _draw_rows(training):
    """Return the `GrowthRows` with others than those that get honest scores, and all trees."""
    table, n_rows = training.table, _count_rows(training)
    numbers = np.arange(table.n_rows)
    if n_rows < table.n_rows:
        quotas = proportional_quotas(table.class_rows.sizes, n_rows - training.local.n_rows)
        rng = np.random.RandomState([training.seed, OTHERS_LEVEL])
        drawn = draw_by_class(table.class_rows, quotas, rng)[0]
        numbers = np.union1d(drawn, training.scored)
    if not table.in_memory or len(numbers) < table.n_rows:
        table = table.take(numbers)
    scored = np.searchsorted(numbers, training.scored)
    others = np.delete(np.arange(len(numbers)), scored)
    n_steps = MAX_READ // (len(numbers) * _count_read(training))
    n_models = min(n_steps // LEAST_TREES, MODEL_ROWS // len(numbers))
    n_models = int(np.clip(n_models, LEAST_MODELS, N_FOLDS))
    folds = [fold for _, fold in Folds.of(training.deal(n_models), n_models).pairs()]
    n_trees = min(MOST_TREES, n_steps // n_models)
    narrow = training.narrow(table, BOOSTED_COLUMNS)
    return GrowthRows(narrow, scored, others, folds, n_trees)
