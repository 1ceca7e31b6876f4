"""Learning in pieces: the same members as learning at once, whatever the pieces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_classification

from kernsemble import KernelRidgeClassifier, RVFLClassifier, RVFLEnsembleClassifier
from kernsemble.kernels import RBF

# The scales of the columns are those of the first chunk, not of all rows together.
pytestmark = pytest.mark.usefixtures("unscaled")

LEARNERS = [
    RVFLClassifier(30, weight_scale=0.5, alpha=0.1, random_state=0),
    RVFLEnsembleClassifier(30, n_hidden=10, weight_scale=0.5, alpha=0.1, random_state=0),
    KernelRidgeClassifier(RBF(0.1), alpha=0.1, n_landmarks=40, random_state=0),
]


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(600, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    return X, y, np.random.RandomState(0).rand(600)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda clf: type(clf).__name__)
@pytest.mark.parametrize("settings", ["fixed", "chosen"])
def test_one_chunk_is_a_fit(learner, settings, rows):
    clf = clone(learner)
    if settings == "chosen":
        clf.set_params(alpha="auto")
    once = clone(clf).fit(*rows)
    part = clf.partial_fit(*rows[:2], sample_weight=rows[2])
    assert_allclose(part.predict_proba(rows[0]), once.predict_proba(rows[0]), atol=1e-8)
    assert_allclose(part.honest_scores_, once.honest_scores_, atol=1e-7)


@pytest.mark.parametrize("learner", LEARNERS[:2], ids=lambda clf: type(clf).__name__)
def test_networks_of_chunks_are_those_of_all_rows(learner, rows):
    X, y, weight = rows
    whole, parts = clone(learner).fit(X, y, weight), clone(learner)
    # The first chunk lacks a class.
    order = np.argsort(y, kind="stable")
    for chunk in np.array_split(order, 5):
        parts.partial_fit(X[chunk], y[chunk], classes=[0, 1, 2], sample_weight=weight[chunk])
    assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-8)


def test_the_order_of_later_chunks_does_not_matter(rows):
    X, y, weight = rows
    fits = []
    for order in ([0, 1, 2, 3], [0, 3, 1, 2]):
        clf = clone(LEARNERS[2])
        for number in order:
            part = slice(150 * number, 150 * (number + 1))
            clf.partial_fit(X[part], y[part], sample_weight=weight[part])
        fits.append(clf.decision_function(X))
    assert_allclose(fits[0], fits[1], atol=1e-8)


def test_leave_one_out_scores_of_a_chunk_leave_its_rows_out_of_everything(rows):
    X, y, _ = rows
    clf = clone(LEARNERS[0]).partial_fit(X[:300], y[:300]).partial_fit(X[300:], y[300:])
    without = clone(LEARNERS[0]).fit(np.delete(X, 310, axis=0), np.delete(y, 310))
    expected = without.estimators_[0].scores(X[310:311])
    assert_allclose(clf.honest_scores_[10:11], expected, atol=1e-8)


def test_fit_starts_anew(rows):
    X, y, _ = rows
    clf = clone(LEARNERS[0]).partial_fit(X[:300], y[:300]).fit(X[300:], y[300:])
    fresh = clone(LEARNERS[0]).fit(X[300:], y[300:])
    assert_allclose(clf.decision_function(X), fresh.decision_function(X))
    clf.partial_fit(X[:300], y[:300])
    begun = clone(LEARNERS[0]).fit(X[:300], y[:300])
    assert_allclose(clf.decision_function(X), begun.decision_function(X), atol=1e-8)


def test_what_partial_fit_cannot_know_is_named(rows):
    X, y, _ = rows
    clf = clone(LEARNERS[0]).partial_fit(X[:300], y[:300])
    with pytest.raises(ValueError, match="not in classes"):
        clf.partial_fit(X[:10], np.full(10, 7))
    with pytest.raises(ValueError, match="balanced"):
        clone(LEARNERS[0]).set_params(class_weight="balanced").partial_fit(X, y)
