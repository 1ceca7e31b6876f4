"""Members that go from stop to stop have the scores of whole rows, and change no explanation."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, make_classification

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier
from kernsemble.explain.shapley import sampled_contributions
from kernsemble.fitting.explaining import PredictedClass
from kernsemble.fitting.walking import EnsembleGame
from tests.reference.explanations import shapley_values

KINDS = ["gaussian", "laplace_l1", "laplace_l2", "metric", "ranks", "rvfl"]


def mixed_rows():
    rng = np.random.RandomState(0)
    X = rng.randn(60, 5)
    X[:, 1] = rng.randint(3, size=60)
    X[::7, 3] = np.nan
    y = (X[:, 0] + (X[:, 1] == 2) + np.isnan(X[:, 3]) > 0.5).astype(int)
    return X, y


@cache
def fitted(data):
    if data == "three classes":
        X, y = load_iris(return_X_y=True)
        X, y = X[::3], y[::3]
    elif data == "categories":
        X, y = mixed_rows()
    else:
        X, y = make_classification(60, 6, n_informative=4, random_state=0)
    levels = [1] if data == "categories" else None
    clf = KernelEnsembleClassifier(KINDS, categorical_features=levels, random_state=0)
    return clf.fit(X, y), X


def play(data, groups=None):
    clf, X = fitted(data)
    x, background = X[:4], X[20:27]
    groups = [np.array([j]) for j in range(X.shape[1])] if groups is None else groups
    return EnsembleGame(PredictedClass.of(clf, x), x, background, groups)


@pytest.mark.parametrize("data", ["two classes", "three classes", "categories"])
def test_scores_along_walks_are_those_of_whole_rows(data):
    game = play(data)
    assert {type(w).__name__ for w in game.walkers} >= {"ProductWalker", "NetworkWalker"}
    assert game.agrees()
    rng, n_groups = np.random.RandomState(1), len(game.rows.has)
    orders = np.array([rng.permutation(n_groups) for _ in range(7)])
    walks = np.array([0, 3, 2]), np.arange(7), orders
    found, quick = game.stops(*walks)
    assert_allclose(found, game.rows.stops(*walks)[0], rtol=1e-5, atol=1e-5)
    assert_allclose(quick, game.stops(*walks, only_quick=True)[0])
    for own, expected in zip(game.ends(walks[0])[0], game.rows.ends(walks[0])[0]):
        assert_allclose(own, expected, rtol=1e-9, atol=1e-9)


def test_groups_of_columns_walk_together():
    game = play("categories", [np.array([0, 3]), np.array([1]), np.array([2, 4])])
    walks = np.arange(4), np.arange(2), np.array([[2, 0, 1], [1, 0, 2]])
    found, expected = game.stops(*walks)[0], game.rows.stops(*walks)[0]
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_a_single_group_has_the_whole_difference():
    clf, X = fitted("two classes")
    found = clf.explain(X[:2], X[20:23], groups={"all": range(X.shape[1])})
    assert_allclose(found.contributions[:, 0], found.scores - found.mean_scores)
    assert_allclose(found.errors, 0.0, atol=1e-12)


@pytest.mark.parametrize("data", ["two classes", "three classes", "categories"])
def test_explanations_by_walks_are_near_the_definition(data):
    clf, X = fitted(data)
    x, background = X[:2], X[20:23]
    found = clf.explain(x, background, n_orders=12)
    explained = PredictedClass.of(clf, x)
    for i in range(2):
        score = lambda Z, i=i: explained.score(Z, np.full(len(Z), i))  # noqa: E731
        expected = shapley_values(score, x[i], background)
        far = np.abs(found.contributions[i] - expected)
        assert (far <= 4.5 * found.errors[i] + 1e-5).all()
    assert_allclose(found.contributions.sum(axis=1), found.scores - found.mean_scores)


def test_a_quick_score_lowers_the_error_and_tells_the_truth_about_it():
    game = play("two classes")
    assert game.has_quick
    runs = [
        sampled_contributions(game, 4, (7, 6), 2, np.random.RandomState(seed)) for seed in range(30)
    ]
    plain = sampled_contributions(game.rows, 4, (7, 6), 2, np.random.RandomState(0))
    spread = np.std([run.values for run in runs], axis=0)
    stated = np.sqrt(np.mean([run.errors**2 for run in runs], axis=0))
    assert 0.7 < np.sqrt(np.mean(spread**2) / np.mean(stated**2)) < 1.4
    assert np.sqrt(np.mean(stated**2)) < 0.7 * np.sqrt(np.mean(plain.errors**2))


def test_newly_missing_values_are_scored_by_whole_rows():
    clf, X = fitted("categories")
    x = X[:2].copy()
    x[0, 0] = np.nan
    game = EnsembleGame(PredictedClass.of(clf, x), x, X[20:23], [np.array([j]) for j in range(5)])
    assert not game.agrees() and not game.walking
    assert np.isfinite(clf.explain(x, X[20:23]).contributions).all()


def test_a_classifier_whose_members_do_not_say_all_is_scored_by_whole_rows():
    X, y = make_classification(40, 4, random_state=0)
    clf = KernelRidgeClassifier(random_state=0).fit(X, y)
    explained = PredictedClass.of(clf, X[:2])
    game = EnsembleGame(explained, X[:2], X[5:9], [np.array([j]) for j in range(4)])
    assert game.agrees()
    game.walkers[0].constant = game.walkers[0].constant + 1.0
    assert not game.agrees()
