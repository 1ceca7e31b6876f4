"""Suspects follow the counts of confident learning and find flipped labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification

from kernsemble import KernelRidgeClassifier
from kernsemble.explain.suspects import confident_joint, find_suspects
from tests.reference import explanations as reference


@pytest.fixture(params=[2, 4])
def noisy(request):
    rng = np.random.RandomState(request.param)
    P = rng.dirichlet(np.ones(request.param) * 0.5, 60)
    return P, rng.randint(request.param, size=60), rng.uniform(0.5, 2.0, 60)


def test_counts_are_those_of_the_definition(noisy):
    assert_allclose(confident_joint(*noisy), reference.confident_joint(*noisy))


def test_counts_agree_with_cleanlab(noisy):
    count = pytest.importorskip("cleanlab.count")
    P, codes, _ = noisy
    theirs = count.compute_confident_joint(codes, P, calibrate=False)
    theirs = theirs / theirs.sum(axis=1, keepdims=True) * np.bincount(codes)[:, None]
    assert_allclose(confident_joint(P, codes, np.ones(60)), theirs)


def test_counts_keep_the_weight_of_every_label(noisy):
    P, codes, weights = noisy
    joint = confident_joint(P, codes, weights)
    assert_allclose(joint.sum(axis=1), np.bincount(codes, weights))


def test_a_weight_of_two_is_two_rows(noisy):
    P, codes, _ = noisy
    weights = 1.0 + (np.arange(60) % 2)
    twice = np.repeat(np.arange(60), weights.astype(int))
    expected = confident_joint(P[twice], codes[twice], np.ones(len(twice)))
    assert_allclose(confident_joint(P, codes, weights), expected)


def test_a_label_without_rows_and_a_label_nobody_speaks_for():
    P = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.3, 0.7, 0.0]])
    joint = confident_joint(P, np.array([0, 0, 1]), np.ones(3))
    assert_allclose(joint, np.diag([2.0, 1.0, 0.0]))


def test_flipped_labels_are_found_and_counted():
    X, y = make_classification(400, 6, n_informative=4, class_sep=2.0, random_state=0)
    flipped = np.random.RandomState(0).choice(400, 40, replace=False)
    noisy = y.copy()
    noisy[flipped] = 1 - y[flipped]
    found = KernelRidgeClassifier(random_state=0).fit(X, noisy).suspects()
    hits = np.isin(found.rows, flipped)
    assert hits.mean() > 0.85 and hits.sum() > 30
    assert 30 < found.n_wrong < 60
    assert_array_equal(found.labels, noisy[found.rows])
    assert_array_equal(found.likely, 1 - noisy[found.rows])
    assert (np.diff(found.label_probability) >= 0).all()
    assert (found.label_probability < found.likely_probability).all()


def test_suspects_print_and_become_a_frame():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    names[3] = "c"
    found = KernelRidgeClassifier(random_state=0).fit(X, names).suspects()
    assert "row 3: c" in repr(found) and "suspects" in repr(found)
    frame = found.to_frame()
    assert frame.loc[frame["rows"] == 3, "likely"].item() == "a"
    assert len(frame) == len(found) == len(found.rows)


def test_nothing_is_suspected_of_perfect_probabilities():
    codes = np.arange(20) % 2
    found = find_suspects(np.eye(2)[codes], codes, np.array(["a", "b"]), np.arange(20))
    assert len(found) == 0 and found.n_wrong == 0 and "0 suspects" in repr(found)
