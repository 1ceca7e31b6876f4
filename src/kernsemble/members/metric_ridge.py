"""Kernel ridges under a metric learned from the gradients of a Gaussian ridge.

The metric depends on the label of every row, so a row is scored honestly only by a metric and a
ridge that were both fitted without it.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..kernels import evaluate
from ..maps.views import MetricView
from ..solvers.metric import draw_mixtures, gradient_metric, shrink_metric
from ..solvers.ridge import solve_kernel_ridge
from ..tables.draws import inner_folds
from .folded_ridge import choose_together, fit_held_out_ridges
from .kernel_ridge import fit_given_kernel_ridge, fit_kernel_ridge_member
from .plans import Bundle, Grown, MeanMember
from .ridge_race import Choice, family_of, list_candidates
from .viewed import ViewedMember

# Smallest and largest number of folds for the honest scores of an exact ridge. With few rows, many
# folds keep the ridge of a fold close to the ridge of all rows; with many rows, four are enough.
EXACT_FOLDS = (4, 16)
FOLDED_ROWS = 4000
# Largest number of rows that a metric is learned from.
METRIC_ROWS = 600
# Share of the equal metric in a learned metric.
METRIC_SHARE = 0.1
# Rounds of a race in which the member grows: without a common metric every fold has landmarks and
# sums of its own, so that its cost is that of five ridges.
N_ROUNDS = 2


def plan_metric(training, level, states, seed):
    """Fit kernel ridges on columns stretched by the gradients of a Gaussian ridge."""
    n = training.local.n_rows
    if training.is_exact:
        if level > 0:
            return []
        return [
            Bundle.single(name, (_fit_exact, name, seed, place), n**3)
            for place, name in enumerate(states)
        ]
    if level >= N_ROUNDS:
        return []
    stage = training.stage(level)
    folds = stage.folds.pairs()

    def join(results):
        views = [view for _, view in results]
        return {
            name: _join_folds(stage, folds, views, [found[name] for found, _ in results])
            for name in states
        }

    tasks = [(_fit_fold, level, k, dict(states), seed) for k in range(len(folds))]
    cost = len(folds) * len(stage.numbers) * len(stage.landmarks) ** 2
    return [Bundle(tuple(states), tasks, join, cost * len(states))]


class _Metrics(NamedTuple):
    """What the metrics of all rows and of the folds come from, and the metric of all rows.

    Attributes
    ----------
    stretch : ndarray of shape (n_columns,)
        Factors of the columns by the metric of all rows.
    folds : list of tuple
        For every fold the numbers of the other rows and of its own.
    mixtures : list
        For every fold what `draw_mixtures` returned.
    """

    stretch: np.ndarray
    folds: list
    mixtures: list


def _fit_exact(training, name, seed, place):
    """Fit the ridge of all rows, and score every fold by a metric and a ridge without it."""
    seen = training.seen("scaled")
    stretch, folds, _ = _learn_metric(training, seed)
    stretched = seen.seen_as(partial(np.multiply, stretch))
    kernel, alpha, member = training.tune(stretched, family_of(name), 2)
    honest = np.empty_like(member.honest_scores)
    # Members beside each other take the folds from both ends, and seldom wait for a metric.
    for number in list(range(len(folds)))[:: -1 if place % 2 else 1]:
        rest, fold = folds[number]
        own = _stretch_without(training, seed, number)
        part = seen.take(rest).seen_as(partial(np.multiply, own))
        honest[fold] = fit_given_kernel_ridge(part, kernel, alpha).scores(seen[fold] * own)
    view = MetricView(training.views["scaled"], stretch)
    return Grown(ViewedMember(view, member.without_honest_scores(), honest))


def _learn_metric(training, seed):
    """Return the `_Metrics` that all members share."""

    def learn():
        rng, seen = np.random.RandomState(seed), training.seen("scaled")
        base = training.tuned("scaled", "gaussian")
        mixtures = draw_mixtures(seen.n_classes, rng)
        n_folds = int(np.clip(FOLDED_ROWS // seen.n_rows, *EXACT_FOLDS))
        folds = inner_folds(seen.all.codes, n_folds, rng)
        of_folds = [draw_mixtures(seen.n_classes, rng) for _ in folds]
        return _Metrics(_stretch(seen.all, base, mixtures), folds, of_folds)

    return training.shared(("metric", seed), learn)


def _stretch_without(training, seed, number):
    """Return the factors of the columns by the metric of all rows but those of a fold."""

    def learn():
        _, folds, mixtures = _learn_metric(training, seed)
        base, (rest, _) = training.tuned("scaled", "gaussian"), folds[number]
        return _stretch(training.seen("scaled").rows(rest), base, mixtures[number])

    return training.shared(("metric", seed, number), learn)


def _fit_fold(training, level, k, states, seed):
    """Fit the metric and the ridges of one fold; return name → `HeldOut`, and the view."""
    rng = np.random.RandomState([seed, level, k])
    stage, seen = training.stage(level), training.seen("scaled")
    rows = seen.rows(stage.numbers)
    rest, fold = stage.folds.pairs()[k]
    some = rest if len(rest) <= METRIC_ROWS else np.sort(rng.choice(rest, METRIC_ROWS, False))
    few = seen.take(stage.numbers[some])
    widths, alphas = list_candidates(level, "gaussian", few.all.X, None)
    base = fit_kernel_ridge_member(few.take(np.arange(0, few.n_rows, 3)), widths[::2], alphas)
    stretch = _stretch(few.all, base, draw_mixtures(few.n_classes, rng))
    rows = rows._replace(X=rows.X * stretch)
    landmarks = seen[stage.landmarks] * stretch
    view = MetricView(training.views["scaled"], stretch)
    found = {}
    for name, choices in states.items():
        choice = None if choices is None else choices[k]
        family = list_candidates(level, family_of(name), rows.X[some], choice)
        found[name] = fit_held_out_ridges(rows, landmarks, family, rest, fold)
    return found, view


def _join_folds(stage, folds, views, held_out):
    """Return the mean of the ridges of all folds, each of which scores its own rows honestly."""
    chosen = choose_together(held_out)
    honest = np.empty((len(stage.numbers), stage.table.n_classes))
    members = []
    for (_, fold), view, own in zip(folds, views, chosen):
        honest[fold] = own.member.honest_scores
        members.append(ViewedMember(view, own.member.without_honest_scores()))
    choices = [Choice(own.kernel, own.alpha) for own in chosen]
    return Grown(MeanMember(members, honest), choices)


def _stretch(rows, base, mixtures):
    """Return the factors of the columns by the gradients of a ridge with the kernel of `base`."""
    T = rows.targets("one_hot")
    (K,) = evaluate([base.kernel], rows.X)
    A = solve_kernel_ridge(K, T - T.mean(axis=0), base.alpha, rows.sample_weight)
    return np.sqrt(shrink_metric(gradient_metric(rows.X, K, A, mixtures), METRIC_SHARE))
