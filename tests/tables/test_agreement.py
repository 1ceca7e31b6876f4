"""One seed gives one model, whether the rows are in memory, in chunks or in a dask collection."""

from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification

from kernsemble import (
    KernelPCAEnsembleClassifier,
    KernelRidgeClassifier,
    MRSKLClassifier,
    RPEMEKLClassifier,
    RVFLClassifier,
    RVFLEnsembleClassifier,
)
from kernsemble.ensembles import mrskl
from kernsemble.tables import RowChunks, draws

METHODS = {
    "RPEMEKL": lambda **p: RPEMEKLClassifier(2, n_landmarks=30, random_state=0, **p),
    "RPEMEKL, newton": lambda **p: RPEMEKLClassifier(
        1, n_landmarks=20, algorithm="newton", random_state=0, **p
    ),
    "RPEMEKL, auto": lambda **p: RPEMEKLClassifier(
        1, n_landmarks=20, alpha="auto", multi_class="ovr", random_state=0, **p
    ),
    "MRSKL": lambda **p: MRSKLClassifier(30, subset_size=20, random_state=0, **p),
    "MRSKL, pairs": lambda **p: MRSKLClassifier(
        30, subset="pair", n_candidates=2, random_state=0, **p
    ),
    "MRSKL, random": lambda **p: MRSKLClassifier(
        30, subset="random", subset_size=4, combine="nnls", random_state=0, **p
    ),
    "KernelPCA": lambda **p: KernelPCAEnsembleClassifier(
        2, max_exact=10, n_landmarks=50, random_state=0
    ),
    "KernelPCA, all rows": lambda **p: KernelPCAEnsembleClassifier(2, random_state=0),
    "KernelRidge": lambda **p: KernelRidgeClassifier(n_landmarks=40, random_state=0, **p),
    "KernelRidge, per class": lambda **p: KernelRidgeClassifier(
        n_landmarks=40, landmarks="stratified", alpha=0.1, random_state=0, **p
    ),
    "KernelRidge, clusters": lambda **p: KernelRidgeClassifier(
        n_landmarks=20, landmarks="kmeans", alpha=0.1, random_state=0, **p
    ),
    "RVFL": lambda **p: RVFLClassifier(30, random_state=0, **p),
    "RVFL ensemble": lambda **p: RVFLEnsembleClassifier(30, n_hidden=20, random_state=0, **p),
}


@pytest.fixture
def many_rows(monkeypatch):
    """Have the paths that many rows take tried on few."""
    monkeypatch.setattr(draws, "CALIBRATION_ROWS", 300)
    monkeypatch.setattr(mrskl, "SAMPLE_ROWS", 300)
    monkeypatch.setattr("kernsemble.kernels.statistics.MAX_EXACT_ROWS", 200)


@pytest.fixture(scope="module")
def table():
    X, y = make_classification(900, 6, n_informative=4, n_classes=3, random_state=0)
    # The last class comes late, so that some chunks do not have it.
    order = np.argsort((y == 2) * np.arange(900), kind="stable")
    weight = np.random.RandomState(0).rand(900)
    weight[::9] = 0.0
    return X[order], np.array(["a", "b", "c"])[y[order]], weight


class Uneven:
    """Chunks of different sizes, one of them empty, that can only be iterated over."""

    def __init__(self, *columns):
        self.columns = columns

    def __iter__(self):
        edges = [0, 400, 400, 430, 900]
        for start, stop in pairwise(edges):
            yield tuple(column[start:stop] for column in self.columns)


@pytest.mark.parametrize("name", METHODS)
def test_chunks_dask_and_memory_agree(name, table, many_rows):
    X, y, weight = table
    make = METHODS[name]
    in_memory = make().fit(X, y, weight)
    lazy = [da.from_array(column, chunks=250) for column in table]
    fits = {
        "chunks": make().fit(RowChunks(X, y, weight, size=170)),
        "uneven chunks": make().fit(Uneven(X, y, weight)),
        "dask": make().fit(*lazy),
    }
    for where, clf in fits.items():
        assert_allclose(
            clf.decision_function(X), in_memory.decision_function(X), atol=1e-8, err_msg=where
        )
        assert_allclose(clf.predict_proba(X), in_memory.predict_proba(X), atol=1e-8, err_msg=where)
        assert_array_equal(clf.classes_, in_memory.classes_)


@pytest.mark.parametrize("name", ["RPEMEKL", "RVFL", "KernelRidge", "MRSKL"])
@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0}])
def test_class_weights_and_two_classes_agree(name, class_weight, table):
    X, y, _ = table
    y = np.where(y == "c", "a", y)
    make = METHODS[name]
    in_memory = make(class_weight=class_weight).fit(X, y)
    chunked = make(class_weight=class_weight).fit(RowChunks(X, y, size=400))
    assert_allclose(chunked.predict_proba(X), in_memory.predict_proba(X), atol=1e-8)


def test_data_frames_keep_their_names(table):
    X, y, weight = table
    frame = pd.DataFrame(X, columns=list("abcdef"))
    in_memory = RVFLClassifier(random_state=0).fit(frame, y, weight)
    parts = dd.from_pandas(frame, npartitions=3)
    clf = RVFLClassifier(random_state=0).fit(
        parts,
        dd.from_pandas(pd.Series(y), npartitions=3),
        dd.from_pandas(pd.Series(weight), npartitions=3),
    )
    assert_array_equal(clf.feature_names_in_, in_memory.feature_names_in_)
    assert_allclose(clf.predict_proba(parts).compute(), in_memory.predict_proba(frame), atol=1e-8)
    assert_array_equal(clf.predict(parts).compute(), in_memory.predict(frame))
    pieces = [(frame[i::2], y[i::2], weight[i::2]) for i in range(2)]
    clf = RVFLClassifier(weight_scale=0.5, alpha=0.1, random_state=0).fit(pieces)
    assert_array_equal(clf.feature_names_in_, in_memory.feature_names_in_)
    in_memory = RVFLClassifier(weight_scale=0.5, alpha=0.1, random_state=0).fit(frame, y, weight)
    assert_allclose(clf.decision_function(frame), in_memory.decision_function(frame), atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_for_dask_arrays_are_lazy(n_classes, table):
    X, y, _ = table
    y = y if n_classes == 3 else np.where(y == "c", "a", y)
    clf = RPEMEKLClassifier(1, n_landmarks=20, random_state=0).fit(X, y)
    lazy = da.from_array(X, chunks=(200, 4))
    for method in ("predict", "predict_proba", "decision_function"):
        expected = getattr(clf, method)(X)
        found = getattr(clf, method)(lazy)
        assert isinstance(found, da.Array)
        assert found.shape == expected.shape and found.dtype == expected.dtype
        if method == "predict":
            assert_array_equal(found.compute(), expected)
        else:
            assert_allclose(found.compute(), expected)


def test_float32_chunks_stay_float32(table):
    X, y, _ = table
    clf = RPEMEKLClassifier(1, n_landmarks=20, random_state=0)
    clf.fit(RowChunks(X.astype(np.float32), y, size=300))
    assert clf.estimators_[0].landmarks.dtype == np.float32
