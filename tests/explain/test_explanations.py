"""Contributions are Shapley values, exact or within their stated error, for every classifier."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification

import kernsemble
from kernsemble import (
    KernelEnsembleClassifier,
    KernelRidgeClassifier,
    LandmarkRidgeClassifier,
    MPRaFClassifier,
)
from kernsemble.explain.explanation import find_representers
from kernsemble.explain.groups import column_groups
from kernsemble.explain.product_games import exact_contributions, product_factors
from kernsemble.explain.shapley import RowGame, sampled_contributions
from kernsemble.kernels import RBF, Cauchy, GeneralizedExponential, Laplacian, Linear
from tests.reference.explanations import shapley_values

CLASSIFIERS = [
    getattr(kernsemble, name) for name in kernsemble.__all__ if name.endswith("Classifier")
]
RNG = np.random.RandomState(0)
TRAIN, BACKGROUND, NEW = RNG.randn(12, 4), RNG.randn(5, 4), RNG.randn(3, 4)
IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0.3),
        Laplacian(0.4),
        GeneralizedExponential(2.0, p=1.5, q=1.5),
        Linear(),
        0.5 * RBF(0.2) + 2.0 * Laplacian(0.3) + Linear() + 3.0,
        RBF(500.0),
    ],
    ids=repr,
)
def test_exact_contributions_are_those_of_the_definition(kernel):
    coefs = RNG.randn(12, 3)
    found = exact_contributions(kernel, NEW, BACKGROUND, TRAIN, coefs, np.arange(4), 4)
    for i, x in enumerate(NEW):
        expected = shapley_values(lambda Z, i=i: kernel(Z, TRAIN) @ coefs[:, i], x, BACKGROUND)
        assert_allclose(found[i], expected, rtol=1e-9, atol=1e-12)


def test_coordinates_of_a_group_are_put_in_together():
    coefs, place = RNG.randn(12, 3), np.array([0, 1, 0, 2])
    kernel = RBF(0.3) + 0.5 * Linear()
    found = exact_contributions(kernel, NEW, BACKGROUND, TRAIN, coefs, place, 3)

    for i, x in enumerate(NEW):

        def score(chosen, i=i, x=x):
            """Score rows in which group g is known where column g of `chosen` is 1."""
            Z = np.where(chosen[:, place] > 0.5, x, BACKGROUND)
            return kernel(Z, TRAIN) @ coefs[:, i]

        expected = shapley_values(score, np.ones(3), np.zeros((5, 3)))
        assert_allclose(found[i], expected, rtol=1e-9, atol=1e-12)


def test_other_kernels_are_not_products():
    assert product_factors(Cauchy(1.0)) is None
    assert product_factors(Laplacian(1.0, metric="l2") + RBF(1.0)) is None
    assert product_factors(GeneralizedExponential(1.0, p=1.0, q=0.7)) is None


def crooked(Z, owner):
    return np.sin(Z[:, 0] * Z[:, 1]) + Z[:, 2] * (owner + 1.0) + Z[:, 2] * Z[:, 3] ** 2


def sample(score, groups, n_orders):
    game, shape = RowGame(score, NEW, BACKGROUND, groups), (len(BACKGROUND), len(groups))
    return sampled_contributions(game, len(NEW), shape, n_orders, np.random.RandomState(0))


def test_sampled_contributions_are_within_their_error():
    found = sample(crooked, [np.array([j]) for j in range(4)], 40)
    for i, x in enumerate(NEW):
        expected = shapley_values(lambda Z, i=i: crooked(Z, np.full(len(Z), i)), x, BACKGROUND)
        assert (np.abs(found.values[i] - expected) <= 4 * found.errors[i] + 1e-12).all()
        assert (found.errors[i] < 0.1).all()
    means = [crooked(BACKGROUND, np.full(5, i)).mean() for i in range(3)]
    assert_allclose(found.values.sum(axis=1), crooked(NEW, np.arange(3)) - means)


def test_sampling_is_exact_for_additive_scores_and_for_groups_of_everything():
    def additive(Z, owner):
        return Z @ [1.0, 2.0, -1.0, 0.5]

    groups = [np.array([0, 1]), np.array([2]), np.array([3])]
    found = sample(additive, groups, 2)
    each = (NEW - BACKGROUND.mean(axis=0)) * [1.0, 2.0, -1.0, 0.5]
    assert_allclose(found.values, np.column_stack([each[:, :2].sum(1), each[:, 2:]]))
    assert_allclose(found.errors, 0.0, atol=1e-12)
    one = sample(crooked, [np.arange(4)], 2)
    means = [crooked(BACKGROUND, np.full(5, i)).mean() for i in range(3)]
    assert_allclose(one.values[:, 0], crooked(NEW, np.arange(3)) - means)


def test_exact_and_sampled_explanations_of_a_classifier_agree(monkeypatch):
    X, y = make_classification(80, 6, n_informative=4, random_state=0)
    clf = KernelRidgeClassifier(random_state=0).fit(X, y)
    exact = clf.explain(X[:4], X[10:20])
    assert not exact.errors.any()
    monkeypatch.setattr("kernsemble.fitting.explaining.MAX_PAIRS", 0)
    sampled = clf.explain(X[:4], X[10:20], n_orders=30)
    assert sampled.errors.any()
    far = np.abs(sampled.contributions - exact.contributions) / (sampled.errors + 1e-9)
    assert far.max() < 4.5


def small(cls):
    known = inspect.signature(cls).parameters
    settings = {"n_estimators": 2, "random_state": 0, "oob_score": True, "bootstrap": True}
    return cls(**{name: value for name, value in settings.items() if name in known})


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_contributions_sum_to_the_score_for_every_classifier(cls):
    clf = small(cls).fit(IRIS, SPECIES)
    found = clf.explain(IRIS[::50], IRIS[::30])
    assert_array_equal(found.classes, clf.predict(IRIS[::50]))
    S = clf.decision_function(IRIS[::50])
    assert_allclose(found.scores, S.max(axis=1))
    mean = clf.decision_function(IRIS[::30]).mean(axis=0)[S.argmax(axis=1)]
    assert_allclose(found.mean_scores, mean)
    assert_allclose(
        found.contributions.sum(axis=1), found.scores - found.mean_scores, rtol=1e-7, atol=1e-9
    )
    assert found.contributions.shape == found.errors.shape == (3, 4)


def test_two_classes_names_groups_and_words():
    data = load_iris(as_frame=True)
    X, y = data.data, np.array(["a", "b", "b"])[data.target]
    clf = KernelEnsembleClassifier(["gaussian", "forest"], random_state=0).fit(X, y)
    found = clf.explain(X[::60], 10, groups={"petal": ["petal length (cm)", 3]})
    assert found.names.tolist() == ["petal", "sepal length (cm)", "sepal width (cm)"]
    sign = np.where(found.classes == "b", 1.0, -1.0)
    assert_allclose(found.scores, sign * clf.decision_function(X[::60]))
    assert found.strongest(0, 1)[0][0] == "petal" and "(petal)" in repr(found)
    assert found.to_frame().shape == (3, 6)


def test_representers_are_the_terms_of_the_score():
    clf = KernelRidgeClassifier(random_state=0).fit(IRIS, SPECIES)
    found = clf.explain(IRIS[[0, 60]], 10, training=IRIS, n_representers=3).representers
    assert (SPECIES[found.supporting[0]] == 0).all()
    assert (found.support > 0).all() and (np.diff(found.support) <= 0).all()
    assert (np.diff(found.opposition) >= 0).all()
    (term,) = clf.estimators_[0].kernel_terms()
    seen = term.look(clf._checked(IRIS))
    votes = term.kernel(seen[[60]], term.rows)[0] * term.coefs[:, clf.predict(IRIS[[60]])[0]]
    assert_allclose(seen[found.supporting[1, 0]], term.rows[votes.argmax()])
    assert_allclose(seen[found.opposing[1, 0]], term.rows[votes.argmin()])
    assert clf.explain(IRIS[:1], 10).representers is None


def test_representers_of_few_rows_and_of_an_ensemble():
    few = find_representers(np.array([[3.0, -1.0]]), 5)
    assert few.supporting.tolist() == [[0, 1]] and few.opposing.tolist() == [[1, 0]]
    clf = KernelEnsembleClassifier(["gaussian", "forest"], random_state=0).fit(IRIS, SPECIES)
    found = clf.explain(IRIS[[0, 60, 120]], 5, training=IRIS).representers
    assert (SPECIES[found.supporting[:, 0]] == [0, 1, 2]).all()


def test_landmarks_speak_for_no_single_row():
    clf = LandmarkRidgeClassifier(2, random_state=0).fit(IRIS, SPECIES)
    found = clf.explain(IRIS[:2], 10, training=IRIS)
    assert found.representers is None and found.contributions.shape == (2, 4)


def test_what_cannot_be_explained_is_said():
    forest = MPRaFClassifier(3, random_state=0).fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match=r"pass some of them.*background="):
        forest.explain(IRIS[:2])
    assert forest.explain(IRIS[:2], IRIS[::40], training=IRIS).representers is None
    clf = KernelRidgeClassifier(random_state=0).fit(IRIS, SPECIES)
    for wrong in ({"a": ["absent"]}, {"a": [9]}, {"a": []}, [], {"a": [0], "b": [0, 1]}):
        with pytest.raises(ValueError, match="groups"):
            clf.explain(IRIS[:2], groups=wrong)
    with pytest.raises(ValueError, match="n_orders"):
        clf.explain(IRIS[:2], n_orders=1)


def test_groups_without_the_rest():
    names, columns = column_groups(
        {"all": [0, "x1"], "one": "x1"}, np.array(["x0", "x1", "x2"]), with_rest=False
    )
    assert names.tolist() == ["all", "one"] and [c.tolist() for c in columns] == [[0, 1], [1]]
