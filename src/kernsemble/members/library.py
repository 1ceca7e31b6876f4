"""The functions that fit the members of `KernelEnsembleClassifier`, by name.

Every member has honest scores. Those of kernel ridges and networks are leave-one-out scores in
closed form, those of forests are out-of-bag scores, and those of members with a learned metric or
of other classifiers come from cross-validation.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from ..kernels import evaluate
from ..maps.views import MetricView
from ..seeds import draw_seed, draw_seeds
from ..solvers.metric import gradient_metric, shrink_metric
from ..solvers.ridge import solve_kernel_ridge
from ..strengths import SCALES, STRENGTHS
from ..tables.draws import inner_folds
from ..trees.engine import Growth
from .co_ridge import ViewKernels, combine_views, fit_co_ridge_members
from .forest import MIN_DECREASE, ForestPlan, fit_forest_member
from .kernel_ridge import fit_kernel_ridge_member
from .member import Member
from .networks import fit_networks_member
from .training_views import EXACT_ROWS, REFINED_ROWS, SCORED_ROWS, TUNING_ROWS
from .viewed import ViewedMember, fit_estimator_member

COUPLINGS = np.array([0.5, 2.0, 8.0])
# Smallest and largest number of folds for the honest scores of a metric. With few rows, many folds
# keep the ridge of a fold close to the ridge of all rows; with many rows, four folds are enough.
METRIC_FOLDS = (4, 16)
FOLDED_ROWS = 4000
# Share of the equal metric in a learned metric.
METRIC_SHARE = 0.1
N_TREES = 200
N_NETWORKS = 30
N_HIDDEN = 100


def fit_ridge(training, rng, *, view, family):
    """Fit a kernel ridge of one family on one view."""
    return ViewedMember.of(training.views[view], training.tuned(view, family).member)


def fit_metric_ridge(training, rng, *, family):
    """Fit a kernel ridge on columns stretched by the gradients of a Gaussian ridge.

    The metric depends on the label of every row, so honest scores come from cross-validation, in
    which the metric and the ridge are fitted without each fold.
    """
    seen, sample = training.seen("scaled"), training.some(REFINED_ROWS)
    stretch = _stretch(training, sample, rng)
    kernel, alpha, member = training.tune(seen.seen_as(partial(np.multiply, stretch)), family, 2)
    view = MetricView(training.views["scaled"], stretch)
    if not training.is_exact:
        # The metric was fitted to a sample, a small part of the rows that are scored.
        return ViewedMember.of(view, member)
    honest = np.empty_like(member.honest_scores)
    n_folds = int(np.clip(FOLDED_ROWS // seen.n_rows, *METRIC_FOLDS))
    for rest, fold in inner_folds(seen.all.codes, n_folds, rng):
        own = _stretch(training, np.intersect1d(rest, sample), rng)
        part = seen.take(rest).seen_as(partial(np.multiply, own))
        found = fit_kernel_ridge_member(part, [kernel], np.array([alpha]))
        honest[fold] = found.member.scores(seen[fold] * own)
    return ViewedMember(view, member.without_honest_scores(), honest)


def _stretch(training, numbers, rng):
    base = training.tuned("scaled", "gaussian")
    rows = training.seen("scaled").rows(numbers)
    T = rows.targets("one_hot")
    (K,) = evaluate([base.kernel], rows.X)
    A = solve_kernel_ridge(K, T - T.mean(axis=0), base.alpha, rows.sample_weight)
    return np.sqrt(shrink_metric(gradient_metric(rows.X, K, A, rng), METRIC_SHARE))


def fit_co_trained(training, rng):
    """Fit a Gaussian ridge on scaled columns coupled with a Laplacian ridge on ranks."""
    numbers, options = training.some(EXACT_ROWS), {}
    if len(numbers) > 3 * TUNING_ROWS:
        options = {"n_landmarks": 2 * TUNING_ROWS}
    kinds = (("scaled", "gaussian"), ("ranks", "laplace_l1"))
    tuned = [training.tuned(*kind) for kind in kinds]
    views = [
        ViewKernels(training.views[view], [choice.kernel])
        for (view, _), choice in zip(kinds, tuned)
    ]
    found = fit_co_ridge_members(
        training.table.take(numbers),
        views,
        np.unique([choice.alpha for choice in tuned]),
        COUPLINGS,
        combine="mean",
        seed=draw_seed(rng),
        **options,
    )
    honest = combine_views([view.honest_scores for view in found.members], "mean")
    members = [view.without_honest_scores() for view in found.members]
    return _completed(training, MeanMember(members, honest), numbers)


def fit_forest(training, rng):
    """Grow an oblique random forest with out-of-bag scores."""
    numbers = training.some(SCORED_ROWS)
    n_features = training.table.shape[1]
    growth = Growth(
        n_drawn=min(n_features, max(1, round(np.sqrt(n_features)))),
        max_depth=np.iinfo(np.int32).max,
        min_samples_split=5,
        min_samples_leaf=1,
        min_decrease=MIN_DECREASE,
        regularization="axis",
        alpha=0.01,
        bootstrap=True,
    )
    seeds = draw_seeds(np.random.RandomState(draw_seed(rng)), N_TREES)
    table = training.table.take(numbers)
    member = fit_forest_member(table, ForestPlan(growth, out_of_bag=True), seeds)
    return _completed(training, member, numbers)


def fit_networks(training, rng):
    """Fit random vector functional link networks with leave-one-out scores."""
    numbers = training.some(SCORED_ROWS)
    table, view = training.table.take(numbers), training.views["scaled"]
    member = fit_networks_member(table, view, N_NETWORKS, N_HIDDEN, SCALES, STRENGTHS, rng)
    return _completed(training, member, numbers)


def fit_estimator(training, rng, *, estimator):
    """Fit any scikit-learn classifier, with scores from cross-validation."""
    numbers = training.some(SCORED_ROWS)
    member = fit_estimator_member(training.table.take(numbers), estimator, rng)
    return _completed(training, member, numbers)


def _completed(training, member, numbers):
    return replace(member, honest_scores=training.complete(member, numbers))


@dataclass(frozen=True, eq=False)
class MeanMember(Member):
    """Several members as one, whose scores are the mean of theirs."""

    members: list[Any]
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        return combine_views([member.scores(X) for member in self.members], "mean")


#: Name of a member → function of the `TrainingViews` and a random generator that fits it.
FITTERS: dict[str, Callable] = {
    "gaussian": partial(fit_ridge, view="scaled", family="gaussian"),
    "laplace_l1": partial(fit_ridge, view="scaled", family="laplace_l1"),
    "laplace_l2": partial(fit_ridge, view="scaled", family="laplace_l2"),
    "exponential": partial(fit_ridge, view="scaled", family="exponential"),
    "forest": fit_forest,
    "metric gaussian": partial(fit_metric_ridge, family="gaussian"),
    "metric laplace_l1": partial(fit_metric_ridge, family="laplace_l1"),
    "ranks gaussian": partial(fit_ridge, view="ranks", family="gaussian"),
    "ranks laplace_l1": partial(fit_ridge, view="ranks", family="laplace_l1"),
    "co_trained": fit_co_trained,
    "rvfl": fit_networks,
}

#: Kind that the parameter `members` may name → the names of its members. The kind is the first word
#: of a name: "metric gaussian" and "metric laplace_l1" are both of the kind "metric".
KINDS: dict[str, tuple[str, ...]] = {
    kind: tuple(names) for kind, names in groupby(FITTERS, lambda name: name.split()[0])
}
