"""Classifiers on data frames with categories and missing values, from `fit` to `predict`."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

import kernsemble
from kernsemble import (
    KernelEnsembleClassifier,
    KernelRidgeClassifier,
    LandmarkRidgeClassifier,
    MPRaFClassifier,
    MRSKLClassifier,
    RPEMEKLClassifier,
    RVFLClassifier,
)
from kernsemble.kernels import RBF, OnColumns, Precomputed

SETTINGS = {
    "n_estimators": 5,
    "random_state": 0,
    "members": ["gaussian", "ranks", "forest", "rvfl"],
}
TAKE_MIXED = [
    KernelEnsembleClassifier,
    KernelRidgeClassifier,
    LandmarkRidgeClassifier,
    MPRaFClassifier,
    MRSKLClassifier,
    RPEMEKLClassifier,
    RVFLClassifier,
]


def instance(cls, **more):
    known = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in {**SETTINGS, **more}.items() if name in known})


def every_classifier():
    values = [getattr(kernsemble, name) for name in kernsemble.__all__]
    return [cls for cls in values if inspect.isclass(cls) and is_classifier(instance(cls))]


@pytest.fixture(scope="module")
def table():
    rng = np.random.RandomState(0)
    n = 160
    size = rng.randn(n)
    colour = rng.choice(["red", "green", "blue"], n)
    frame = pd.DataFrame({"size": size, "colour": colour, "old": rng.rand(n) < 0.5})
    y = np.where(size + 2.0 * (colour == "red") + 0.3 * rng.randn(n) > 0.7, "yes", "no")
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    return frame, y


@pytest.mark.parametrize("cls", TAKE_MIXED)
def test_frames_are_taken_as_they_are(cls, table):
    X, y = table
    clf = instance(cls).fit(X[:120], y[:120])
    assert clf.score(X[120:], y[120:]) > 0.75
    assert list(clf.feature_names_in_) == ["size", "colour", "old"] and clf.n_features_in_ == 3
    P = clf.predict_proba(X)
    assert_allclose(clf.predict_proba(X[["old", "size", "colour"]]), P)
    assert_allclose(pickle.loads(pickle.dumps(clf)).predict_proba(X), P)
    polars = pytest.importorskip("polars")
    values = {name: [None if pd.isna(v) else v for v in X[name]] for name in X}
    assert_allclose(clf.predict_proba(polars.DataFrame(values)), P)
    # New levels and values that were never missing before are legal.
    new = X.assign(colour="violet", old=None)
    assert np.isfinite(clf.predict_proba(new)).all()


@pytest.mark.parametrize("cls", TAKE_MIXED)
def test_columns_that_are_not_those_of_training_are_named(cls, table):
    X, y = table
    clf = instance(cls).fit(X, y)
    with pytest.raises(ValueError, match=r"missing:\n- colour"):
        clf.predict(X.drop(columns="colour"))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- price"):
        clf.predict(X.assign(price=1.0))
    with pytest.raises(ValueError, match=r"size \(holds categories, held numbers"):
        clf.predict(X.assign(size="large"))


@pytest.mark.parametrize("cls", TAKE_MIXED)
def test_missing_values_of_an_array(cls, table):
    rng = np.random.RandomState(0)
    X, y = rng.randn(100, 3), np.arange(100) % 2
    X[:, 0] += 2.0 * y
    holey = np.where(rng.rand(100, 3) < 0.1, np.nan, X)
    clf = instance(cls).fit(holey, y)
    assert clf.score(holey, y) > 0.7
    # A classifier of complete rows takes rows that are not.
    assert np.isfinite(instance(cls).fit(X, y).predict_proba(holey)).all()


def test_numbers_can_be_categories():
    X = np.column_stack([np.arange(90) % 3, np.random.RandomState(0).randn(90)])
    y = X[:, 0] == 1
    clf = KernelRidgeClassifier(categorical_features=[0]).fit(X, y)
    assert clf.encoder_.n_levels.tolist() == [3, 0]
    assert clf.score(X, y) == 1.0
    with pytest.raises(ValueError, match="categorical_features has 7"):
        KernelRidgeClassifier(categorical_features=[7]).fit(X, y)


def test_plain_frames_in_another_order_work_by_name():
    X = pd.DataFrame(np.random.RandomState(0).randn(50, 2), columns=["a", "b"])
    y = X["a"] > 0
    for cls in (KernelRidgeClassifier, MPRaFClassifier, kernsemble.KMHKSClassifier):
        clf = instance(cls).fit(X, y)
        assert clf.encoder_ is None
        assert_array_equal(clf.predict(X[["b", "a"]]), clf.predict(X))


def test_chunks_are_encoded_as_the_first_one(table):
    X, y = table
    clf = RVFLClassifier(random_state=0).partial_fit(X[:80], y[:80])
    encoder = clf.encoder_
    clf.partial_fit(X[80:].assign(colour="violet"), y[80:])
    assert clf.encoder_ is encoder
    assert clf.score(X, y) > 0.6


def test_what_needs_plain_numbers_says_so(table):
    X, y = table
    for clf in (
        KernelRidgeClassifier(scale=None),
        KernelRidgeClassifier(preset="paper"),
        KernelRidgeClassifier(OnColumns(RBF(1.0), [0])),
        KernelRidgeClassifier(Precomputed(np.eye(160))),
    ):
        assert not get_tags(clf).input_tags.categorical
        with pytest.raises((TypeError, ValueError), match=r"TableVectorizer\(\), .*SimpleImputer"):
            clf.fit(X, y)
        numbers = np.where(np.arange(160)[:, None] > 3, 1.0, [[np.nan]])
        with pytest.raises(ValueError, match="NaN"):
            clone(clf).fit(numbers, y)


@pytest.mark.parametrize("cls", every_classifier())
def test_tags_are_true(cls, table):
    X, y = table
    clf = instance(cls)
    tags = get_tags(clf).input_tags
    assert tags.allow_nan == tags.categorical
    numbers = np.random.RandomState(0).randn(160, 3)
    lacking = np.where(numbers > 1.5, np.nan, numbers)
    for holds, rows in (
        (tags.categorical, X),
        (tags.allow_nan, lacking),
        (tags.sparse, sparse.csr_matrix(np.maximum(numbers, 0.0))),
    ):
        if holds:
            fitted = clone(clf).fit(rows, y)
            assert np.isfinite(fitted.predict_proba(rows)).all()
        else:
            with pytest.raises((TypeError, ValueError)):
                clone(clf).fit(rows, y)
