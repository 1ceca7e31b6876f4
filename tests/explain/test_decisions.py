"""Label sets that hold for every class, and decisions of least expected cost."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import train_test_split

from kernsemble import KernelRidgeClassifier
from kernsemble.calibration import conformal_threshold
from kernsemble.explain.decisions import class_thresholds, cost_rule, decide, read_costs

RNG = np.random.RandomState(0)
P = RNG.dirichlet([1.0, 2.0, 1.0], 90)
CODES = np.array([RNG.choice(3, p=p) for p in P])
CLASSES = np.array(["a", "b", "c"])


def test_every_class_has_the_threshold_of_its_own_rows():
    found = class_thresholds(P, CODES, 0.8)
    for c in range(3):
        own = np.equal(CODES, c)
        assert found[c] == conformal_threshold(P[own], CODES[own], 0.8)
    assert class_thresholds(P, np.minimum(CODES, 1), 0.8)[2] == 0.0


def test_sets_by_class_cover_the_rare_class_too():
    X, y = make_classification(2000, 6, n_informative=4, weights=[0.9], flip_y=0.05, random_state=0)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.6, random_state=0)
    clf = KernelRidgeClassifier(random_state=0).fit(train, y_train)
    rare = y_test == 1
    together = clf.predict_set(test, 0.9)[rare, 1].mean()
    by_class = clf.predict_set(test, 0.9, by_class=True)
    assert together < 0.8
    assert by_class[rare, 1].mean() > 0.85 and by_class[~rare, 0].mean() > 0.85
    with pytest.raises(TypeError, match="by_class"):
        clf.predict_set(test, by_class="yes")


def test_the_decision_is_the_cheapest():
    cost = RNG.uniform(0, 3, (3, 3))
    for p, decision in zip(P, decide(P, cost)):
        expected = [sum(p[true] * cost[true, d] for true in range(3)) for d in range(3)]
        assert expected[decision] == pytest.approx(min(expected))


def test_equal_costs_choose_the_likeliest_class():
    rule = cost_rule(P, CODES, CLASSES, {})
    assert_array_equal(rule.predict(P), CLASSES[P.argmax(axis=1)])
    assert rule.expected_cost == rule.usual_cost == np.mean(P.argmax(axis=1) != CODES)
    assert rule.threshold is None
    wrong = P.argmax(axis=1) != CODES
    assert rule.standard_error == pytest.approx(wrong.std() / np.sqrt(90))


def test_the_threshold_of_two_classes_is_where_the_decision_changes():
    p = np.linspace(0, 1, 1001)
    two = np.column_stack([1 - p, p])
    rule = cost_rule(two, (p > 0.5).astype(int), np.array([0, 1]), [[0, 1], [4, 0]])
    assert rule.threshold == pytest.approx(0.2)
    chosen = rule.predict(two)
    assert p[chosen == 1].min() == pytest.approx(0.201)
    never = cost_rule(two, (p > 0.5).astype(int), np.array([0, 1]), [[1, 0], [1, 0]])
    assert never.threshold is None and (never.predict(two) == 1).all()


def test_costs_are_read_and_checked():
    assert_allclose(read_costs({("a", "b"): 5}, CLASSES), [[0, 5, 1], [1, 0, 1], [1, 1, 0]])
    for wrong in ([[0, 1], [1, 0]], {"a": 3}, {("a", "z"): 3}, np.full((3, 3), np.nan)):
        with pytest.raises(ValueError, match="cost"):
            read_costs(wrong, CLASSES)


def test_classifiers_answer():
    X, y = load_iris(return_X_y=True)
    clf = KernelRidgeClassifier(random_state=0).fit(X, CLASSES[y])
    rule = clf.threshold({("b", "c"): 50.0})
    assert "c" not in rule.predict(clf.predict_proba(X[y == 1]))
    assert rule.expected_cost < rule.usual_cost
