"""A merged forest predicts what its trees do."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from kernsemble.members.forest import ForestMember, ForestPlan, grow_batch, prepare_rows
from kernsemble.tables import open_memory
from kernsemble.tables.columns import Columns
from kernsemble.trees.engine import Growth, leaves_of
from kernsemble.trees.predict import FEW_ROWS, MANY_WAYS
from kernsemble.trees.tree import BY_LEVEL, BY_VALUE, LEAF, MISSING_RIGHT, PLANE


def some_rows(n_classes, n_rows=600, missing=True):
    X, y = make_classification(
        n_rows, 8, n_informative=6, n_classes=n_classes, flip_y=0.1, random_state=0
    )
    if missing:
        X[np.random.RandomState(0).uniform(size=X.shape) < 0.1] = np.nan
    return X, y


def some_forest(kind, n_trees=7, regularization="axis", n_drawn=3, **plan):
    """Return a forest of rows of a kind, and the rows."""
    X, y = some_rows(3, missing=kind in ("missing", "levels and missing"))
    columns = Columns(np.zeros(8, dtype=np.intp), np.isnan(X).any(axis=0))
    if kind in ("levels", "levels and missing"):
        X[:, 0] = np.where(np.isnan(X[:, 0]), np.nan, np.arange(len(X)) % 40)
        columns.n_levels[0] = 40
    growth = Growth(n_drawn, 50, 5, 1, 1e-5, regularization, 0.01, bootstrap=True)
    table = open_memory(X, y, None, class_weight=None, columns=columns)
    plan = ForestPlan(growth, **plan)
    trees, _ = grow_batch(prepare_rows(table, plan), plan, np.arange(n_trees))
    return ForestMember(trees), X


def literal_leaf(tree, framed, row):
    """Follow a row down a tree as the docstring of `Tree` says."""
    node = 0
    while tree.feature[node] != LEAF:
        f, p = tree.feature[node], tree.plane[node]
        if f == PLANE:
            place = 0.0
            for feature, weight in zip(tree.plane_features[p], tree.plane_weights[p]):
                place += weight * framed.columns[feature, row]
            right = place > tree.threshold[node]
        elif tree.route[node] == BY_LEVEL:
            right = tree.goes_right(node, np.int64(framed.columns[f, row]))
        elif tree.route[node] != BY_VALUE and framed.lack_values and framed.missing[f, row]:
            right = tree.route[node] == MISSING_RIGHT
        else:
            right = framed.columns[f, row] > tree.threshold[node]
        node = tree.child[node] + int(right)
    return node


@pytest.mark.parametrize("regularization", ["axis", None])
@pytest.mark.parametrize("kind", ["numbers", "missing", "levels", "levels and missing"])
def test_leaves_are_those_of_a_literal_walk(kind, regularization):
    forest, X = some_forest(kind, 2, regularization=regularization)
    for member in forest.trees:
        framed = member.frame(X)
        literal = [literal_leaf(member.tree, framed, row) for row in range(len(X))]
        np.testing.assert_array_equal(leaves_of(member.tree, framed), literal)
        for n in (1, FEW_ROWS, FEW_ROWS + 1):
            few = leaves_of(member.tree, framed.take(np.arange(n)))
            np.testing.assert_array_equal(few, literal[:n])


@pytest.mark.parametrize("n_rows", [1, 2, 9, FEW_ROWS, FEW_ROWS + 1, MANY_WAYS, MANY_WAYS + 1])
@pytest.mark.parametrize(
    "kind, plan",
    [
        ("numbers", {}),
        ("missing", {}),
        ("levels", {}),
        ("levels and missing", {}),
        ("levels and missing", {"regularization": None}),
        ("numbers", {"n_drawn": 6}),
        ("numbers", {"group_size": 3, "trees_per_rotation": 3}),
        ("levels", {"group_size": 3}),
    ],
)
def test_few_rows_are_scored_as_many_are_to_the_last_bit(kind, plan, n_rows):
    forest, X = some_forest(kind, 30, **plan)
    merged = forest.compact()
    assert merged.roots is not None
    # The last rows too, because the first may not lack a value.
    for rows in (slice(n_rows), slice(len(X) - n_rows, None)):
        np.testing.assert_array_equal(merged.scores(X[rows]), merged.scores(X)[rows])


@pytest.mark.parametrize("kind", ["numbers", "missing", "levels"])
def test_merged_forest_scores_as_its_trees(kind):
    forest, X = some_forest(kind)
    merged = forest.compact()
    assert len(forest.trees) == len(merged.roots) == 7
    np.testing.assert_allclose(merged.scores(X), forest.scores(X), atol=1e-13)
    np.testing.assert_allclose(merged.scores(X[:1]), forest.scores(X[:1]), atol=1e-13)


@pytest.mark.parametrize("kind", ["numbers", "levels"])
@pytest.mark.parametrize("together", [1, 3, 7])
def test_merged_forest_turns_rows_as_its_trees_do(kind, together):
    forest, X = some_forest(kind, group_size=3, trees_per_rotation=together)
    merged = forest.compact()
    assert len(merged.trees) == 1 and merged.trees[0].rotation is None
    assert len(merged.rotations.sources) == -(-7 // together)
    assert merged.turns.tolist() == [k // together for k in range(7)]
    np.testing.assert_allclose(merged.scores(X), forest.scores(X), atol=1e-13)
    np.testing.assert_allclose(merged.scores(X[:1]), forest.scores(X[:1]), atol=1e-13)
    # Numbers that are missing in new rows alone count as expected, here as there.
    X[::3, 1] = np.nan
    np.testing.assert_allclose(merged.scores(X), forest.scores(X), atol=1e-13)


def test_turned_trees_that_ask_for_missing_numbers_stay_as_they_are():
    forest, _ = some_forest("missing", 40, group_size=3)
    assert any(member.tree.asks_for_missing for member in forest.trees)
    assert forest.compact() is forest


def test_trees_that_share_a_rotation_differ():
    forest, _ = some_forest("numbers", group_size=3, trees_per_rotation=7)
    assert len({id(member.rotation) for member in forest.trees}) == 1
    assert len({member.tree.n_nodes for member in forest.trees}) > 1
