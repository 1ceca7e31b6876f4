"""The members of a race: what a round fits, what it costs, and whose rows score honestly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier

from kernsemble.datasets import make_waveform
from kernsemble.members import library, training_views
from kernsemble.members.forest import ForestMember, ForestPlan, fit_forest_member
from kernsemble.members.metric_ridge import METRIC_SHARE, plan_metric
from kernsemble.members.ridge_race import Choice, list_candidates, plan_ridges
from kernsemble.members.training_views import ALPHAS, TrainingViews
from kernsemble.members.viewed import ViewedMember, fit_estimator_member
from kernsemble.solvers.metric import gradient_metric
from kernsemble.tables import MemoryTable
from kernsemble.tables.draws import inner_folds
from kernsemble.trees.engine import Growth


def train(n_rows, n_classes=3, seed=0):
    X, y = make_waveform(n_rows, random_state=seed)
    codes = y if n_classes == 3 else np.arange(n_rows) % n_classes
    table = MemoryTable(X[:, :8], codes, np.arange(n_classes))
    return TrainingViews(table, np.random.RandomState(seed))


def test_a_learned_metric_scores_a_row_by_a_metric_and_a_ridge_without_it():
    training = train(60)
    (bundle,) = plan_metric(training, 0, {"metric gaussian": None}, 3)
    ((function, *args),) = bundle.tasks
    member = bundle.join([function(training, *args)])["metric gaussian"].member
    seen, base = training.seen("scaled"), training.tuned("scaled", "gaussian")
    X, T = seen.all.X, seen.all.targets("one_hot")

    def stretch_of(rows):
        K, aims = base.kernel(X[rows]), T[rows] - T[rows].mean(axis=0)
        A = np.linalg.solve(K + base.alpha * np.eye(len(rows)), aims)
        metric = gradient_metric(X[rows], K, A)
        return np.sqrt((1.0 - METRIC_SHARE) * metric + METRIC_SHARE)

    every = stretch_of(np.arange(60))
    assert_allclose(member.view(training.local.all.X), every * X)
    kernel, alpha, _ = training.tune(seen.seen_as(lambda Z: every * Z), "gaussian", 2)
    folds = inner_folds(seen.all.codes, 16, np.random.RandomState(3))
    assert len(folds) == 16
    for rest, fold in folds[::5]:
        own, shares = stretch_of(rest), T[rest].mean(axis=0)
        K = kernel(own * X[rest]) + alpha * np.eye(len(rest))
        A = np.linalg.solve(K, T[rest] - shares)
        expected = shares + kernel(own * X[fold], own * X[rest]) @ A
        assert_allclose(member.honest_scores[fold], expected, atol=1e-7)


@pytest.mark.parametrize("plan", [plan_metric, library.PLANS["gaussian"]])
def test_an_exact_ridge_costs_the_cube_of_its_rows(plan):
    costs = [plan(train(n), 0, {"gaussian": None}, 0)[0].cost for n in (40, 80)]
    assert costs[1] == 8 * costs[0]
    assert plan(train(40), 1, {"gaussian": None}, 0) == []


def test_a_ridge_on_landmarks_costs_its_rows_times_their_squared_number(monkeypatch):
    monkeypatch.setattr(training_views, "EXACT_ROWS", 100)
    training, states = train(300), {"gaussian": None, "laplace_l1": None}
    (bundle,) = plan_ridges(training, 0, states, 0, view="scaled")
    assert training.count_landmarks(0) == 150
    assert bundle.cost == 300 * 150**2 * 2


def test_later_rounds_compare_strengths_near_the_choice():
    X = np.random.RandomState(0).randn(50, 3)
    first = list_candidates(0, "gaussian", X, None)
    assert len(first.kernels) > 1
    assert_array_equal(first.alphas, ALPHAS[::3])
    choice = Choice(first.kernels[1], 0.5)
    assert list_candidates(1, "gaussian", X, choice).alphas.tolist() == [0.125, 0.5, 2.0]
    assert list_candidates(2, "gaussian", X, choice).alphas.tolist() == [0.5]
    assert list_candidates(2, "gaussian", X, choice).kernels == [choice.kernel]


@pytest.mark.parametrize(
    ("n_rows", "n_first"), [(900, 900), (1200, 1200), (5000, 5000), (9000, 4000)]
)
def test_the_first_round_has_fewer_rows_only_where_there_are_many(n_rows, n_first):
    training = train(n_rows)
    assert len(training.first) == pytest.approx(n_first, abs=3)
    assert training.grows(1) == (n_first < n_rows)
    assert not training.grows(2)


def test_trees_of_the_rounds_of_a_race(monkeypatch):
    def n_trees(training, level, state=None):
        bundles = library.plan_forest(training, level, {"forest": state}, 0)
        return [len(seeds) for bundle in bundles for _, _, seeds, _ in bundle.tasks]

    assert n_trees(train(40), 0) == [20] * 10
    assert n_trees(train(40), 1) == []
    monkeypatch.setattr(training_views, "EXACT_ROWS", 30)
    assert [sum(n_trees(train(40), level)) for level in range(4)] == [50, 100, 200, 0]
    assert sum(n_trees(train(40), 1, ([None] * 50, None))) == 50


def test_ordinary_trees_are_for_few_rows_and_have_no_planes(monkeypatch):
    axis, training = library.PLANS["forest axis"], train(60)
    assert library.why_leave_out(axis, training) is None
    n_planes = {}
    for name, plan in (("forest", library.plan_forest), ("forest axis", axis)):
        (bundle,) = plan(training, 0, {name: None}, 0)
        grow, *rest = bundle.tasks[0]
        trees, _ = grow(training, *rest)
        n_planes[name] = sum(len(member.tree.plane_features) for member in trees)
    assert n_planes["forest axis"] == 0 < n_planes["forest"]
    monkeypatch.setattr(library, "FEW_TREE_ROWS", 50)
    assert library.why_leave_out(axis, training) == "more than 50 rows"


def test_oblique_trees_turn_few_rows_of_known_numbers(monkeypatch):
    def rotations(training):
        (bundle,) = library.plan_forest(training, 0, {"forest": None}, 0)
        grow, *rest = bundle.tasks[0]
        trees, _ = grow(training, *rest)
        return {id(member.rotation) for member in trees if member.rotation is not None}

    assert len(rotations(train(60))) == 2
    monkeypatch.setattr(library, "FEW_TREE_ROWS", 50)
    assert rotations(train(60)) == set()


def test_a_member_of_one_size_is_fitted_again_only_to_more_rows(monkeypatch):
    training = train(60)
    assert len(library.plan_networks(training, 0, {"rvfl": None}, 0)) == 1
    assert library.plan_networks(training, 1, {"rvfl": None}, 0) == []
    training.first = np.arange(20)
    assert len(library.plan_networks(training, 1, {"rvfl": None}, 0)) == 1


def test_a_fold_without_which_one_class_is_left_gets_the_class_shares():
    X, codes = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    table = MemoryTable(X, codes, np.arange(2))
    member = fit_estimator_member(table, KNeighborsClassifier(1), np.random.RandomState(0))
    assert_allclose(member.honest_scores[5], [5 / 6, 1 / 6])
    assert (member.honest_scores[:5, 0] >= 5 / 6 - 1e-12).sum() >= 3


def test_a_forest_of_one_tree_is_compact_too():
    training = train(60)
    growth = Growth(3, 50, 5, 1, 1e-5, "axis", 0.01, bootstrap=True)
    plan = ForestPlan(growth, out_of_bag=True)
    forest = fit_forest_member(training.local, plan, np.arange(1))
    X = training.local.all.X
    compact = forest.compact()
    assert isinstance(compact, ForestMember) and compact.roots.tolist() == [0]
    assert_allclose(compact.scores(X), forest.scores(X))


def test_a_viewed_member_has_the_terms_of_its_member_on_its_view():
    training = train(40)
    (bundle,) = plan_ridges(training, 0, {"gaussian": None}, 0, view="scaled")
    ((function, *args),) = bundle.tasks
    viewed = function(training, *args).member
    own, seen = viewed.member.kernel_terms(), viewed.kernel_terms()
    assert len(own) == len(seen) == 1 and seen[0].look is training.views["scaled"]
    assert seen[0]._replace(look=own[0].look) == own[0]
    assert viewed.held_rows().look is training.views["scaled"]
    nearest = KNeighborsClassifier(1)
    plain = fit_estimator_member(training.local, nearest, np.random.RandomState(0))
    assert ViewedMember.of(training.views["scaled"], plain).kernel_terms() is None
