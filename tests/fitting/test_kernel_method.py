"""Presets and scaled inputs, which all kernel methods have in common."""

import inspect

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs

import kernsemble
from kernsemble import CoKRRClassifier, KernelRidgeClassifier, RVFLClassifier, SimpleMKLClassifier
from kernsemble.fitting import kernel_method
from kernsemble.fitting.kernel_method import KernelMethod, is_auto
from kernsemble.kernels import RBF, Precomputed
from kernsemble.maps.views import SQUEEZE, fit_sparse_view
from kernsemble.tables import RowChunks

METHODS = [
    cls
    for cls in (getattr(kernsemble, name) for name in kernsemble.__all__)
    if inspect.isclass(cls) and issubclass(cls, KernelMethod)
]
X, Y = make_blobs(60, n_features=4, centers=3, cluster_std=4.0, random_state=0)
UNITS = np.array([1e-3, 1.0, 64.0, 1e6])


def small(cls, **params):
    known = inspect.signature(cls).parameters
    settings = {"n_estimators": 3, "random_state": 0, **params}
    return cls(**{name: value for name, value in settings.items() if name in known})


@pytest.mark.parametrize("cls", METHODS)
def test_units_do_not_matter(cls):
    # A solver that stops early may stop elsewhere after another rounding.
    plain, scaled = (small(cls, tol=1e-6).fit(Z, Y) for Z in (X, X * UNITS + 5.0 * UNITS))
    assert_allclose(
        scaled.predict_proba(X * UNITS + 5.0 * UNITS), plain.predict_proba(X), atol=1e-4
    )


@pytest.mark.parametrize("cls", METHODS)
def test_scaling_is_the_same_as_fitting_scaled_rows(cls):
    inside = small(cls).fit(X, Y)
    outside = small(cls, scale=None).fit(inside.view_(X), Y)
    assert_allclose(inside.decision_function(X), outside.decision_function(inside.view_(X)))


@pytest.mark.parametrize("cls", METHODS)
def test_the_papers_settings_are_one_word_away(cls):
    clf = small(cls, preset="paper")
    settled = clf._settled().get_params(deep=False)
    assert settled["scale"] is None
    for name, value in cls._paper.items():
        assert is_auto(inspect.signature(cls).parameters[name].default), name
        assert settled[name] is value
    assert_array_equal(clf.fit(X, Y).view_(X), X)
    # The parameters of the estimator stay as they were given.
    assert repr(clone(clf)) == repr(small(cls, preset="paper"))


def test_a_given_value_wins_over_the_paper():
    clf = KernelRidgeClassifier(preset="paper", scale="robust").fit(X, Y)
    assert_allclose(clf.view_(X).std(axis=0), 1.0, atol=0.2)


@pytest.mark.parametrize("params", [{"preset": "best"}, {"scale": "minmax"}])
def test_unknown_words_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        KernelRidgeClassifier(**params).fit(X, Y)


def test_row_numbers_are_not_scaled():
    numbers, K = np.arange(60.0)[:, None], RBF(0.1)(X)
    for clf in (
        SimpleMKLClassifier(np.stack([K, K**2])),
        SimpleMKLClassifier([Precomputed(K), Precomputed(K**2)]),
        KernelRidgeClassifier(Precomputed(K)),
        CoKRRClassifier(views=[Precomputed(K), Precomputed(K**2)]),
    ):
        assert_array_equal(clf.fit(numbers, Y).view_(numbers), numbers)
        assert clf.score(numbers, Y) > 0.5
        with pytest.raises(ValueError, match="scale='robust'"):
            clf.set_params(scale="robust").fit(numbers, Y)


def test_sparse_rows_stay_sparse_and_units_do_not_matter():
    rng = np.random.RandomState(0)
    A = sparse.random(80, 6, density=0.3, random_state=0, format="csr")
    y = rng.randint(2, size=80)
    view = fit_sparse_view(A)
    Z = view(A)
    assert sparse.issparse(Z) and Z.nnz == A.nnz and abs(Z.data).max() < SQUEEZE
    assert_allclose(view(A.toarray()), Z.toarray())
    B = (A @ sparse.diags([1.0, 10.0, 0.1, 5.0, 1e4, 1.0])).tocsr()
    first, second = (KernelRidgeClassifier().fit(M, y).predict_proba(M) for M in (A, B))
    assert_allclose(first, second)


def test_chunks_and_dask_tables_have_the_same_scales(monkeypatch):
    for limit in (20_000, 30):
        monkeypatch.setattr(kernel_method, "SCALE_ROWS", limit)
        weights = np.random.RandomState(0).rand(60) + 0.5
        views = [
            RVFLClassifier(random_state=0).fit(*data).view_
            for data in (
                (X, Y, weights),
                (RowChunks(X, Y, weights, size=17),),
                [da.from_array(column, chunks=20) for column in (X, Y, weights)],
            )
        ]
        for view in views[1:]:
            assert_allclose(view(X), views[0](X))


def test_weights_scale_as_copies_of_the_rows_do():
    copies = np.random.RandomState(0).randint(1, 4, size=60)
    weighted = KernelRidgeClassifier().fit(X, Y, copies).view_
    repeated = KernelRidgeClassifier().fit(X.repeat(copies, axis=0), Y.repeat(copies)).view_
    assert_allclose(weighted(X), repeated(X))


def test_later_chunks_are_scaled_as_the_first():
    clf = RVFLClassifier(random_state=0).partial_fit(X, Y)
    view = clf.view_
    assert clf.partial_fit(1000.0 * X, Y).view_ is view


def test_float32_rows_stay_float32():
    clf = KernelRidgeClassifier().fit(X.astype(np.float32), Y)
    assert clf.view_(X.astype(np.float32)).dtype == np.float32
    assert clf.view_(X).dtype == np.float64
