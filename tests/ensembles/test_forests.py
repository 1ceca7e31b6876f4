"""What the forests promise beyond the contract of every estimator."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import accuracy_score

from kernsemble import (
    KernelRidgeClassifier,
    MPRaFClassifier,
    MPRRoFClassifier,
    ObliqueTreeClassifier,
    RotationForestClassifier,
)
from kernsemble.datasets import make_twonorm
from kernsemble.trees import export_text, plot_tree
from kernsemble.trees.draws import draw_copies

FORESTS = [MPRaFClassifier, MPRRoFClassifier, RotationForestClassifier]


@pytest.fixture(scope="module")
def rows():
    return make_classification(
        300, 8, n_informative=5, n_classes=3, flip_y=0.05, class_sep=0.8, random_state=0
    )


@pytest.mark.parametrize("forest", FORESTS)
def test_every_number_of_threads_grows_the_same_forest(forest, rows):
    X, y = rows
    alone = forest(20, random_state=3).fit(X, y)
    together = forest(20, random_state=3, n_jobs=3).fit(X, y)
    for one, other in zip(alone.estimators_, together.estimators_):
        for a, b in zip(one.tree, other.tree):
            assert_array_equal(a, b)
    assert_array_equal(alone.predict_proba(X), together.predict_proba(X))


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_processes_of_joblib_grow_the_same_forests():
    """Rows of more than a megabyte reach them as memory that may not be written."""
    script = """
        import numpy as np
        from joblib import parallel_config
        from kernsemble import MPRaFClassifier, MPRRoFClassifier, RotationForestClassifier

        X = np.random.RandomState(0).randn(300, 500)
        y = np.where(X[:, 0] > 0, "a", "b")
        for forest, width in (
            (MPRaFClassifier, 500), (MPRRoFClassifier, 8), (RotationForestClassifier, 8)
        ):
            clf = forest(4, max_depth=3, n_jobs=2, random_state=0)
            wanted = clf.fit(X[:, :width], y).predict_proba(X[:, :width])
            with parallel_config(backend="multiprocessing"):
                clf.fit(X[:, :width], y)
                np.testing.assert_array_equal(clf.predict_proba(X[:, :width]), wanted)
    """
    # A process of its own, because threads that are already running do not survive a fork.
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("forest", FORESTS)
def test_the_forest_does_not_depend_on_the_units(forest, rows):
    X, y = rows
    scale, shift = np.logspace(-6, 6, 8), 100 * np.arange(8)
    plain = forest(10, random_state=0).fit(X, y)
    scaled = forest(10, random_state=0).fit(X * scale + scale * shift, y)
    agree = plain.predict(X) == scaled.predict(X * scale + scale * shift)
    assert agree.mean() > 0.99


@pytest.mark.parametrize("forest", FORESTS)
def test_training_rows_end_in_the_leaves_they_made(forest, rows):
    X, y = rows
    clf = forest(5, bootstrap=False, random_state=0).fit(X, y)
    leaves = clf.apply(X)
    assert leaves.shape == (300, 5)
    for member, own in zip(clf.estimators_, leaves.T):
        samples = np.bincount(own, minlength=member.tree.n_nodes)
        inner = member.tree.feature != -1
        assert_array_equal(samples[~inner], member.tree.samples[~inner])
        assert not samples[inner].any()


def test_oblique_nodes_pay_on_oblique_classes():
    X, y = make_twonorm(600, random_state=0)
    oblique = MPRaFClassifier(50, random_state=0).fit(X[:300], y[:300])
    assert oblique.score(X[300:], y[300:]) > 0.95
    tree = ObliqueTreeClassifier(max_depth=1).fit(X[:300], y[:300])
    assert tree.score(X[300:], y[300:]) > 0.93


def bag(y, seed):
    """Return how often each row was drawn; rows are drawn in the order of their classes."""
    copies = np.empty(len(y), dtype=np.int32)
    draw_copies(seed, copies)
    return copies[np.argsort(np.argsort(y, kind="stable"))]


def test_out_of_bag_scores_are_those_of_the_other_trees(rows):
    X, y = rows
    clf = MPRaFClassifier(30, oob_score=True, random_state=5).fit(X, y)
    total, n_trees = np.zeros((300, 3)), np.zeros(300)
    seeds = np.random.RandomState(5).randint(np.iinfo(np.int32).max, size=30)
    for member, seed in zip(clf.estimators_, seeds):
        out = np.flatnonzero(bag(y, seed) == 0)
        total[out] += member.scores(X[out])
        n_trees[out] += 1
    assert_allclose(clf.honest_scores_, total / n_trees[:, None])
    predicted = clf.classes_[clf.honest_scores_.argmax(axis=1)]
    assert clf.honest_accuracy_ == accuracy_score(y, predicted)
    clf.set_params(combine="vote").fit(X, y)
    assert 0.5 < clf.honest_accuracy_ < 1.0


def test_a_row_in_every_bag_is_scored_by_the_class_shares():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 1, 1])
    clf = MPRaFClassifier(1, oob_score=True, random_state=0).fit(X, y)
    inside = np.flatnonzero(bag(y, np.random.RandomState(0).randint(np.iinfo(np.int32).max)))
    assert_allclose(clf.honest_scores_[inside], 2 / 6 - 4 / 6)


def test_votes_are_shares_of_majorities(rows):
    X, y = rows
    clf = MPRaFClassifier(11, combine="vote", random_state=0).fit(X, y)
    votes = np.zeros((300, 3))
    for member in clf.estimators_:
        votes[np.arange(300), member.scores(X).argmax(axis=1)] += 1
    assert_allclose(clf.predict_proba(X), votes / 11)


def test_weights_and_class_weights(rows):
    X, y = rows
    heavy = np.where(y == 2, 50.0, 1.0)
    limits = {"min_samples_leaf": 20, "random_state": 0}
    plain = MPRaFClassifier(20, **limits).fit(X, y)
    weighted = MPRaFClassifier(20, **limits).fit(X, y, sample_weight=heavy)
    by_class = MPRaFClassifier(20, class_weight={0: 1, 1: 1, 2: 50}, **limits).fit(X, y)
    assert (weighted.predict(X) == 2).mean() > (plain.predict(X) == 2).mean() + 0.1
    assert (by_class.predict(X) == 2).mean() > (plain.predict(X) == 2).mean() + 0.1
    scaled = MPRaFClassifier(20, **limits).fit(X, y, sample_weight=heavy * 1e-3)
    assert_allclose(scaled.predict_proba(X), weighted.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("forest", FORESTS)
def test_importances_find_the_informative_features(forest):
    X, y = make_classification(
        400, 10, n_informative=3, n_redundant=0, shuffle=False, class_sep=1.5, random_state=0
    )
    importances = forest(30, random_state=0).fit(X, y).feature_importances_
    assert importances.shape == (10,)
    assert_allclose(importances.sum(), 1.0)
    assert (importances >= 0).all()
    # A rotation mixes each informative feature with two others of its group.
    assert importances[:3].mean() > 2 * importances[3:].mean()


def test_without_a_split_there_is_no_importance():
    clf = MPRaFClassifier(3, random_state=0).fit(np.ones((10, 2)), np.arange(10) % 2)
    assert_array_equal(clf.feature_importances_, [0.0, 0.0])


def test_a_rotation_is_orthogonal(rows):
    X, y = rows
    for width in (1, 3, 8, 20):
        clf = RotationForestClassifier(2, group_size=width, bootstrap=False, random_state=0)
        clf.fit(X, y)
        for member in clf.estimators_:
            R = member.rotation.back(np.eye(8))
            assert_allclose(R @ R.T, np.eye(8), atol=1e-12)
            _, W, thresholds = member.splits()
            left = X @ W[0] <= thresholds[0]
            assert left.sum() == member.tree.samples[member.tree.child[0]]


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"regularization": "ridge"}, ValueError, "regularization"),
        ({"alpha": 0.0}, ValueError, "alpha"),
        ({"max_features": 9}, ValueError, "max_features"),
        ({"max_features": "cube"}, ValueError, "max_features"),
        ({"max_depth": 0}, ValueError, "max_depth"),
        ({"min_samples_split": 1}, ValueError, "min_samples_split"),
        ({"min_samples_leaf": 0.5}, TypeError, "min_samples_leaf"),
        ({"bootstrap": "yes"}, TypeError, "bootstrap"),
        ({"bootstrap": False, "oob_score": True}, ValueError, "oob_score"),
        ({"combine": "stacked"}, ValueError, "combine"),
        ({"n_estimators": 0}, ValueError, "n_estimators"),
    ],
)
def test_bad_parameters_are_named(params, error, match, rows):
    with pytest.raises(error, match=match):
        MPRaFClassifier(**params).fit(*rows)


@pytest.mark.parametrize("max_features", ["sqrt", "log2", 1, 0.5, None])
@pytest.mark.parametrize("regularization", ["axis", "tikhonov", "nullspace"])
def test_every_choice_of_features_and_regularization_learns(max_features, regularization, rows):
    X, y = rows
    clf = MPRaFClassifier(
        10, max_features=max_features, regularization=regularization, random_state=0
    )
    assert clf.fit(X, y).score(X, y) > 0.85


def test_missing_values_are_named(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    frame = pandas.DataFrame(X, columns=list("abcdefgh"))
    frame.loc[3, ["b", "g"]] = np.nan
    assert MPRaFClassifier(2).fit(frame, y).predict(frame).shape == y.shape
    # A method that needs complete rows names the columns.
    with pytest.raises(ValueError, match=r"NaN in 2 of its columns \(b, g\)"):
        KernelRidgeClassifier(scale=None).fit(frame, y)


def test_export_and_plot():
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = ObliqueTreeClassifier(max_depth=3).fit(X, y)
    text = export_text(clf, class_names=["setosa", "versicolor", "virginica"])
    assert text.count("class") == clf.get_n_leaves()
    assert "petal length (cm)" in text
    assert "class setosa: 1.00 of 50 rows" in text
    for forest in (MPRRoFClassifier, MPRaFClassifier):
        member = forest(2, random_state=0).fit(X, y).estimators_[1]
        assert export_text(member).count(" rows") == member.tree.n_leaves
    with pytest.raises(ValueError, match="feature_names"):
        export_text(clf, feature_names=["a"])
    figure, ax = plt.subplots()
    assert plot_tree(clf, ax=ax) is ax
    assert len(ax.texts) == clf.tree_.n_nodes
    plt.close(figure)


@pytest.mark.parametrize("place", ["missing", "a file"])
def test_compiled_code_needs_no_cache_directory(place, tmp_path):
    cache = tmp_path / "cache"
    if place == "a file":
        cache.write_text("not a directory")
        cache = cache / "below"
    else:
        cache = "/proc/no-such-place/cache"
    code = (
        "import kernsemble.trees.predict as predict, numpy as np\n"
        "total = np.zeros((2, 2))\n"
        "predict.add_leaf_shares(np.array([0, 1], dtype=np.int32), np.eye(2), total)\n"
        "assert (total == np.eye(2)).all()"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_numba_is_imported_by_the_first_fit_only():
    code = (
        "import sys\n"
        "from kernsemble import MPRaFClassifier\n"
        "from kernsemble.trees import export_text\n"
        "clf = MPRaFClassifier(2)\n"
        "assert 'numba' not in sys.modules\n"
        "clf.fit([[0.0], [1.0]], [0, 1])\n"
        "assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
