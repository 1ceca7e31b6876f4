"""Numbers at the edge of what a double holds, through every exported classifier."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import is_classifier
from sklearn.datasets import make_blobs

import kernsemble
from kernsemble.fitting import memory
from kernsemble.fitting.ho_kashyap import HoKashyapLearner
from kernsemble.fitting.kernel_learner import KernelLearner
from kernsemble.tables import RowChunks

CLASSIFIERS = [
    getattr(kernsemble, name) for name in kernsemble.__all__ if name.endswith("Classifier")
]
X, Y = make_blobs(60, n_features=3, centers=3, cluster_std=4.0, random_state=1)
W = np.random.RandomState(0).rand(60) + 0.5
W /= W.mean()


def instance(cls, **params):
    known = inspect.signature(cls).parameters
    settings = {"n_estimators": 2, "random_state": 0, **params}
    return cls(**{name: value for name, value in settings.items() if name in known})


def test_every_exported_classifier_is_here():
    assert len(CLASSIFIERS) >= 27 and all(is_classifier(instance(cls)) for cls in CLASSIFIERS)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_the_scale_of_extreme_weights_does_not_matter(cls):
    wanted = instance(cls).fit(X, Y, W).decision_function(X)
    for factor in (1e-300, 1e300):
        found = instance(cls).fit(X, Y, W * factor).decision_function(X)
        # Solvers stop at a duality gap, and rounding decides at which iteration.
        assert_allclose(found, wanted, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_one_weight_that_leaves_nothing_to_the_others_is_named(cls):
    weights = np.where(np.arange(60) == 3, 1e300, 1.0)
    with pytest.raises(ValueError, match=r"sample_weight has a largest value of 1e\+300.*class"):
        instance(cls).fit(X, Y, weights)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_one_weight_of_a_billion_is_legal(cls):
    weights = np.where(np.arange(60) == 3, 1e9, 1.0)
    assert np.isfinite(instance(cls).fit(X, Y, weights).predict_proba(X)).all()


def test_a_row_of_no_weight_beside_the_others_is_left_out():
    weights = np.where(np.arange(60) < 5, 1e-20, 1.0)
    model = kernsemble.KernelRidgeClassifier(random_state=0).fit(X, Y, weights)
    assert len(model.honest_rows_) == 55


def test_weights_in_chunks_are_scaled_alike():
    wanted = kernsemble.RVFLClassifier(random_state=0).fit(X, Y, W).decision_function(X)
    for factor in (1e-300, 1e300):
        chunks = RowChunks(X, Y, W * factor, size=25)
        found = kernsemble.RVFLClassifier(random_state=0).fit(chunks).decision_function(X)
        assert_allclose(found, wanted, atol=1e-8)


def test_weights_of_partial_fit_have_one_scale():
    with pytest.raises(ValueError, match="sample_weight of partial_fit must have a mean between"):
        kernsemble.RVFLClassifier(random_state=0).partial_fit(X, Y, sample_weight=W * 1e-300)


@pytest.mark.parametrize(
    "factors, message",
    [
        ({0: 0.0}, "class_weight must have finite values above 0, got 0 for class 0"),
        ({1: -1.0}, "got -1 for class 1"),
        ({2: np.inf}, "got inf for class 2"),
        ({2: np.nan}, "got nan for class 2"),
        ({0: 1e300}, r"class_weight has values from 1 to 1e\+300"),
    ],
)
@pytest.mark.parametrize("data", [(X, Y), (RowChunks(X, Y, size=25),)], ids=["memory", "chunks"])
def test_class_weights_are_positive_numbers_of_some_size(factors, message, data):
    with pytest.raises(ValueError, match=message):
        kernsemble.RVFLClassifier(class_weight=factors).fit(*data)


def test_the_scale_of_extreme_class_weights_does_not_matter():
    factors = {0: 0.5, 1: 1.0, 2: 1.5}
    huge = {label: factor * 1e300 for label, factor in factors.items()}
    fits = [
        kernsemble.KernelRidgeClassifier(class_weight=weight).fit(X, Y, W * 1e300)
        for weight in (factors, huge)
    ]
    assert_allclose(fits[1].decision_function(X), fits[0].decision_function(X), atol=1e-8)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_the_unit_of_a_column_does_not_matter(cls):
    wanted = instance(cls).fit(X, Y).decision_function(X)
    for unit in (1e160, 1e-300, np.array([1.0, 1e160, 1e-300])):
        found = instance(cls).fit(X * unit, Y).decision_function(X * unit)
        assert_allclose(found, wanted, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_numbers_far_from_zero_are_told_apart(cls):
    far = X + 1e15
    assert instance(cls).fit(far, Y).score(far, Y) > 0.8


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_new_rows_may_be_enormous(cls):
    clf = instance(cls).fit(X, Y)
    for factor in (1e30, 1e150, 1e300):
        assert np.isfinite(clf.predict_proba(X[:5] * factor)).all()


@pytest.mark.parametrize("cls", [cls for cls in CLASSIFIERS if "scale" in vars(instance(cls))])
@pytest.mark.parametrize("option", [{"scale": None}, {"preset": "paper"}])
def test_enormous_numbers_are_named_where_columns_are_not_scaled(cls, option):
    frame = pytest.importorskip("pandas").DataFrame(X * [1.0, 1e160, 1.0], columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"Column b of X holds numbers as large as .*e\+161"):
        instance(cls, **option).fit(frame, Y)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_few_distinct_rows_many_columns_and_many_classes(cls):
    rng = np.random.RandomState(0)
    drawn = rng.randint(5, size=600)
    few, labels = rng.randn(5, 3)[drawn], drawn % 2
    assert np.isfinite(instance(cls).fit(few, labels).predict_proba(few)).all()
    wide = rng.randn(3, 400)
    assert instance(cls).fit(wide, [0, 1, 0]).predict(wide).shape == (3,)
    many = rng.randn(30, 3)
    P = instance(cls).fit(many, np.arange(30)).predict_proba(many)
    assert P.shape == (30, 30) and np.isfinite(P).all()


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_scores_that_no_memory_holds_are_refused_before_the_fit(cls, monkeypatch):
    """10,000 classes of one row, which the table alone would be no trouble for."""
    monkeypatch.setattr(memory, "memory_limit", lambda: 10**8)
    monkeypatch.setattr(cls, "_fit_members", None)
    many = np.arange(30_000.0).reshape(10_000, 3)
    message = (
        rf"{cls.__name__} needs at least [\d.]+ GB for the scores of 10000 rows, 3 columns and "
        r"10000 classes, and this process may use 0.1 GB. Join rare classes"
    )
    with pytest.raises(MemoryError, match=message):
        cls().fit(many, np.arange(10_000))


def test_the_memory_of_a_process_is_bounded(monkeypatch, tmp_path):
    everything = memory.memory_limit()
    (tmp_path / "limit").write_text("1000000\n")
    monkeypatch.setattr(memory, "CONTAINER_LIMIT", tmp_path / "limit")
    assert memory.memory_limit() == 10**6 < everything
    (tmp_path / "limit").write_text("max\n")
    assert memory.memory_limit() >= everything


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_too_little_memory_is_explained(cls, monkeypatch):
    def fail(*args, **kwargs):
        raise MemoryError("Unable to allocate 149. GiB")

    monkeypatch.setattr(cls, "_fit_members", fail)
    message = "needs more memory than there is for 60 rows, 3 columns and 3 classes.*149. GiB"
    with pytest.raises(MemoryError, match=message):
        instance(cls).fit(X, Y)


PROBLEM_PER_CLASS = (KernelLearner, HoKashyapLearner)


@pytest.mark.parametrize("cls", [cls for cls in CLASSIFIERS if issubclass(cls, PROBLEM_PER_CLASS)])
def test_work_that_no_machine_does_in_hours_is_refused_before_the_fit(cls, monkeypatch):
    monkeypatch.setattr(memory, "memory_limit", lambda: np.inf)
    monkeypatch.setattr(cls, "_fit_members", None)
    rows = np.arange(150_000.0).reshape(50_000, 3)
    message = rf"{cls.__name__} needs about \de\+\d+ operations for 50000 rows.* 25000 classes"
    with pytest.raises(ValueError, match=message):
        cls().fit(rows, np.arange(50_000) % 25_000)


@pytest.mark.parametrize("cls", [kernsemble.AverageMKLClassifier, kernsemble.MEKLDLPClassifier])
def test_rows_of_classes_of_their_own_are_not_held_out(cls):
    clf = cls(random_state=0).fit(X[:20], np.arange(20))
    assert not hasattr(clf, "honest_accuracy_")
    assert clf.score(X[:20], np.arange(20)) > 0.5
