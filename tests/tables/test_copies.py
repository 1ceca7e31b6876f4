"""Equal rows of one class are one row that counts its copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import kernsemble as ks
from kernsemble.tables import open_memory
from kernsemble.tables.copies import _row_keys, find_copies, number_distinct
from kernsemble.tables.draws import copies_in_folds


@pytest.fixture
def rows():
    rng = np.random.RandomState(0)
    X = rng.randn(40, 3).round(3)
    y = (X[:, 0] + 0.7 * rng.randn(40) > 0).astype(int) + (X[:, 1] > 1)
    return X, y, rng.randint(1, 4, 40)


def test_copies_and_weights_open_the_same_table(rows):
    X, y, counts = rows
    order = np.random.RandomState(1).permutation(40)
    repeated = open_memory(X.repeat(counts, axis=0), y.repeat(counts), merge=True)
    weighted = open_memory(X[order], y[order], counts[order], merge=True)
    for one, other in zip(repeated.all[1:], weighted.all[1:]):
        assert_array_equal(one, other)
    assert_array_equal(repeated.all.copies, repeated.all.sample_weight)
    assert repeated.all.copies.sum() == counts.sum() and repeated.n_rows == 40


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_distinct_rows_are_numbered(form):
    X = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [3.0, 1.0], [2.0, 0.0]])
    assert_array_equal(number_distinct(form(X))[[0, 1, 2]], [0, 1, 3])
    assert_array_equal(number_distinct(form(X[[0, 1, 3]])), [0, 1, 2])


def test_no_landmark_of_the_flagship_is_a_copy():
    rng = np.random.RandomState(0)
    X = rng.randn(7, 2)[rng.randint(7, size=1200)]
    clf = ks.KernelEnsembleClassifier(["gaussian"], random_state=0).fit(X, X[:, 0] > 0)
    assert len(clf.estimators_[0].held_rows().rows) <= 7


def test_every_training_row_knows_the_row_that_stands_for_it(rows):
    X, y, counts = rows
    table = open_memory(X.repeat(counts, axis=0), y.repeat(counts), merge=True)
    assert_array_equal(table.all.X[table.merged.origin], X.repeat(counts, axis=0))
    assert_array_equal(table.all.codes[table.merged.origin], y.repeat(counts))


def test_copies_are_rows_again_unless_they_are_too_many(rows):
    X, y, counts = rows
    table = open_memory(X, y, counts, class_weight="balanced", merge=True)
    listed, numbers = table.list_copies(100_000)
    assert_array_equal(numbers, np.arange(40).repeat(table.all.copies.astype(int)))
    assert_array_equal(listed.all.X, table.all.X[numbers])
    assert_allclose(listed.class_weights, table.class_weights)
    assert listed.all.copies is None and listed.n_rows == counts.sum()
    # Three rows of weight a million are three rows of less, and every weight is kept.
    many = open_memory(X[:3], y[:3], np.array([1.0, 3e5, 1e6]), merge=True)
    listed, numbers = many.list_copies(100)
    assert listed.n_rows <= 103 and set(numbers) == {0, 1, 2}
    assert_allclose(np.bincount(numbers, listed.all.weights), many.all.weights)
    assert table.take(np.arange(3)).list_copies(10)[1] is not None
    assert open_memory(X, y, merge=True).list_copies(10)[1] is None


def test_balanced_classes_count_copies(rows):
    X, y, counts = rows
    repeated = open_memory(
        X.repeat(counts, axis=0), y.repeat(counts), class_weight="balanced", merge=True
    )
    weighted = open_memory(X, y, counts, class_weight="balanced", merge=True)
    assert_allclose(repeated.all.sample_weight, weighted.all.sample_weight)
    assert_allclose(repeated.class_weights, counts.sum() / 3)


def test_rows_of_other_classes_and_other_weights_are_not_merged(rows):
    X, y, counts = rows
    assert find_copies(X, y) is None
    assert find_copies(X, y, np.ones(40)) is None
    assert find_copies(X, y, counts + 0.5) is None
    twice = np.vstack([X, X])
    assert find_copies(twice, np.append(y, y + 1)) is None
    assert find_copies(twice, np.append(y, y)).number.tolist() == [2.0] * 40


def test_keys_are_the_same_for_dense_sparse_and_negative_zero():
    X = np.random.RandomState(0).randint(-1, 2, (500, 6)).astype(float)
    codes = np.zeros(500, dtype=int)
    keys = _row_keys(X, codes)
    assert_array_equal(_row_keys(sparse.csr_array(X), codes), keys)
    assert_array_equal(_row_keys(np.where(X == 0, -0.0, X), codes), keys)
    assert_array_equal(_row_keys(X.astype(np.float32), codes), keys)
    assert len(np.unique(keys)) == len(np.unique(X, axis=0))


def test_folds_deal_out_copies(rows):
    table = open_memory(*rows, merge=True)
    folds = copies_in_folds(table.all, 5, np.random.RandomState(0))
    assert_array_equal(folds.sum(axis=0), table.all.copies)
    assert np.ptp(folds.sum(axis=1)) <= 1 and folds.min() >= 0
    for code in range(3):
        assert np.ptp(folds[:, table.all.codes == code].sum(axis=1)) <= 1


# Methods that draw no rows and visit them in no order; with them, rows that are almost equal, and
# therefore not merged, must give what a weight gives.
WEIGHTED = {
    ks.KMHKSClassifier: 1e-4,
    ks.KernelFDAClassifier: 1e-6,
    ks.KernelRidgeClassifier: 1e-6,
    ks.RVFLClassifier: 1e-5,
    ks.CoKRRClassifier: 1e-6,
    ks.LandmarkRidgeClassifier: 1e-3,
    ks.MEKLLPCClassifier: 5e-3,
    ks.MultiKMHKSClassifier: 1e-6,
    ks.RVFLEnsembleClassifier: 1e-5,
    ks.AlignmentMKLClassifier: 1e-3,
    ks.AverageMKLClassifier: 1e-3,
    ks.EasyMKLClassifier: 1e-3,
    ks.GroupLassoMKLClassifier: 1e-3,
    ks.MKDAClassifier: 1e-6,
    ks.SILPMKLClassifier: 1e-3,
    ks.SVM2KClassifier: 2e-3,
    ks.SimpleMKLClassifier: 1e-3,
}


@pytest.mark.parametrize("cls", WEIGHTED)
def test_a_weight_of_two_is_two_rows_that_are_almost_equal(cls, rows):
    X, y, counts = rows
    # With two classes there are no votes, which a last digit may turn.
    y, rng = y > 0, np.random.RandomState(2)
    near = X.repeat(counts, axis=0) + 1e-9 * rng.randn(counts.sum(), 3)
    # The papers' strengths are fixed; those that folds choose depend on where the folds cut. A
    # penalty of the coefficients of the discriminant sees every copy by itself.
    wanted = {"n_estimators": 3, "preset": "paper", "penalty": "norm", "random_state": 0}
    known = cls().get_params()
    options = {name: value for name, value in wanted.items() if name in known}
    weighted = cls(**options).fit(X, y, counts)
    repeated = cls(**options).fit(near, y.repeat(counts))
    plain = cls(**options).fit(X, y)
    new = rng.randn(30, 3)
    scores = weighted.decision_function(new)
    assert_allclose(scores, repeated.decision_function(new), atol=WEIGHTED[cls])
    assert np.abs(scores - plain.decision_function(new)).max() > 10 * WEIGHTED[cls]


@pytest.mark.parametrize(
    "cls",
    [
        ks.KernelRidgeClassifier,
        ks.RVFLClassifier,
        ks.CoKRRClassifier,
        ks.MKDAClassifier,
        ks.MRSKLClassifier,
    ],
)
def test_honest_scores_are_of_the_training_rows(cls, rows):
    X, y, counts = rows
    clf = cls(random_state=0).fit(X.repeat(counts, axis=0), y.repeat(counts))
    assert_array_equal(clf.honest_rows_, np.arange(counts.sum()))
    # Copies of a row have the same score.
    first = np.cumsum(counts) - counts
    assert_array_equal(clf.honest_scores_, clf.honest_scores_[first].repeat(counts, axis=0))
    weighted = cls(random_state=0).fit(X, y, counts)
    assert_allclose(weighted.honest_scores_, clf.honest_scores_[first])
    assert weighted.honest_weighted_accuracy_ == pytest.approx(clf.honest_accuracy_)


@pytest.mark.parametrize("estimator", [None, "nearest"])
@pytest.mark.parametrize("n_components", [3, "auto"])
def test_classifiers_that_take_no_weights_get_every_copy(estimator, n_components, rows):
    X, y, counts = rows
    make = ks.KernelPCAEnsembleClassifier(
        3, estimator=estimator, n_components=n_components, random_state=0
    )
    repeated = make.fit(X.repeat(counts, axis=0), y.repeat(counts)).predict_proba(X)
    assert_array_equal(make.fit(X, y, counts).predict_proba(X), repeated)


NOISY = [
    ks.KernelRidgeClassifier(random_state=0),
    ks.RVFLClassifier(random_state=0),
    ks.CoKRRClassifier(random_state=0),
    ks.LandmarkRidgeClassifier(5, n_landmarks=4, random_state=0),
    ks.AverageMKLClassifier(random_state=0),
    ks.MRSKLClassifier(50, random_state=0),
    ks.RPEMEKLClassifier(2, n_landmarks=4, random_state=0),
    ks.RPEMEKLClassifier(2, n_landmarks=4, alpha="auto", random_state=0),
    ks.KernelPCAEnsembleClassifier(random_state=0),
]


@pytest.mark.parametrize("clf", NOISY, ids=lambda clf: type(clf).__name__)
def test_copies_with_other_classes_do_not_mislead(clf):
    """Few different rows, each a hundred times, a fifth of them with the other class."""
    rng = np.random.RandomState(0)
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=float)
    X = corners[rng.randint(8, size=800)]
    y = (X[:, 0] > 0) ^ (rng.rand(800) < 0.2)
    fitted = clf.fit(X, y)
    assert (fitted.predict(corners) == (corners[:, 0] > 0)).all()
    if "honest_" in vars(fitted):
        assert fitted.honest_accuracy_ == pytest.approx(fitted.score(X, y), abs=0.02)
