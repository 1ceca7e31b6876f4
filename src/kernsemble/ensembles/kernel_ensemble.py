"""The ensemble to try first: many kinds of members, weighted by scores they did not train for."""

import time
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ..calibration import HonestScores
from ..combine import pool_honestly, pool_temperature
from ..fitting.base import KernelEnsemble
from ..fitting.dispatch import count_workers, run_tasks
from ..fitting.found import Found
from ..fitting.parameters import with_parameters
from ..members.library import KINDS, PLANS, plan_estimator, takes_sparse, why_leave_out
from ..members.member import Member
from ..members.together import class_scores_together
from ..members.training_views import SCORED_ROWS, TrainingViews
from ..seeds import draw_seeds
from ..validation import check_choice, check_real
from ..workers import work_clock
from .leaderboard import make_leaderboard, reliability
from .race import Clock, Entrant, run_race

# Members without which no honest probability changes by more than this are dropped.
MAX_CHANGE = 1e-3


@with_parameters
class KernelEnsembleClassifier(KernelEnsemble):
    """Kernel machines and trees, weighted by honest scores: no tuning needed.

    Members are kernel ridges in several families and widths (on scaled columns, on ranks, and under
    a metric learned from gradients), boosted trees, forests of oblique and of ordinary trees,
    random networks and an additive logistic regression on curves of the columns. Every member
    scores each training row by a model that did not see its label: in closed form by leave-one-out,
    out of bag, or by folds. These scores calibrate the probabilities of each member, and the
    prediction is the weighted mean of these, with the weights of least log-loss, near equal ones
    for few rows, and with a bias for every class. The same scores tune each member and give
    conformal label sets and the ensemble's own accuracy.

    Parameters
    ----------
    members : list
        Kinds by name ("gaussian", "laplace_l1", "laplace_l2", "exponential", "boosted", "forest",
        "metric", "ranks", "rvfl", "additive") and classifiers of your own, which are scored by
        five folds. None means all kinds.
    time_budget : float
        Seconds after which nothing further is started; the first member always is. A fit that is
        interrupted returns what it has. With a budget the answer depends on the machine.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Member, honest accuracy, honest log-loss, weight and seconds, the largest weight first, and
        why a member was left out. It prints as a table; `to_frame()` makes it a DataFrame.
    race_ : list of Round
        What each round came to: rows compared on, members fitted anew, honest log-loss, seconds.
    estimators_ : list of NamedMember
        The members with a weight.
    weights_ : ndarray of shape (n_estimators,)
        Their weights.
    {honest}
    {fitted_plain}

    Notes
    -----
    Columns are scaled inside, robustly, and constant ones left out. Categories and missing values
    are taken as they are: trees split on them, and for kernels and networks a category is a
    mismatch on the scale of a number and a missing value has its expected squared difference. A
    category with more than 30 levels, and moments that several rows have in common, enter by the
    class shares of their levels among other rows; forests and ridges on ranks see the levels.
    Sparse rows go to the kernels on scaled columns and to the additive regression. A metric is
    learned from at least 20 rows for each column and at most 1,000 rows, trees are boosted for up
    to 50 classes, and up to 2,000 rows a second forest has ordinary trees, and the oblique ones
    are grown on rotated columns where all values are known numbers. The leaderboard names the
    members that are left out.

    Up to 1,000 rows, ridges are exact. Beyond, members race: all start on at most 8,000 rows, with
    200 landmarks and few trees, are pooled, and only those that earn weight or improve fast are
    brought up in rounds, until the honest log-loss stops improving. At most 50,000 rows get honest
    scores, and forests, networks and the additive regression see no others. Landmark ridges see all
    rows, and so do boosted trees of weight in their later rounds, up to 20 million values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelEnsembleClassifier(["gaussian", "laplace_l1"], random_state=0).fit(X, y)
    >>> bool(clf.honest_accuracy_ > 0.9)
    True
    >>> clf.predict_set(X[:1], confidence=0.9)
    array([[ True, False, False]])
    """

    members: list | None = None
    _: KW_ONLY
    time_budget: float | None = None
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None
    verbose: int = 0

    _coding = "one_hot"
    _accept_sparse = True
    _accept_chunks = True
    _accept_mixed = True
    _keep_codes = True
    _merge_copies = False

    @staticmethod
    def kinds():
        """Return the names that `members` may hold.

        Returns
        -------
        names : list of str
            One name for each kind of member.
        """
        return list(KINDS)

    @property
    def n_estimators(self):
        """Number of members that are fitted, before those without weight are dropped."""
        return len(self._plans())

    def plot(self, axes=None):
        """Draw the leaderboard, and how far honest probabilities can be believed.

        Parameters
        ----------
        axes : pair of matplotlib axes, default=None
            None makes a new figure.

        Returns
        -------
        figure : matplotlib Figure
            The figure of the axes.
        """
        check_is_fitted(self)
        import matplotlib.pyplot as plt

        if axes is None:
            _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        self.leaderboard_.plot(axes[0])
        honest = self.honest_
        said, came = reliability(self._probabilities(honest.scores), honest.codes)
        axes[1].plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axes[1].plot(said, came, "o-", color="#1f4e79")
        axes[1].set(
            xlabel="probability of the predicted class",
            ylabel="honest accuracy",
            title=f"honest accuracy {self.honest_accuracy_:.3f}",
            xlim=(min(0.4, said.min()), 1.01),
            ylim=(min(0.4, came.min()), 1.01),
        )
        return axes[0].figure

    def _block_scores(self, X):
        return self.combination_(class_scores_together(self.estimators_, X))

    def _check_params(self, table):
        super()._check_params(table)
        if self.time_budget is not None:
            check_real(self.time_budget, "time_budget", low=0.0, open_low=True)

    def _score_values(self, table):
        return 2 * min(table.n_rows, SCORED_ROWS) * table.n_classes

    def _plans(self):
        """Return pairs (name, plan) of the members, in order."""
        plans: list = []
        for member in KINDS if self.members is None else self.members:
            if isinstance(member, str):
                check_choice(member, "members", KINDS)
                plans += [(name, PLANS[name]) for name in KINDS[member]]
            elif hasattr(member, "__sklearn_tags__") and is_classifier(member):
                plans.append((type(member).__name__, partial(plan_estimator, estimator=member)))
            else:
                raise TypeError(f"members must hold names of kinds or classifiers, got {member!r}.")
        if not plans:
            raise ValueError("members must name at least one kind or classifier, got none.")
        return _number_equals(plans)

    def _fit_members(self, table, rng):
        clock = Clock(self.time_budget, count_workers(self.n_jobs))
        training = TrainingViews(table, rng)
        plans, left_out = _suited(self._plans(), training)
        seeds = draw_seeds(rng, len(plans))
        entrants = [Entrant(name, plan, seed) for (name, plan), seed in zip(plans, seeds)]
        # Work on a table in parts is spread over the parts, not over the members.
        options = {"n_jobs": self.n_jobs, "one_by_one": not table.in_memory}
        options["verbose"] = self.verbose
        options["as_they_come"] = self.time_budget is not None
        run = partial(run_tasks, _run_task, (training,), **options)
        return _conclude(table, training, run_race(training, entrants, run, clock), left_out)


def _number_equals(plans):
    """Return the pairs (name, plan) with different names: the second of a name has a number."""
    counts: dict[str, int] = {}
    named = []
    for name, plan in plans:
        counts[name] = counts.get(name, 0) + 1
        named.append((name if counts[name] == 1 else f"{name} {counts[name]}", plan))
    return named


def _suited(plans, training):
    """Return the pairs (name, plan) of members to fit, and name → reason of those left out."""
    left_out = {}
    if sparse.issparse(training.local.all.X):
        left_out = {n: "it takes no sparse rows" for n, plan in plans if not takes_sparse(plan)}
    able = [(name, plan) for name, plan in plans if name not in left_out]
    if not able:
        raise ValueError(
            f"None of the members {', '.join(left_out)} takes sparse rows; add another kind, or "
            "pass X.toarray()."
        )
    poor = {n: why for n, plan in able if (why := why_leave_out(plan, training)) is not None}
    # Members that are not worth their time are fitted where there are no others.
    if len(poor) == len(able):
        return able, left_out
    return [(name, plan) for name, plan in able if name not in poor], {**left_out, **poor}


def _run_task(training, task, deadline):
    """Return the result of a task and its seconds, or None when the time is over before it starts.

    The deadline is by `time.time()`, which the machines of a cluster have in common.
    """
    if deadline is not None and time.time() >= deadline:
        return None, 0.0
    function, *args = task
    start = work_clock()
    result = function(training, *args)
    return result, work_clock() - start


def _conclude(table, training, standings, left_out):
    """Drop members that change nothing, and store the leaderboard entries of all."""
    pool, honest, runners = standings.pool, standings.honest, standings.runners
    numbers = training.scored[standings.numbers]
    leaderboard = make_leaderboard(
        [runner.name for runner in runners],
        honest,
        pool,
        [runner.seconds for runner in runners],
        standings.codes,
        standings.sample_weight,
        left_out,
    )
    kept = pool.needed(honest, MAX_CHANGE)
    pool = pool.keep(kept).balanced(honest[kept], standings.codes, standings.sample_weight)
    members = [
        NamedMember(runners[k].name, runners[k].member.without_honest_scores().compact())
        for k in kept
    ]
    codes, weights = standings.codes, standings.sample_weight
    folds = training.fold_of_row[standings.numbers]
    scores = HonestScores(pool(honest[kept]), codes, weights, numbers)
    attributes = {"leaderboard_": leaderboard, "weights_": pool.weights}
    attributes["race_"] = list(standings.rounds)
    # The pool itself, like every member, has a temperature.
    attributes["temperature_"] = pool_temperature(scores, len(kept))
    scores = scores._replace(scores=pool_honestly(honest[kept], codes, folds, weights))
    return Found(members, attributes, scores, pool)


@dataclass(frozen=True, eq=False)
class NamedMember(Member):
    """A member under the name that the leaderboard has for it.

    Attributes
    ----------
    name : str
    member : Member
    """

    name: str
    member: Any

    def scores(self, X):
        return self.member.scores(X)

    def scores_through(self, seen):
        return self.member.scores_through(seen)

    def expansions(self):
        return self.member.expansions()

    def held_rows(self):
        return self.member.held_rows()

    def kernel_terms(self):
        return self.member.kernel_terms()

    def hidden_units(self):
        return self.member.hidden_units()
