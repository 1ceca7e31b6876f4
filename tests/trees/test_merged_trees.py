"""A merged forest predicts what its trees do."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from kernsemble.members.forest import ForestPlan, fit_forest_member
from kernsemble.tables import open_memory
from kernsemble.tables.columns import Columns
from kernsemble.trees.engine import Growth


def some_rows(n_classes, n_rows=600, missing=True):
    X, y = make_classification(
        n_rows, 8, n_informative=6, n_classes=n_classes, flip_y=0.1, random_state=0
    )
    if missing:
        X[np.random.RandomState(0).uniform(size=X.shape) < 0.1] = np.nan
    return X, y


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
