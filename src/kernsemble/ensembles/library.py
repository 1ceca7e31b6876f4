"""The library of `KernelEnsembleClassifier`: kinds of members, each with honest scores.

Kernel ridges get theirs by closed-form leave-one-out, forests out of their bags, networks by
leave-one-out, and what learns more than a ridge from the labels (a metric) by folds.
"""

import time
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier

from ..kernels import GeneralizedExponential, MedianGrid, evaluate
from ..kernels.statistics import distance_statistics
from ..maps.views import MetricView, fit_rank_view, fit_scaled_view
from ..members.co_ridge import View, combine_views, fit_co_ridge_members
from ..members.kernel_ridge import fit_kernel_ridge_member, fit_large_member
from ..members.viewed import EstimatorMember, ViewedMember, fit_estimator_member, inner_folds
from ..solvers.metric import gradient_metric, shrink_metric
from ..solvers.ridge import solve_kernel_ridge
from ..validation import check_choice
from .mpraf import MPRaFClassifier
from .rvfl_ensemble import RVFLEnsembleClassifier

__all__ = ["KINDS", "Entry", "Workshop", "fit_recipe", "recipes_of"]

#: Up to this many rows a ridge is tuned on all of them; beyond, a sample of so many finds where to
#: look, and the neighbouring candidates are compared on all rows.
TUNING_ROWS = 250
#: Up to this many rows neighbouring widths are compared, beyond neighbouring strengths alone.
REFINED_ROWS = 1500
#: Up to this many rows ridges are exact, beyond they use landmarks.
EXACT_ROWS = 4000
#: Above this many rows, so many random ones are scored honestly, and grow forests and networks.
SCORED_ROWS = 50_000
#: Rows times squared landmarks of one member, the number of multiplications that its fit costs.
WORK = 1.5e11
MAX_LANDMARKS = 1200

ALPHAS = 2.0 ** np.arange(-14, 7)
COUPLINGS = np.array([0.5, 2.0, 8.0])
# Folds that judge a metric: a ridge without a sixteenth of a few hundred rows is nearly that of all
# of them, whose errors it stands for; of many rows even one without a quarter is.
METRIC_FOLDS = (4, 16)
FOLDED_ROWS = 4000
# Share of equal columns in a learned metric.
METRIC_SHARE = 0.1
N_TREES = 200
N_NETWORKS = 30


class Entry(NamedTuple):
    """A fitted member with what the leaderboard says of it.

    Attributes
    ----------
    name : str
    member : object with scores(X)
    honest_scores : ndarray of shape (n_scored, n_classes)
    seconds : float
    """

    name: str
    member: Any
    honest_scores: np.ndarray
    seconds: float

    def scores(self, X):
        return self.member.scores(X)


class Tuned(NamedTuple):
    """Kernel and strength of least leave-one-out error, and the ridge of all rows with them."""

    kernel: Any
    alpha: float
    member: Any


class Workshop:
    """The rows in their views, and what several members need: tuned kernels.

    Threads share it; whoever first needs a tuned kernel finds it, and others wait for it. Every
    other process finds its own, which are the same.
    """

    def __init__(self, X, T, sample_weight, rng):
        self.X, self.T, self.sample_weight = X, T, sample_weight
        self.codes = T.argmax(axis=1)
        n = X.shape[0]
        self.scored = np.arange(n)
        if n > SCORED_ROWS:
            self.scored = np.sort(rng.choice(n, SCORED_ROWS, replace=False))
        self.sample = self.scored
        if n > TUNING_ROWS:
            self.sample = np.sort(_stratified(self.codes[self.scored], TUNING_ROWS, rng))
            self.sample = self.scored[self.sample]
        self.seed = rng.randint(np.iinfo(np.int32).max)
        some = X if n <= SCORED_ROWS else X[self.scored]
        self.views = {"scaled": fit_scaled_view(some), "ranks": fit_rank_view(some)}
        self._open()

    def _open(self):
        self._lock = Lock()
        self._rows: dict = {}
        self._tuned: dict = {}
        self._tuning: dict = {}

    def __getstate__(self):
        shared = ("_lock", "_rows", "_tuned", "_tuning")
        return {name: value for name, value in vars(self).items() if name not in shared}

    def __setstate__(self, state):
        vars(self).update(state)
        self._open()

    @property
    def is_exact(self):
        return len(self.codes) <= EXACT_ROWS

    def rows(self, view):
        """Return all rows as a view sees them."""
        with self._lock:
            if view not in self._rows:
                self._rows[view] = self.views[view](self.X)
            return self._rows[view]

    def weights(self, rows):
        return None if self.sample_weight is None else self.sample_weight[rows]

    def some_rows(self, n_rows):
        """Return so many of the scored row numbers, evenly spread, or all if there are fewer."""
        if len(self.scored) <= n_rows:
            return self.scored
        return np.union1d(self.sample, self.scored[:: -(-len(self.scored) // n_rows)])

    def complete(self, member, rows, honest):
        """Return honest scores of all scored rows: a member has not seen those beyond `rows`."""
        if len(rows) == len(self.scored):
            return honest
        S = np.empty((len(self.scored), honest.shape[1]))
        seen = np.isin(self.scored, rows)
        S[seen] = honest
        S[~seen] = member.scores(self.X[self.scored[~seen]])
        return S

    def tuned(self, view, family):
        """Return the ridge of a family that leave-one-out prefers on a view."""
        key = view, family
        with self._lock:
            lock = self._tuning.setdefault(key, Lock())
        with lock:
            if key not in self._tuned:
                self._tuned[key] = self.tune(self.rows(view), family)
            return self._tuned[key]

    def tune(self, Z, family, step=1):
        """Return the ridge of a family that leave-one-out prefers; every `step`-th width at first.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_columns)
            All rows.
        family : str
        step : int, default=1
        """
        whole = len(self.sample) == len(Z)
        some = Z if whole else Z[self.sample]
        kernels = _widths(family, some)
        found = fit_kernel_ridge_member(
            kernels[::step], ALPHAS, some, self.T[self.sample], self.weights(self.sample)
        )
        if whole and step == 1:
            return Tuned(found.kernel, found.alpha, found.member)
        return self._refine(Z, kernels, kernels.index(found.kernel), found.alpha)

    def _refine(self, Z, kernels, k, alpha):
        """Return the best ridge of all rows in the neighbourhood of what a sample found."""
        if self.is_exact:
            n_aside = 1 if len(Z) <= REFINED_ROWS else 0
            near = kernels[max(k - n_aside, 0) : k + n_aside + 1]
            by_width = self._search(near, [alpha], Z)
            by_strength = self._search([by_width.kernel], [alpha / 4.0, alpha * 4.0], Z)
            found = min(by_width, by_strength, key=lambda search: search.losses.min())
            return Tuned(found.kernel, found.alpha, found.member)
        member = fit_large_member(
            kernels[k],
            alpha * 2.0 ** np.arange(-4, 5),
            Z,
            self.T,
            self.sample_weight,
            scored=self.scored,
            seed=self.seed,
            n_landmarks=int(min(MAX_LANDMARKS, len(Z) // 3, np.sqrt(WORK / len(Z)))),
        )
        return Tuned(kernels[k], alpha, member)

    def _search(self, kernels, alphas, Z):
        return fit_kernel_ridge_member(kernels, np.array(alphas), Z, self.T, self.sample_weight)


def _widths(family, Z):
    """Return the kernels of a family that tuning tries."""
    rng = np.random.RandomState(0)
    if family == "gaussian":
        return MedianGrid("rbf", -6, 4).sample(Z, 6, rng)
    if family == "exponential":
        scale = distance_statistics(Z, rng, p=1.0).median
        return [GeneralizedExponential(scale * 2.0**k, p=1.0, q=0.7) for k in (0, 2, 4)]
    name = "laplacian" if family == "laplace_l1" else "laplacian_l2"
    return MedianGrid(name, -4, 2).sample(Z, 4, rng)


def _stratified(codes, size, rng):
    """Return so many row numbers, the classes in their shares, none of them left out."""
    order = np.argsort(codes + rng.uniform(size=len(codes)))
    spread = order[np.linspace(0, len(codes) - 1, size).round().astype(int)]
    _, first = np.unique(codes, return_index=True)
    return np.union1d(spread, first)


class RidgeRecipe(NamedTuple):
    """A kernel ridge of one family on one view."""

    name: str
    view: str
    family: str

    def fit(self, shop, rng):
        member = shop.tuned(self.view, self.family).member
        return ViewedMember(shop.views[self.view], member), member.honest_scores


class MetricRecipe(NamedTuple):
    """A kernel ridge on columns stretched by the gradients of a Gaussian one.

    The metric has seen the label of every row, so honest scores come from folds: the rest learns
    its own metric and its own ridge.
    """

    name: str
    family: str

    def fit(self, shop, rng):
        Z, sample = shop.rows("scaled"), shop.some_rows(REFINED_ROWS)
        stretch = self._stretch(shop, sample, rng)
        kernel, alpha, member = shop.tune(Z * stretch, self.family, step=2)
        view = MetricView(shop.views["scaled"], stretch)
        if not shop.is_exact:
            # The metric has seen a sample alone, a small part of the rows that are scored.
            return ViewedMember(view, member), member.honest_scores
        honest = np.empty_like(member.honest_scores)
        n_folds = int(np.clip(FOLDED_ROWS // len(Z), *METRIC_FOLDS))
        for rest, fold in inner_folds(shop.codes, n_folds, rng):
            own = self._stretch(shop, np.intersect1d(rest, sample), rng)
            part = fit_kernel_ridge_member(
                [kernel], np.array([alpha]), Z[rest] * own, shop.T[rest], shop.weights(rest)
            )
            honest[fold] = part.member.scores(Z[fold] * own)
        return ViewedMember(view, member), honest

    def _stretch(self, shop, rows, rng):
        base = shop.tuned("scaled", "gaussian")
        Z, T = shop.rows("scaled")[rows], shop.T[rows]
        (K,) = evaluate([base.kernel], Z)
        A = solve_kernel_ridge(K, T - T.mean(axis=0), base.alpha, shop.weights(rows))
        return np.sqrt(shrink_metric(gradient_metric(Z, K, A, rng), METRIC_SHARE))


class CoTrainedRecipe(NamedTuple):
    """A Gaussian ridge on the scaled columns and a Laplacian one on ranks, drawn together."""

    name: str

    def fit(self, shop, rng):
        rows, options = shop.some_rows(EXACT_ROWS), {}
        if len(rows) > 3 * TUNING_ROWS:
            options = {"n_landmarks": 2 * TUNING_ROWS}
        kinds = (("scaled", "gaussian"), ("ranks", "laplace_l1"))
        tuned = [shop.tuned(*kind) for kind in kinds]
        views = [
            View(_Through(shop.views[name]), [choice.kernel])
            for (name, _), choice in zip(kinds, tuned)
        ]
        found = fit_co_ridge_members(
            views,
            np.unique([choice.alpha for choice in tuned]),
            COUPLINGS,
            shop.X[rows],
            shop.T[rows],
            shop.weights(rows),
            combine="avg",
            seed=rng.randint(2**31 - 1),
            **options,
        )
        member = MeanMember(found.members)
        honest = combine_views([view.honest_scores for view in found.members], "avg")
        return member, shop.complete(member, rows, honest)


class ForestRecipe(NamedTuple):
    """An oblique random forest, scored out of its bags."""

    name: str

    def fit(self, shop, rng):
        rows = shop.some_rows(SCORED_ROWS)
        forest = MPRaFClassifier(N_TREES, oob_score=True, random_state=rng.randint(2**31 - 1))
        forest.fit(shop.X[rows], shop.codes[rows], shop.weights(rows))
        member = EstimatorMember(forest, shop.T.shape[1])
        return member, shop.complete(member, rows, forest.oob_decision_function_)


class NetworkRecipe(NamedTuple):
    """Random vector functional link networks, scored by leave-one-out."""

    name: str

    def fit(self, shop, rng):
        rows = shop.some_rows(SCORED_ROWS)
        networks = RVFLEnsembleClassifier(N_NETWORKS, random_state=rng.randint(2**31 - 1))
        view = shop.views["scaled"]
        networks.fit(view(shop.X[rows]), shop.codes[rows], shop.weights(rows))
        member = NetworkMember(view, networks)
        return member, shop.complete(member, rows, as_shares(networks.loo_scores_))


class EstimatorRecipe(NamedTuple):
    """A classifier of the user's own, scored by folds."""

    name: str
    estimator: Any

    def fit(self, shop, rng):
        rows = shop.some_rows(SCORED_ROWS)
        member, honest = fit_estimator_member(
            self.estimator,
            shop.X[rows],
            shop.codes[rows],
            shop.T.shape[1],
            shop.weights(rows),
            rng,
        )
        return member, shop.complete(member, rows, honest)


class MeanMember(NamedTuple):
    """The mean score of several members."""

    members: list

    def scores(self, X):
        return combine_views([member.scores(X) for member in self.members], "avg")


class NetworkMember(NamedTuple):
    """Networks on a view, their margins as class shares."""

    view: Any
    networks: Any

    def scores(self, X):
        S = self.networks.decision_function(self.view(X))
        return as_shares(S[:, None] if S.ndim == 1 else S)


class _Through(NamedTuple):
    """A view with the method that co-training asks for."""

    view: Any

    def transform(self, X):
        return self.view(X)


def as_shares(S):
    """Return class scores on the scale of indicators from scores on the scale of ±1."""
    return 0.5 * (1.0 + (np.hstack([-S, S]) if S.shape[1] == 1 else S))


#: What `members` may name: kind → its recipes.
KINDS: dict[str, tuple] = {
    "gaussian": (RidgeRecipe("gaussian", "scaled", "gaussian"),),
    "laplace_l1": (RidgeRecipe("laplace_l1", "scaled", "laplace_l1"),),
    "laplace_l2": (RidgeRecipe("laplace_l2", "scaled", "laplace_l2"),),
    "exponential": (RidgeRecipe("exponential", "scaled", "exponential"),),
    "forest": (ForestRecipe("forest"),),
    "metric": (
        MetricRecipe("metric gaussian", "gaussian"),
        MetricRecipe("metric laplace_l1", "laplace_l1"),
    ),
    "ranks": (
        RidgeRecipe("ranks gaussian", "ranks", "gaussian"),
        RidgeRecipe("ranks laplace_l1", "ranks", "laplace_l1"),
    ),
    "co_trained": (CoTrainedRecipe("co_trained"),),
    "rvfl": (NetworkRecipe("rvfl"),),
}


def recipes_of(members):
    """Return the recipes of kinds and estimators, in order.

    Parameters
    ----------
    members : list of str and classifiers, or None
        None means every kind.
    """
    recipes: list = []
    for member in KINDS if members is None else members:
        if isinstance(member, str):
            check_choice(member, "members", KINDS)
            recipes.extend(KINDS[member])
        elif hasattr(member, "__sklearn_tags__") and is_classifier(member):
            recipes.append(EstimatorRecipe(type(member).__name__, member))
        else:
            raise TypeError(f"members must hold names of kinds or classifiers, got {member!r}.")
    if not recipes:
        raise ValueError("members must name at least one kind or classifier, got none.")
    return recipes


def fit_recipe(shop, recipe, seed, deadline):
    """Return the entry of a recipe, None when the time is over before it starts.

    Parameters
    ----------
    shop : Workshop
    recipe : NamedTuple with fit(shop, rng)
    seed : int
    deadline : float or None
        By `time.time()`, which the machines of a cluster have in common.
    """
    if deadline is not None and time.time() > deadline:
        return None
    start = time.perf_counter()
    member, honest = recipe.fit(shop, np.random.RandomState(seed))
    return Entry(recipe.name, member, honest, time.perf_counter() - start)
