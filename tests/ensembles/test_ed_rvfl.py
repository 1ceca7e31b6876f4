"""Stacked random layers: the equations of the paper, leave-one-out by refitting, one layer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble import EdRVFLClassifier, RVFLClassifier
from kernsemble.members.deep_rvfl import stacked_units
from tests.reference.closed_form import deep_units, weighted_ridge


def classes(n=50, n_classes=3):
    rng = np.random.RandomState(0)
    X = rng.randn(n, 4)
    y = np.argmax(X[:, :n_classes] + 0.5 * rng.randn(n, n_classes), axis=1)
    return X, y, rng.uniform(0.5, 2.0, n)


def test_members_solve_the_equations_and_leave_one_out_is_refitting():
    X, y, s = classes()
    clf = EdRVFLClassifier(3, n_hidden=6, scale=None, random_state=0).fit(X, y, s)
    layers, T = clf.estimators_[-1].layers, np.eye(3)[y]
    units = [deep_units(x, layers) for x in X]
    left_out = np.zeros((len(X), 3))
    for depth, member in enumerate(clf.estimators_):
        assert member.layers == layers[: depth + 1]
        H = np.array([row[depth] for row in units])
        Z = np.hstack([np.ones((len(X), 1)), X, H])
        W = weighted_ridge(Z, T, member.alpha, s)
        assert_allclose(member.scores(X), Z @ W, atol=1e-4)
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            left_out[i] += Z[i] @ weighted_ridge(Z[rest], T[rest], member.alpha, s[rest]) / 3
    honest = clf.honest_scores_
    assert_allclose(
        honest - honest.mean(axis=1, keepdims=True),
        left_out - left_out.mean(axis=1, keepdims=True),
        atol=2e-3,
    )


def test_one_layer_is_the_plain_network():
    X, y, s = classes()
    deep = EdRVFLClassifier(1, n_hidden=20, random_state=0).fit(X, y, s)
    plain = RVFLClassifier(20, random_state=0).fit(X, y, s)
    assert deep.estimators_[0].alpha == plain.alpha_
    assert_allclose(deep.decision_function(X), plain.decision_function(X), atol=1e-6)


def test_scores_in_one_pass_are_those_of_the_members():
    X, y, _ = classes(n_classes=2)
    clf = EdRVFLClassifier(4, n_hidden=10, scale=None, random_state=0).fit(X, y)
    alone = np.mean([member.class_scores(X) for member in clf.estimators_], axis=0)
    assert_allclose(clf.decision_function(X), alone[:, 0], atol=1e-6)
    last = clf.estimators_[-1]
    assert [H.shape for H in stacked_units(X, last.layers, last.wiring)] == 4 * [(50, 10)]
    assert [len(layer.weights) for layer in last.layers] == [4, 14, 14, 14]


@pytest.mark.parametrize(
    ("params", "message"), [({"n_hidden": 0}, "n_hidden"), ({"activation": "step"}, "activation")]
)
def test_wrong_parameters_are_named(params, message):
    X, y, _ = classes()
    with pytest.raises(ValueError, match=message):
        EdRVFLClassifier(2, **params).fit(X, y)
