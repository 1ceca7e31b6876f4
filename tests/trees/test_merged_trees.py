"""Boosted trees as arrays predict what scikit-learn predicts, and merged forests what trees do."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

from kernsemble.members.forest import ForestPlan, fit_forest_member
from kernsemble.tables import open_memory
from kernsemble.tables.columns import Columns
from kernsemble.trees.boosted import MAX_LEAVES, read_boosted_trees
from kernsemble.trees.engine import Growth


def some_rows(n_classes, n_rows=600, missing=True):
    X, y = make_classification(
        n_rows, 8, n_informative=6, n_classes=n_classes, flip_y=0.1, random_state=0
    )
    if missing:
        X[np.random.RandomState(0).uniform(size=X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_leaves", [2, 15, MAX_LEAVES])
def test_arrays_predict_as_the_model(n_classes, n_leaves):
    X, y = some_rows(n_classes)
    model = HistGradientBoostingClassifier(
        max_iter=20, max_leaf_nodes=n_leaves, min_samples_leaf=2, early_stopping=False
    ).fit(X[:300], y[:300])
    trees = read_boosted_trees(model)
    np.testing.assert_allclose(trees.predict_proba(X), model.predict_proba(X), atol=1e-12)
    # A threshold is a value of the data: what equals it goes left.
    edges = np.tile(trees.nodes.threshold[:8], (8, 1))
    np.testing.assert_allclose(trees.predict_proba(edges), model.predict_proba(edges), atol=1e-12)


def test_trees_that_do_not_fit_stay_as_they_are():
    X, y = some_rows(2)
    large = HistGradientBoostingClassifier(max_leaf_nodes=None, min_samples_leaf=1, max_iter=2)
    assert read_boosted_trees(large.fit(X, y)) is None
    X[:, 0] = np.arange(len(X)) % 5
    by_level = HistGradientBoostingClassifier(max_iter=5, categorical_features=[0])
    y = (X[:, 0] % 2).astype(int)
    assert read_boosted_trees(by_level.fit(X, y)) is None


def test_the_first_steps_are_a_model_of_fewer_steps():
    X, y = some_rows(3)
    options = {"early_stopping": False, "random_state": 0, "max_features": 0.5}
    few, many = (
        HistGradientBoostingClassifier(max_iter=n_steps, **options).fit(X, y) for n_steps in (6, 9)
    )
    trees = read_boosted_trees(many)
    assert trees.n_steps == 9
    first = trees.first_steps(6)
    assert first.n_steps == 6
    np.testing.assert_allclose(first.predict_proba(X), few.predict_proba(X), atol=1e-12)


def test_arrays_refuse_other_columns():
    X, y = some_rows(2)
    trees = read_boosted_trees(HistGradientBoostingClassifier(max_iter=2).fit(X, y))
    with pytest.raises(ValueError, match="X has 3 columns, the trees 8"):
        trees.predict_proba(X[:, :3])


@pytest.mark.parametrize("kind", ["numbers", "missing", "levels"])
def test_merged_forest_scores_as_its_trees(kind):
    X, y = some_rows(3, missing=kind == "missing")
    columns = Columns(np.zeros(8, dtype=np.intp), np.isnan(X).any(axis=0))
    if kind == "levels":
        X[:, 0] = np.arange(len(X)) % 40
        columns.n_levels[0] = 40
    growth = Growth(3, 50, 5, 1, 1e-5, "axis", 0.01, bootstrap=True)
    table = open_memory(X, y, None, class_weight=None, columns=columns)
    forest = fit_forest_member(table, ForestPlan(growth, out_of_bag=True), np.arange(7))
    merged = forest.compact()
    assert len(forest.trees) == len(merged.roots) == 7
    np.testing.assert_allclose(merged.scores(X), forest.scores(X), atol=1e-13)
    np.testing.assert_allclose(merged.scores(X[:1]), forest.scores(X[:1]), atol=1e-13)
