"""Every node of small trees equals the node that the literal reference grows from its rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.trees.draws import draw_features
from kernsemble.trees.engine import Growth, SortedRows
from kernsemble.trees.frame import FramedRows
from kernsemble.trees.grow import NEVER, grow_tree
from kernsemble.trees.node import Bag
from kernsemble.trees.proximal_plane import AXIS, NULLSPACE, TIKHONOV
from kernsemble.trees.tree import LEAF, PLANE, Tree
from tests.reference.oblique_tree import split_node

REGULARIZATIONS = {"axis": AXIS, "tikhonov": TIKHONOV, "nullspace": NULLSPACE, None: NEVER}


def grow(X, y, *, weights=None, counts=None, n_drawn=2, regularization="axis", seed=0, **limits):
    order = np.argsort(y, kind="stable")
    X, y = np.asarray(X, float)[order], np.asarray(y)[order]
    counts = np.ones(len(y), int) if counts is None else np.asarray(counts)[order]
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, float)[order]
    framed = FramedRows.complete(np.ascontiguousarray(X.T))
    rows = SortedRows.of(framed, y, np.zeros(X.shape[1], np.int64))
    growth = Growth(
        n_drawn=n_drawn,
        max_depth=limits.get("max_depth", 2**31 - 1),
        min_samples_split=limits.get("min_samples_split", 2),
        min_samples_leaf=limits.get("min_samples_leaf", 1),
        min_decrease=1e-5,
        regularization=REGULARIZATIONS[regularization],
        alpha=0.01,
        bootstrap=False,
    )
    bag = Bag(counts.astype(np.int32), weights * counts)
    tree = grow_tree(rows, None, bag, int(y.max()) + 1, growth, seed)
    return Tree(*tree)._asdict(), X, y, weights * counts, counts


def compare_with_reference(X, y, **options):
    """Walk down the tree, splitting the rows of every node again by the reference."""
    tree, X, y, weights, counts = grow(X, y, **options)
    n_drawn, seed = options.get("n_drawn", 2), options.get("seed", 0)
    limits = {
        "regularization": options.get("regularization", "axis"),
        "min_samples_leaf": options.get("min_samples_leaf", 1),
    }
    pool, drawn = np.arange(X.shape[1], dtype=np.int32), np.empty(n_drawn, np.int32)
    stack = [(0, np.flatnonzero(counts), 0)]
    seen = {"plane": 0, "axis": 0, "leaf": 0}
    while stack:
        node, rows, depth = stack.pop()
        totals = np.bincount(y[rows], weights[rows], minlength=tree["shares"].shape[1])
        assert_allclose(tree["shares"][node], totals / totals.sum(), atol=1e-12)
        assert tree["samples"][node] == counts[rows].sum()
        stop = (
            len(np.unique(y[rows])) == 1
            or counts[rows].sum() < options.get("min_samples_split", 2)
            or depth >= options.get("max_depth", np.inf)
        )
        draw_features(seed, node, pool, n_drawn, drawn)
        assert len(set(drawn)) == n_drawn
        split, gain = ("leaf",), 0.0
        if not stop:
            split, gain = split_node(X[rows], y[rows], weights[rows], counts[rows], drawn, **limits)
        seen[split[0]] += 1
        if split[0] == "leaf":
            assert tree["feature"][node] == LEAF
            continue
        assert_allclose(tree["gains"][node], gain * weights[rows].sum(), rtol=1e-6)
        if split[0] == "plane":
            assert tree["feature"][node] == PLANE
            plane = tree["plane"][node]
            assert_array_equal(tree["plane_features"][plane], split[3])
            found = tree["plane_weights"][plane]
            assert_allclose(found, split[1], rtol=1e-5, atol=1e-6)
            assert_allclose(tree["threshold"][node], split[2], rtol=1e-5, atol=1e-6)
            left = X[rows][:, drawn] @ found <= tree["threshold"][node]
        else:
            assert tree["feature"][node] == split[1]
            assert_allclose(tree["threshold"][node], split[2])
            left = X[rows, split[1]] <= split[2]
        stack.append((tree["child"][node], rows[left], depth + 1))
        stack.append((tree["child"][node] + 1, rows[~left], depth + 1))
    assert len(tree["feature"]) == sum(seen.values())
    return seen


def blobs(n, n_features, n_classes, seed, spread=1.5):
    rng = np.random.RandomState(seed)
    y = np.r_[np.arange(n_classes), rng.randint(n_classes, size=n - n_classes)]
    return rng.randn(n_classes, n_features)[y] * spread + rng.randn(n, n_features), y


@pytest.mark.parametrize("regularization", ["axis", "tikhonov", "nullspace", None])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_every_node_matches_the_reference(regularization, n_classes):
    X, y = blobs(90, 5, n_classes, seed=n_classes)
    seen = compare_with_reference(X, y, n_drawn=3, regularization=regularization, seed=7)
    assert seen["plane"] > 0 or regularization is None
    assert seen["axis"] > 0 or regularization in ("tikhonov", "nullspace")


@pytest.mark.parametrize("regularization", ["axis", "tikhonov", "nullspace"])
def test_bootstrap_counts_and_fractional_weights(regularization):
    X, y = blobs(120, 6, 4, seed=3)
    rng = np.random.RandomState(0)
    counts = np.bincount(rng.randint(120, size=120), minlength=120)
    compare_with_reference(X, y, counts=counts, regularization=regularization, n_drawn=3)
    compare_with_reference(
        X, y, counts=counts, weights=rng.rand(120) + 0.1, regularization=regularization, n_drawn=2
    )


@pytest.mark.parametrize(
    "limits", [{"min_samples_leaf": 6}, {"min_samples_split": 20}, {"max_depth": 3}]
)
def test_limits_on_growth(limits):
    X, y = blobs(100, 4, 3, seed=1)
    counts = np.bincount(np.random.RandomState(1).randint(100, size=100), minlength=100)
    for regularization in ("axis", None):
        compare_with_reference(X, y, counts=counts, regularization=regularization, **limits)


def test_whole_numbers_with_many_ties():
    rng = np.random.RandomState(5)
    X, y = rng.randint(4, size=(150, 6)), rng.randint(3, size=150)
    compare_with_reference(X, y, n_drawn=1)
    compare_with_reference(X, y, n_drawn=1, regularization=None)


def test_columns_that_are_constant_in_a_node_or_a_group():
    rng = np.random.RandomState(8)
    X, y = blobs(200, 4, 3, seed=8)
    X = np.column_stack([X, np.where(X[:, :2] > 0.7, X[:, :2], 0.1), np.full(200, 0.3)])
    X[y == 0, 2] = 1 / 3
    for seed in range(3):
        compare_with_reference(X, y, n_drawn=2, seed=seed, weights=rng.rand(200) + 0.5)


@pytest.mark.parametrize("regularization", ["axis", "tikhonov", "nullspace", None])
@pytest.mark.parametrize("n_drawn", [1, 3])
def test_degenerate_nodes_end(regularization, n_drawn):
    rng = np.random.RandomState(0)
    base = rng.randn(40, 2)
    cases = {
        "collinear": np.column_stack([base, base.sum(1)]),
        "constant columns": np.column_stack([np.ones(40), base[:, 0], np.zeros(40)]),
        "all constant": np.ones((40, 3)),
        "duplicates": np.repeat(rng.randn(10, 3), 4, axis=0),
        "tiny spread far away": 1e6 + 1e-6 * rng.randn(40, 3),
        "huge": 1e150 * rng.randn(40, 3),
    }
    for X in cases.values():
        for y in (np.arange(40) % 2, np.arange(40) % 7, np.arange(40), np.r_[0, np.ones(39, int)]):
            tree, *_ = grow(X, y, n_drawn=n_drawn, regularization=regularization)
            assert len(tree["feature"]) <= 79
            assert np.isfinite(tree["threshold"]).all()
            inner = tree["feature"] != LEAF
            children = tree["child"][inner]
            assert (tree["samples"][children] > 0).all()
            assert (tree["samples"][children + 1] > 0).all()
    tree, *_ = grow(base[:2], [0, 1], n_drawn=2, regularization=regularization)
    assert len(tree["feature"]) == 3


def test_whole_weights_equal_repeated_rows():
    X, y = blobs(60, 4, 3, seed=9)
    times = np.random.RandomState(2).randint(0, 4, size=60)
    repeated, *_ = grow(np.repeat(X, times, axis=0), np.repeat(y, times), n_drawn=3)
    counted, *_ = grow(X, y, counts=times, n_drawn=3)
    weighted, *_ = grow(X[times > 0], y[times > 0], weights=times[times > 0], n_drawn=3)
    for tree in (counted, weighted):
        assert_array_equal(tree["feature"], repeated["feature"])
        assert_array_equal(tree["child"], repeated["child"])
        assert_allclose(tree["threshold"], repeated["threshold"], atol=1e-9)
        assert_allclose(tree["shares"], repeated["shares"])


def test_histogram_and_sorted_scans_agree():
    X, y = blobs(3000, 4, 3, seed=4, spread=0.3)
    rounded = np.round(X, 1)
    few, *_ = grow(rounded, y, n_drawn=2, regularization=None)
    # Leaves of at least two copies force the sorted scan. Two copies of every row make this limit
    # harmless, so the trees must be the same.
    many, *_ = grow(rounded, y, counts=np.full(3000, 2), min_samples_leaf=2, regularization=None)
    assert_array_equal(few["feature"], many["feature"])
    assert_allclose(few["threshold"], many["threshold"])
