"""Importances: what shuffling, gradients and trees say, for columns and groups."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, make_classification

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier, MPRaFClassifier
from kernsemble.explain.importance import (
    Importances,
    log_losses,
    mean_and_error,
    shuffled_changes,
    squared_gradients,
)

X, Y = make_classification(
    400, 6, n_informative=2, n_redundant=0, shuffle=False, class_sep=1.5, random_state=0
)
ORDER = np.random.RandomState(0).permutation(400)
X, Y = X[ORDER], Y[ORDER]
NEW = slice(200, None)


def probabilities(Z):
    p = 1.0 / (1.0 + np.exp(-2.0 * Z[:, 0] + Z[:, 1] * Z[:, 2]))
    return np.column_stack([1 - p, p])


def test_shuffled_changes_are_those_of_the_definition():
    rows, codes = X[:15], Y[:15]
    groups = [np.array([0]), np.array([1, 2]), np.array([5])]
    found = shuffled_changes(probabilities, rows, codes, groups, 3, np.random.RandomState(0))
    rng = np.random.RandomState(0)
    orders = [rng.permutation(15) for _ in range(3)]
    for g, columns in enumerate(groups):
        for i in range(15):
            rise = []
            for order in orders:
                row = rows[i].copy()
                for j in columns:
                    row[j] = rows[order[i], j]
                own = [probabilities(one[None])[0, codes[i]] for one in (row, rows[i])]
                rise.append(np.log(own[1]) - np.log(own[0]))
            assert found[g, i] == pytest.approx(np.mean(rise))
    assert_allclose(found[2], 0.0, atol=1e-12)


def test_means_have_the_usual_errors_and_weights_count_as_rows():
    samples = np.random.RandomState(0).randn(2, 50)
    mean, error = mean_and_error(samples)
    assert_allclose(mean, samples.mean(axis=1))
    assert_allclose(error, samples.std(axis=1, ddof=1) / np.sqrt(50))
    weights = 1.0 + np.arange(50) % 2
    twice = np.repeat(samples, weights.astype(int), axis=1)
    assert_allclose(mean_and_error(samples, weights)[0], twice.mean(axis=1))


def test_gradients_are_derivatives_on_standardised_columns():
    def score(Z):
        return np.column_stack([Z[:, 0] ** 2 + 3 * Z[:, 1], np.sin(Z[:, 1])])

    rows = np.random.RandomState(0).randn(30, 3) * [2.0, 0.5, 1.0]
    found = squared_gradients(score, np.column_stack([rows, np.ones(30)]))
    spread = rows.std(axis=0)
    assert_allclose(found[0], (2 * rows[:, 0] * spread[0]) ** 2, rtol=1e-5, atol=1e-9)
    expected = (9 + np.cos(rows[:, 1]) ** 2) * spread[1] ** 2
    assert_allclose(found[1], expected, rtol=1e-5)
    assert not found[2:].any()


@pytest.mark.parametrize(
    "clf",
    [
        KernelRidgeClassifier(random_state=0),
        KernelEnsembleClassifier(["gaussian", "forest"], random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_noise_is_worth_nothing_on_training_rows_and_on_new_ones(clf):
    clf.fit(X[:200], Y[:200])
    for rows in (slice(200), NEW):
        found = clf.importance(X[rows], Y[rows])
        assert set(found.order[:2]) <= {0, 1}
        noise = found.values[2:]
        assert (noise < 0.03).all() and (np.abs(noise) <= 4 * found.errors[2:] + 1e-9).all()
        assert found.values.max() > 0.1


def test_training_rows_are_recognised_and_scored_by_clones(monkeypatch):
    clf = KernelRidgeClassifier(random_state=0).fit(X[:100], Y[:100])
    auto = clf.importance(X[:100], Y[:100], n_repeats=1)
    folds = clf.importance(X[:100], Y[:100], n_repeats=1, n_folds=5)
    assert_allclose(auto.values, folds.values)
    new = clf.importance(X[:100], Y[:100], n_repeats=1, n_folds=None)
    assert not np.allclose(auto.values, new.values)


def test_gradients_and_decrease():
    clf = KernelRidgeClassifier(random_state=0).fit(X, Y)
    for found in (
        clf.importance(method="gradients"),
        clf.importance(X[NEW], method="gradients"),
        MPRaFClassifier(20, random_state=0).fit(X, Y).importance(method="decrease"),
    ):
        assert set(found.order[:2]) == {0, 1} and (found.errors > 0).all()
    forest = MPRaFClassifier(5, random_state=0).fit(X, Y)
    whole = forest.importance(method="decrease")
    assert_allclose(whole.values, forest.feature_importances_)
    grouped = forest.importance(method="decrease", groups={"noise": [2, 3, 4, 5]})
    assert grouped.values[0] == pytest.approx(whole.values[2:].sum())


def test_groups_names_words_and_strings_as_labels():
    data = load_iris(as_frame=True)
    labels = np.array(["a", "b", "c"])[data.target]
    clf = KernelRidgeClassifier(random_state=0).fit(data.data, labels)
    found = clf.importance(data.data, labels, groups={"petal": [2, "petal width (cm)"]})
    assert found.names.tolist() == ["petal"] and found.values[0] > 0.5
    assert "petal" in repr(found) and found.to_frame().shape == (1, 3)
    many = Importances(np.array([f"x{j}" for j in range(40)]), np.arange(40.0), np.ones(40), "")
    assert repr(many).endswith("…") and "x39" in repr(many).splitlines()[1]


def test_what_is_missing_is_said():
    clf = KernelRidgeClassifier(random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="needs rows X"):
        clf.importance()
    with pytest.raises(ValueError, match="needs a forest"):
        clf.importance(method="decrease")
    with pytest.raises(ValueError, match="not in training"):
        clf.importance(X, Y + 5)
    with pytest.raises(ValueError, match="method"):
        clf.importance(X, Y, method="guess")
    forest = MPRaFClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="n_folds"):
        forest.importance(X, Y)
    assert len(forest.importance(X[:50], Y[:50], n_folds=2, n_repeats=1)) == 6


def test_a_fold_may_lack_a_class():
    codes = np.array([0] * 10 + [1] * 10 + [2])
    rows = np.random.RandomState(0).randn(21, 2) + codes[:, None]
    clf = KernelRidgeClassifier(random_state=0).fit(rows, codes)
    assert np.isfinite(clf.importance(rows, codes, n_repeats=1).values).all()


def test_impossible_labels_cost_a_finite_loss():
    assert np.isfinite(log_losses(np.array([[1.0, 0.0]]), np.array([1]))).all()
