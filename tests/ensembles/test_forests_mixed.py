"""Forests take data frames with categories and missing values as they are."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble import (
    MPRaFClassifier,
    MPRRoFClassifier,
    ObliqueTreeClassifier,
    RotationForestClassifier,
)
from kernsemble.trees import export_text, plot_tree

FORESTS = [MPRaFClassifier, MPRRoFClassifier, RotationForestClassifier]


@pytest.fixture(scope="module")
def table():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(
        {
            "height": rng.randn(300),
            "colour": rng.choice(["red", "green", "blue"], 300),
            "width": rng.randn(300),
            "noise": rng.choice(list("abcdefghijklmnop"), 300),
        }
    )
    y = np.where((X["height"] + X["width"] > 0) ^ (X["colour"] == "red"), "yes", "no")
    X.loc[rng.rand(300) < 0.1, "height"] = np.nan
    X.loc[rng.rand(300) < 0.1, "colour"] = None
    return X, y


@pytest.mark.parametrize("forest", FORESTS)
def test_frames_as_they_are(forest, table):
    X, y = table
    clf = forest(40, bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    assert clf.honest_accuracy_ > 0.8
    importances = clf.feature_importances_
    assert importances.shape == (4,)
    assert_allclose(importances.sum(), 1.0)
    assert importances[[0, 1, 2]].min() > importances[3]
    assert clf.apply(X).shape == (300, 40)
    tags = clf.__sklearn_tags__().input_tags
    assert tags.allow_nan and tags.categorical


@pytest.mark.parametrize("forest", FORESTS)
def test_every_number_of_threads_gives_the_same_forest(forest, table):
    X, y = table
    alone = forest(12, random_state=3).fit(X, y)
    together = forest(12, random_state=3, n_jobs=3).fit(X, y)
    assert_array_equal(alone.predict_proba(X), together.predict_proba(X))
    again = pickle.loads(pickle.dumps(alone))
    assert_array_equal(alone.predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize("forest", FORESTS)
def test_new_levels_and_newly_missing_values(forest, table):
    X, y = table
    clf = forest(20, random_state=0).fit(X, y)
    new = X.iloc[:6].copy()
    new["colour"], new["width"] = "pink", np.nan
    unknown = new.assign(colour=None)
    assert_array_equal(clf.predict_proba(new), clf.predict_proba(unknown))
    alone = np.vstack([clf.predict_proba(new.iloc[[i]]) for i in range(6)])
    assert_array_equal(clf.predict_proba(new), alone)


@pytest.mark.parametrize("forest", FORESTS)
def test_arrays_with_missing_numbers(forest, table):
    X, y = table
    numbers = X[["height", "width"]].to_numpy()
    with_codes = np.column_stack([numbers, pd.factorize(X["colour"])[0]])
    clf = forest(30, random_state=0, categorical_features=[2]).fit(with_codes, y)
    assert clf.score(with_codes, y) > 0.9
    alone = forest(30, random_state=0).fit(X[["colour"]], y)
    assert alone.predict_proba(X[["colour"]]).shape == (300, 2)


def test_a_tree_says_its_splits_in_words(table):
    X, y = table
    tree = ObliqueTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    text = export_text(tree)
    assert "colour is " in text and "red" in text
    values = pd.DataFrame({"a": [1.0, 2.0, np.nan, np.nan] * 10, "b": ["u", "v", "w", None] * 10})
    for column, rule in (("a", "a is missing"), ("b", "b is u, v, missing")):
        labels = [0, 0, 1, 1] if column == "a" else [0, 0, 1, 0]
        fitted = ObliqueTreeClassifier().fit(values[[column]], np.tile(labels, 10))
        assert rule in export_text(fitted)
    assert plot_tree(tree).texts
