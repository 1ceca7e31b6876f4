"""Boosted trees in a race: few on the scored rows at first, then more on all that are worth it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_waveform
from kernsemble.members import boosted_plan, library, training_views
from kernsemble.members.boosted import plan_growth
from kernsemble.members.boosted_plan import find_growth_rows, plan_boosted, sees_more_rows
from kernsemble.members.training_views import TrainingViews
from kernsemble.tables import MemoryTable, RowChunks

N_ROWS, N_SCORED = 300, 100


def train(n_rows=N_ROWS, n_classes=3):
    X, y = make_waveform(n_rows, random_state=0)
    codes = y if n_classes == 3 else np.arange(n_rows) % n_classes
    table = MemoryTable(X[:, :8], codes, np.arange(n_classes))
    return TrainingViews(table, np.random.RandomState(0))


@pytest.fixture
def few_scored(monkeypatch):
    """Of 300 rows, 100 get honest scores; a first round has 60."""
    for name, value in (("EXACT_ROWS", 60), ("FEW_ROWS", 60), ("FIRST_ROWS", 60)):
        monkeypatch.setattr(training_views, name, value)
    monkeypatch.setattr(training_views, "SCORED_ROWS", N_SCORED)


def run(training, level, models=None):
    (bundle,) = plan_boosted(training, level, {"boosted": models}, 0)
    fitted = [function(training, *args) for function, *args in bundle.tasks]
    return bundle.join(fitted)["boosted"]


def test_trees_are_fewer_where_classes_are_many():
    def n_trees(n_classes, level):
        rows = find_growth_rows(train(200, n_classes), level)
        return None if rows is None else rows.n_trees

    assert [n_trees(3, level) for level in range(5)] == [40, 100, 200, 400, None]
    assert [n_trees(50, level) for level in range(2)] == [8, 16]
    why = library.why_leave_out
    assert why(plan_boosted, train(200, 50)) is None
    assert why(plan_boosted, train(200, 51)) == "more than 50 classes"


def test_later_rounds_see_the_rows_without_honest_scores(few_scored):
    training = train()
    assert [sees_more_rows(training, level) for level in range(5)] == [0, 0, 1, 0, 0]
    for level in (0, 1):
        rows = find_growth_rows(training, level)
        assert rows.table.n_rows == (60, N_SCORED)[level] and len(rows.others) == 0
    rows = find_growth_rows(training, 2)
    assert_array_equal(rows.table.all.X, training.table.all.X)
    assert_array_equal(rows.table[rows.scored], training.local.all.X)
    assert_array_equal(np.sort(np.concatenate(rows.folds)), np.arange(N_SCORED))
    for k in range(len(rows.folds)):
        seen, fold = rows.pair(k)
        assert_array_equal(np.sort(np.concatenate([seen, fold])), np.arange(N_ROWS))
        assert np.all(np.diff(seen) > 0) and set(fold) <= set(rows.scored)
    assert rows.n_seen == sum(len(rows.pair(k)[0]) for k in range(len(rows.folds)))
    numbers = [find_growth_rows(training, level).n_trees for level in (2, 3)]
    assert numbers == [200, 400]
    assert find_growth_rows(training, 4) is None


def test_where_all_rows_are_scored_there_are_no_others():
    training = train()
    assert not any(sees_more_rows(training, level) for level in range(5))
    assert plan_boosted(training, len(boosted_plan.BOOSTED_TREES), {"boosted": None}, 0) == []


def test_a_model_is_grown_anew_on_more_rows_and_then_goes_on(few_scored, monkeypatch):
    monkeypatch.setattr(boosted_plan, "MOST_TREES", 20)
    training = train()
    before = run(training, 1).state
    (bundle,) = plan_boosted(training, 2, {"boosted": before}, 0)
    assert all(model is None for _, _, _, model, _ in bundle.tasks)
    first = run(training, 2)
    more, at_once = run(training, 3, first.state), run(training, 3)
    assert [own.booster.model.n_steps for own in first.state] == [10] * 5
    assert_allclose(more.member.honest_scores, at_once.member.honest_scores, atol=1e-10)
    rows = find_growth_rows(training, 3)
    for k, own in enumerate(more.state):
        _, fold = rows.pair(k)
        shares = np.log(own.booster.class_shares(rows.table[fold], 3) + boosted_plan.DOUBT)
        assert_allclose(more.member.honest_scores[rows.folds[k]], shares, atol=1e-10)


def test_very_many_values_are_a_sample_with_the_classes_in_proportion(few_scored, monkeypatch):
    monkeypatch.setattr(boosted_plan, "MAX_VALUES", 8 * 200)
    rows = find_growth_rows(train(), 2)
    assert len(rows.others) + N_SCORED == rows.table.n_rows
    assert 120 <= rows.table.n_rows <= 200
    shares = np.bincount(rows.table.all.codes) / rows.table.n_rows
    assert_allclose(shares, np.bincount(train().table.all.codes) / N_ROWS, atol=0.03)
    assert_array_equal(rows.table[rows.scored], train().local.all.X)


def test_many_classes_have_fewer_models_and_rows_rather_than_few_trees(few_scored, monkeypatch):
    def found(n_read):
        monkeypatch.setattr(boosted_plan, "MAX_READ", n_read)
        rows = find_growth_rows(train(), 3)
        return rows.table.n_rows, len(rows.folds), rows.n_trees

    # A step of all three classes reads 24 values of a row.
    assert found(24 * N_ROWS * 5 * 300) == (N_ROWS, 5, 300)
    assert found(24 * N_ROWS * 3 * 300) == (N_ROWS, 3, 300)
    assert found(24 * N_ROWS * 2 * 250) == (N_ROWS, 2, 250)
    n_rows, n_models, n_trees = found(24 * 200 * 2 * 250)
    assert N_SCORED < n_rows <= 200 and n_models == 2 and 250 <= n_trees <= 400
    monkeypatch.setattr(boosted_plan, "MAX_READ", 24 * N_SCORED * 2 * 250)
    assert not sees_more_rows(train(), 2)


def test_the_more_rows_the_fewer_models(few_scored, monkeypatch):
    monkeypatch.setattr(boosted_plan, "MODEL_ROWS", 3 * N_ROWS)
    assert len(find_growth_rows(train(), 2).folds) == 3
    monkeypatch.setattr(boosted_plan, "MODEL_ROWS", N_ROWS)
    assert len(find_growth_rows(train(), 2).folds) == 2


def test_chunks_give_the_answer_of_memory(few_scored):
    X, y = make_waveform(N_ROWS, random_state=0)
    clf = KernelEnsembleClassifier(["boosted", "gaussian"], random_state=0)
    inside, outside = clone(clf).fit(X, y), clone(clf).fit(RowChunks(X, y, size=70))
    assert_allclose(outside.decision_function(X), inside.decision_function(X), atol=1e-8)


def test_more_rows_make_better_trees(few_scored):
    X, y = make_waveform(N_ROWS, random_state=0)
    new, truth = make_waveform(1000, random_state=1)
    all_rows = KernelEnsembleClassifier(["boosted"], random_state=0).fit(X, y)
    scored = all_rows.honest_rows_
    few = KernelEnsembleClassifier(["boosted"], random_state=0).fit(X[scored], y[scored])
    assert all_rows.score(new, truth) > few.score(new, truth)
    assert len(all_rows.honest_scores_) == N_SCORED


@pytest.mark.parametrize("n_classes", [2, 3])
def test_settings_of_trees_follow_the_number_of_rows(n_classes):
    def growth(n_rows):
        X = np.broadcast_to(np.float64(0), (n_rows, 10))
        return plan_growth(MemoryTable(X, np.zeros(n_rows, int), np.arange(n_classes)))

    plans = [growth(n_rows) for n_rows in (300, 6000, 6001, 100_001, 400_001)]
    rates = [plan.learning_rate for plan in plans]
    assert rates == ([0.1, 0.1, 0.1, 0.2, 0.3] if n_classes == 2 else [0.1, 0.1, 0.15, 0.2, 0.3])
    assert [plan.max_leaves for plan in plans] == [15, 15, 31, 31, 31]
    least = [6, 20, 20, 100, 100] if n_classes == 2 else [6, 10, 10, 50, 50]
    assert [plan.min_rows for plan in plans] == least
    assert growth(50).min_rows == 2
    assert [(plan.n_drawn, plan.n_tried) for plan in plans[2:]] == [(7, 5), (9, 9), (9, 9)]
