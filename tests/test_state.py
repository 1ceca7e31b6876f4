"""A fit that fails or is interrupted leaves the estimator exactly as it was."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_blobs

import kernsemble
from kernsemble.fitting import base
from kernsemble.kernels import RBF, Sigmoid
from kernsemble.tables import RowChunks

EXPORTED = [
    cls
    for cls in (getattr(kernsemble, name) for name in kernsemble.__all__)
    if inspect.isclass(cls) and issubclass(cls, BaseEstimator)
]
CLASSIFIERS = [cls for cls in EXPORTED if issubclass(cls, base.KernelEnsemble)]
X, Y = make_blobs(60, n_features=3, centers=3, cluster_std=3.0, random_state=0)


def instance(cls):
    known = inspect.signature(cls).parameters
    settings = {"n_estimators": 3, "random_state": 0}
    return cls(**{name: value for name, value in settings.items() if name in known})


def interrupt(*args, **kwargs):
    raise KeyboardInterrupt


def out_of_memory(*args, **kwargs):
    raise MemoryError("simulated")


@pytest.fixture(params=["unfitted", "fitted"])
def prepared(request):
    """Return a function that gives an estimator and what it holds before the fit that fails."""

    def prepare(cls):
        estimator = instance(cls)
        if request.param == "fitted":
            estimator.fit(X, Y)
        return estimator, dict(vars(estimator))

    return prepare


def same_state(estimator, before):
    after = vars(estimator)
    return after.keys() == before.keys() and all(after[name] is before[name] for name in before)


@pytest.mark.parametrize("cls", EXPORTED)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param((X[:, :2] * np.nan, Y), id="missing values"),
        pytest.param((X[:0], Y[:0]), id="no rows"),
        pytest.param((X[:, :2], Y[:5]), id="too few labels"),
    ],
)
def test_bad_data_change_nothing(cls, data, prepared):
    estimator, before = prepared(cls)
    if not issubclass(cls, base.KernelEnsemble) and len(data[0]) != len(data[1]):
        pytest.skip("a transformer does not read the labels")
    with pytest.raises(ValueError):
        estimator.fit(*data)
    assert same_state(estimator, before)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_single_class_and_a_bad_parameter_change_nothing(cls, prepared):
    estimator, before = prepared(cls)
    with pytest.raises(ValueError, match="class"):
        estimator.fit(X[:, :2], np.zeros(60))
    assert same_state(estimator, before)
    estimator.set_params(class_weight="heavy")
    before = {**before, "class_weight": estimator.class_weight}
    with pytest.raises(ValueError, match="heavy"):
        estimator.fit(X[:, :2], Y)
    assert same_state(estimator, before)


def test_a_map_that_refuses_a_kernel_keeps_what_it_was():
    estimator = kernsemble.EmpiricalKernelMap(RBF(0.1), negative="raise").fit(X)
    before = {**vars(estimator), "kernel": Sigmoid(1.0, -1.0)}
    estimator.set_params(kernel=before["kernel"])
    for fit in (estimator.fit, estimator.fit_transform):
        with pytest.raises(ValueError, match="indefinite"):
            fit(X[:, :2])
        assert same_state(estimator, before)


@pytest.mark.parametrize("failure", [interrupt, out_of_memory])
@pytest.mark.parametrize("hook", ["_fit_members", "_finish"])
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_an_interrupted_fit_changes_nothing(cls, hook, failure, prepared, monkeypatch):
    estimator, before = prepared(cls)
    scores = estimator.decision_function(X) if "classes_" in before else None
    original = getattr(cls, hook)

    def fail_at_the_end(self, *args, **kwargs):
        original(self, *args, **kwargs)
        failure()

    with monkeypatch.context() as patch:
        patch.setattr(cls, hook, fail_at_the_end)
        with pytest.raises((KeyboardInterrupt, MemoryError)):
            estimator.fit(X[:, :2], np.where(Y == 2, 0, Y))
    assert same_state(estimator, before)
    if scores is not None:
        np.testing.assert_array_equal(estimator.decision_function(X), scores)


@pytest.mark.parametrize("cls", [cls for cls in CLASSIFIERS if cls._accept_chunks])
def test_a_failure_in_a_later_chunk_changes_nothing(cls, prepared):
    estimator, before = prepared(cls)
    spoiled = np.where(np.arange(60)[:, None] > 50, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit(RowChunks(spoiled, Y, size=20))
    assert same_state(estimator, before)


@pytest.mark.parametrize("cls", [cls for cls in CLASSIFIERS if hasattr(cls, "partial_fit")])
def test_a_failed_partial_fit_keeps_what_was_learned(cls):
    estimator = instance(cls).partial_fit(X, Y)
    before = dict(vars(estimator))
    for bad in ((X[:, :2], Y), (X, np.full(60, 7)), (X * np.nan, Y)):
        with pytest.raises(ValueError):
            estimator.partial_fit(*bad)
        assert same_state(estimator, before)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_fitted_names_end_in_an_underscore_and_nothing_else_appears(cls):
    estimator = instance(cls)
    params = set(vars(estimator))
    estimator.fit(X, Y)
    new = set(vars(estimator)) - params
    assert not {name for name in new if not name.endswith("_") or name.startswith("_")}


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_second_fit_forgets_the_first(cls):
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    estimator = instance(cls).fit(frame, Y)
    assert list(estimator.feature_names_in_) == ["a", "b", "c"]
    estimator.fit(X[:, :2], np.where(Y == 2, 0, Y))
    fresh = instance(cls).fit(X[:, :2], np.where(Y == 2, 0, Y))
    assert vars(estimator).keys() == vars(fresh).keys()
    assert estimator.n_features_in_ == 2 and len(estimator.classes_) == 2
