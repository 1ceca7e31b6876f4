"""Every exported estimator keeps scikit-learn's contract and this library's own."""

import inspect
import pickle
from copy import deepcopy

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    parametrize_with_checks,
)

import kernsemble

# A bootstrap and the sample of rows behind a rotation draw each copy of a row by itself but a row
# of weight 2 once, and the draws depend on the order of the rows, which this check shuffles.
# scikit-learn expects the same checks to fail for RandomForestClassifier. The kernel ensemble has a
# forest among its members.
REASON = "every member draws rows, whatever their weights"
DRAWS_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": REASON,
    "check_sample_weight_equivalence_on_sparse_data": REASON,
}
DRAWING = (
    kernsemble.MPRaFClassifier,
    kernsemble.MPRRoFClassifier,
    kernsemble.RotationForestClassifier,
    kernsemble.KernelEnsembleClassifier,
)

# Settings that make the checks fast; every other parameter keeps its default.
FAST = {"n_estimators": 3}
# The checks round the rows for classifiers that take categories. Few distinct rows are left, and
# three machines on half of them would be no ensemble.
FAST_OF = {"MRSKLClassifier": {"n_estimators": 8}}


def exported():
    values = [getattr(kernsemble, name) for name in kernsemble.__all__]
    return [cls for cls in values if inspect.isclass(cls) and issubclass(cls, BaseEstimator)]


def instance(cls, **params):
    known = inspect.signature(cls).parameters
    settings = {**FAST, "random_state": 0, **params}
    return cls(**{name: value for name, value in settings.items() if name in known})


def expected_failures(estimator):
    return DRAWS_ROWS if isinstance(estimator, DRAWING) else {}


CLASSIFIERS = [cls for cls in exported() if is_classifier(instance(cls))]
ENSEMBLES = [cls for cls in CLASSIFIERS if "n_jobs" in inspect.signature(cls).parameters]


@parametrize_with_checks(
    [instance(cls, **FAST_OF.get(cls.__name__, {})) for cls in exported()],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "estimator",
    [RandomForestClassifier(3), *map(instance, DRAWING)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_no_failure_is_expected_that_would_not_come(estimator):
    """Forests fail the check of weights, scikit-learn's own as well as ours."""
    with pytest.raises(AssertionError, match="Not equal"):
        check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)


@pytest.fixture(params=[2, 3], ids=["binary", "three classes"])
def labelled(request):
    X, y = make_blobs(90, n_features=4, centers=request.param, cluster_std=4.0, random_state=1)
    return X, np.array(["no", "maybe", "yes"])[y]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_predictions_agree_with_probabilities_and_scores(cls, labelled):
    X, y = labelled
    clf = instance(cls).fit(X, y)
    P, S = clf.predict_proba(X), clf.decision_function(X)
    assert_allclose(P.sum(axis=1), 1.0)
    assert P.shape == (len(X), len(clf.classes_))
    assert_array_equal(clf.classes_[P.argmax(axis=1)], clf.predict(X))
    best = (S > 0).astype(int) if S.ndim == 1 else S.argmax(axis=1)
    assert_array_equal(clf.classes_[best], clf.predict(X))


@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize("cls", ENSEMBLES)
def test_the_answer_does_not_depend_on_n_jobs_or_backend(cls, backend, labelled):
    X, y = labelled
    alone = instance(cls).fit(X, y).decision_function(X)
    with parallel_config(backend=backend):
        together = instance(cls, n_jobs=2).fit(X, y).decision_function(X)
    assert_allclose(together, alone, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_fitting_leaves_data_and_parameters_alone(cls, labelled):
    X, y = labelled
    X.setflags(write=False)
    clf = instance(cls)
    before = deepcopy(clf.get_params())
    clf.fit(X, y)
    assert clf.get_params().keys() == before.keys()
    assert repr(clone(clf)) == repr(instance(cls))


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_pickled_copy_predicts_the_same(cls, labelled):
    X, y = labelled
    clf = instance(cls).fit(X, y)
    copy = pickle.loads(pickle.dumps(clf))
    assert_array_equal(copy.predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_float32_rows_work_as_float64_rows_do(cls, labelled):
    X, y = labelled
    wide = instance(cls).fit(X, y).score(X, y)
    narrow = instance(cls).fit(X.astype(np.float32), y).score(X.astype(np.float32), y)
    assert abs(wide - narrow) <= 0.1


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda X: np.hstack([X, np.ones((len(X), 2))]), id="constant columns"),
        pytest.param(lambda X: np.repeat(X[::2], 2, axis=0), id="duplicate rows"),
        pytest.param(lambda X: np.ones_like(X), id="all rows equal"),
        pytest.param(lambda X: np.zeros_like(X), id="all zero"),
        pytest.param(lambda X: X[:, :1], id="one feature"),
        pytest.param(lambda X: X * 1e6, id="large numbers"),
        pytest.param(lambda X: X + 1e6, id="far from the origin"),
    ],
)
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_degenerate_but_legal_data_work(cls, spoil, labelled):
    X, y = labelled
    X = spoil(X)
    P = instance(cls).fit(X, y).predict_proba(X)
    assert np.isfinite(P).all()


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_two_rows_and_one_row_per_class_work(cls):
    X = np.array([[0.0, 1.0], [3.0, -1.0], [-2.0, 2.0]])
    for n_rows in (2, 3):
        clf = instance(cls).fit(X[:n_rows], np.arange(n_rows))
        assert clf.predict(X[:n_rows]).shape == (n_rows,)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_bad_input_is_named(cls):
    X, y = np.random.RandomState(0).randn(20, 3), np.arange(20) % 2
    with pytest.raises(ValueError, match="class"):
        instance(cls).fit(X, np.zeros(20))
    with pytest.raises(ValueError, match="sample"):
        instance(cls).fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="NaN"):
        instance(cls).fit(np.where(X > 2, np.nan, X + 5 * (X > 2)) * np.nan, y)
    fitted = instance(cls).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict(X[:, :2])
