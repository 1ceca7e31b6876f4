"""The kinds of members of `KernelEnsembleClassifier`: what each fits at every size.

A plan is a function of the `TrainingViews`, the number of the round, what is known of the members
of the round before (name → state) and a seed. It returns bundles of tasks, none when its members
have no larger size. Every member has honest scores of the rows of its stage: by leave-one-out in
closed form, out of bag, or by folds.
"""

from collections.abc import Callable
from functools import partial
from itertools import groupby

import numpy as np
from sklearn.utils import gen_batches, get_tags

from ..seeds import draw_seeds
from ..strengths import SCALES, STRENGTHS
from ..trees.engine import Growth
from .additive import plan_additive
from .boosted_plan import MAX_CLASSES, plan_boosted, sees_more_rows
from .forest import MIN_DECREASE, ForestMember, ForestPlan, grow_batch, prepare_rows
from .metric_ridge import plan_metric
from .networks import fit_networks_member
from .plans import DOUBT, Bundle, Grown, LogShares
from .ridge_race import plan_ridges
from .training_views import EXACT_ROWS
from .viewed import ViewedMember, fit_estimator_member

FOREST_TREES = (50, 100, 200)
# What trees see of categories with many levels. Splits at a node put levels in order by the classes
# of its own rows, so that they find what a level means beside other columns.
FOREST_COLUMNS = "by_levels"
TASK_TREES = 20
# Up to so many rows oblique trees are grown on rotated columns, if these are known numbers, and a
# second forest has ordinary trees. Beyond, these tell nothing that boosted ones do not, and every
# rotation has its columns sorted anew.
FEW_TREE_ROWS = 2000
# Number of columns rotated together, and of trees that share a rotation: as good as one for each.
GROUP_SIZE, TREES_PER_ROTATION = 3, 10
# A metric has a number for each column. From fewer rows than this for each it is mostly noise, with
# an honest loss that is now and then the least by luck.
METRIC_ROWS_PER_COLUMN = 20
# Networks for few rows or in a first round that a larger one follows, and in any other.
N_NETWORKS, N_HIDDEN = (10, 20), 100
# Largest number of random weights of all networks: 3 networks of 100,000 columns.
MAX_WEIGHTS = 3 * 10**7
# Added to the shares of forests before logarithms are taken.
FOREST_DOUBT = 5e-3


def _size(sizes, level):
    """Return the size of a round, or None when there is none."""
    return sizes[level] if level < len(sizes) else None


def _generator(seed, level):
    return np.random.RandomState([seed, level])


def plan_forest(training, level, states, seed, *, oblique=True):
    """Grow a random forest with out-of-bag scores, of oblique trees or of ordinary ones.

    Oblique trees are grown on rotated columns where that is worth its time.
    """
    ((name, state),) = states.items()
    stage, n_trees = training.stage(level), _size(FOREST_TREES, level)
    if training.is_exact:
        n_trees = FOREST_TREES[-1] if level == 0 else None
    if n_trees is None:
        return []
    trees, found = ([], None) if state is None or training.grows(level) else state
    seeds = draw_seeds(_generator(seed, level), n_trees - len(trees))

    def join(grown):
        more, counted = [tree for part, _ in grown for tree in part], found
        for _, own in grown:
            counted = own if counted is None else counted + own
        grown_trees = trees + more
        member = ForestMember(grown_trees, counted.shares(stage.table.class_weights))
        seen = LogShares.of(training.widened(member, FOREST_COLUMNS), FOREST_DOUBT)
        return {name: Grown(seen, (grown_trees, counted))}

    batches = gen_batches(len(seeds), TASK_TREES)
    tasks = [(_grow_trees, level, seeds[part], oblique) for part in batches]
    return [Bundle((name,), tasks, join, stage.table.n_rows * len(seeds))]


def _grow_trees(training, level, seeds, oblique):
    table = training.narrow(training.stage(level).table, FOREST_COLUMNS)
    n_features = table.shape[1]
    growth = Growth(
        n_drawn=min(n_features, max(1, round(np.sqrt(n_features)))),
        max_depth=np.iinfo(np.int32).max,
        # Planes overfit small nodes; ordinary splits may go on until every leaf is pure.
        min_samples_split=5 if oblique else 2,
        min_samples_leaf=1,
        min_decrease=MIN_DECREASE,
        regularization="axis" if oblique else None,
        alpha=0.01,
        bootstrap=True,
    )
    plan = ForestPlan(growth, out_of_bag=True)
    prepared = training.shared(("forest", table.n_rows), lambda: prepare_rows(table, plan))
    if oblique and table.columns.is_plain and training.table.n_rows <= FEW_TREE_ROWS:
        prepared = prepared._replace(ranked=None)
        plan = plan._replace(group_size=GROUP_SIZE, trees_per_rotation=TREES_PER_ROTATION)
    return grow_batch(prepared, plan, seeds)


def plan_networks(training, level, states, seed):
    """Fit random vector functional link networks with leave-one-out scores."""
    return _plan_once(training, level, states, (_fit_networks, level, seed))


def _fit_networks(training, level, seed):
    table, view = training.stage(level).table, training.views["scaled"]
    few = MAX_WEIGHTS // (N_HIDDEN * table.shape[1])
    n_networks = N_NETWORKS[not (training.is_exact or training.grows(level + 1))]
    sizes = max(1, min(n_networks, few)), N_HIDDEN, SCALES, STRENGTHS
    return Grown(fit_networks_member(table, view, *sizes, _generator(seed, level)))


def plan_estimator(training, level, states, seed, *, estimator):
    """Fit any scikit-learn classifier, with scores from cross-validation.

    Categories and missing values reach it as the numbers of the scaled view.
    """
    return _plan_once(training, level, states, (_fit_estimator, level, seed, estimator))


def _fit_estimator(training, level, seed, estimator):
    table, rng = training.stage(level).table, _generator(seed, level)
    if table.columns.is_plain:
        member = fit_estimator_member(table, estimator, rng)
    else:
        view = training.views["scaled"]
        member = ViewedMember.of(view, fit_estimator_member(table.seen_as(view), estimator, rng))
    return Grown(LogShares.of(member, DOUBT))


def _plan_once(training, level, states, task):
    """Return the bundle of a member of one size, which more rows alone can better."""
    (name,) = states
    if level > 0 and not training.grows(level):
        return []
    return [Bundle.single(name, task, training.stage(level).table.n_rows)]


_SCALED, _RANKS = partial(plan_ridges, view="scaled"), partial(plan_ridges, view="levels")
_AXIS = partial(plan_forest, oblique=False)

#: Name of a member → the plan that fits it, together with others of the same plan.
PLANS: dict[str, Callable] = {
    "gaussian": _SCALED,
    "laplace_l1": _SCALED,
    "laplace_l2": _SCALED,
    "exponential": _SCALED,
    "boosted": plan_boosted,
    "forest": plan_forest,
    "forest axis": _AXIS,
    "metric gaussian": plan_metric,
    "metric laplace_l1": plan_metric,
    "ranks gaussian": _RANKS,
    "ranks laplace_l1": _RANKS,
    "rvfl": plan_networks,
    "additive": plan_additive,
}


def takes_sparse(plan):
    """Return whether the members of a plan can be fitted to sparse rows."""
    if isinstance(plan, partial) and "estimator" in plan.keywords:
        return get_tags(plan.keywords["estimator"]).input_tags.sparse
    return plan in (_SCALED, plan_additive)


def why_leave_out(plan, training):
    """Return why members of a plan are not worth their time, or None if they may be."""
    if plan is plan_metric:
        if not training.is_exact:
            return f"more than {EXACT_ROWS:,} rows"
        n_rows, n_columns = training.seen("scaled").shape
        if n_rows < METRIC_ROWS_PER_COLUMN * n_columns:
            return f"fewer than {METRIC_ROWS_PER_COLUMN} rows for each column"
    if plan is _AXIS and training.table.n_rows > FEW_TREE_ROWS:
        return f"more than {FEW_TREE_ROWS:,} rows"
    if plan is plan_boosted and training.local.n_classes > MAX_CLASSES:
        return f"more than {MAX_CLASSES} classes"
    return None


def has_many_sizes(plan):
    """Return whether members of a plan may need a larger size to show what they are worth.

    A forest of few trees shows it already.
    """
    return plan in (_SCALED, _RANKS, plan_boosted)


def has_more_rows(plan, training, level):
    """Return whether members of a plan see more rows in a round than in the one before."""
    return training.grows(level) or (plan is plan_boosted and sees_more_rows(training, level))


#: Kind that the parameter `members` may name → the names of its members. The kind is the first word
#: of a name: "metric gaussian" and "metric laplace_l1" are both of the kind "metric".
KINDS: dict[str, tuple[str, ...]] = {
    kind: tuple(names) for kind, names in groupby(PLANS, lambda name: name.split()[0])
}
