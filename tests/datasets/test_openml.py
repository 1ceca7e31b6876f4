"""Downloads are checked against the manifest and against the first download (no network here)."""

import json
from urllib.error import URLError

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.utils import Bunch

from kernsemble.datasets import load
from kernsemble.datasets import openml as module
from kernsemble.datasets.openml import fingerprint, read_manifest


@pytest.fixture
def serve(monkeypatch):
    """Return a function that sets the next downloads and returns the list of their calls."""

    def serve(X, y, feature_names):
        calls = []

        def fetch_openml(**kwargs):
            calls.append(kwargs)
            return Bunch(data=X, target=y, feature_names=list(feature_names), DESCR="as told")

        monkeypatch.setattr(module, "fetch_openml", fetch_openml)
        return calls

    return serve


def random_set(name, seed=0):
    wanted = read_manifest()[name]
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((wanted.rows, wanted.features))
    y = rng.choice(["b", "g"], size=wanted.rows).astype(object)
    return X, y, [f"f{i}" for i in range(wanted.features)]


def uci_iris():
    """OpenML's iris is UCI's, which has three wrong cells that scikit-learn corrects."""
    X = load_iris().data.copy()
    X[34], X[37] = [4.9, 3.1, 1.5, 0.1], [4.9, 3.1, 1.5, 0.1]
    y = np.repeat(["Iris-setosa", "Iris-versicolor", "Iris-virginica"], 50).astype(object)
    return X, y, ["sepallength", "sepalwidth", "petallength", "petalwidth"]


def test_manifest_is_sound():
    manifest = read_manifest()
    assert len({wanted.id for wanted in manifest.values()}) == len(manifest) >= 25
    for wanted in manifest.values():
        assert wanted.rows > 0 and wanted.features > 0 and wanted.version >= 1
        assert wanted.sha256 == "" or len(bytes.fromhex(wanted.sha256)) == 32


def test_pinned_sum_accepts_the_true_iris_only(serve, tmp_path):
    X, y, names = uci_iris()
    calls = serve(X, y, names)
    data = load("openml/iris", data_home=tmp_path)
    assert_array_equal(data.X, X)
    assert data.y.dtype.kind == "U" and data.name == "openml/iris" and data.source == "openml"
    assert "OpenML id 61" in data.description and "as told" in data.description
    assert calls[0]["data_id"] == 61 and calls[0]["data_home"] == tmp_path

    serve(load_iris().data, y, names)
    with pytest.raises(
        ValueError, match=r"'iris' \(OpenML id 61\) differs from the manifest.*sha256"
    ):
        load("openml/iris", data_home=tmp_path)


def test_first_download_is_recorded_and_kept_to(serve, tmp_path):
    X, y, names = random_set("ionosphere")
    serve(X, y, names)
    load("openml/ionosphere", data_home=tmp_path)
    [record] = (tmp_path / "kernsemble").iterdir()
    assert json.loads(record.read_text()) == fingerprint(X, y, names)
    load("openml/ionosphere", data_home=tmp_path)

    changed = X.copy()
    changed[3, 1] += 1e-12
    serve(changed, y, names)
    with pytest.raises(ValueError, match="first download") as error:
        load("openml/ionosphere", data_home=tmp_path)
    assert "feature values" in str(error.value) and "targets" not in str(error.value)
    assert str(record) in str(error.value)

    serve(X, y[::-1], names)
    with pytest.raises(ValueError, match=r"first download.*: targets \(expected"):
        load("openml/ionosphere", data_home=tmp_path)
    record.write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        load("openml/ionosphere", data_home=tmp_path)


def test_wrong_shape_is_refused_and_not_recorded(serve, tmp_path):
    X, y, names = random_set("sonar")
    serve(X[:-1], y[:-1], names)
    with pytest.raises(ValueError, match=r"rows \(expected 208, got 207\)"):
        load("openml/sonar", data_home=tmp_path)
    assert not (tmp_path / "kernsemble").exists()


def test_columns_that_are_no_features_are_dropped(serve, tmp_path):
    X, y, names = random_set("musk2")
    serve(np.column_stack([np.arange(len(X)), X]), y, ["ID", *names])
    data = load("openml/musk2", data_home=tmp_path)
    assert data.feature_names == tuple(names)
    assert_array_equal(data.X, X)


def test_target_column_and_sparse_data(serve, tmp_path):
    X, y, names = random_set("liver-disorders")
    X[np.abs(X) < 1] = 0
    calls = serve(csr_array(X), y, names)
    assert_array_equal(load("openml/liver-disorders", data_home=tmp_path).X, X)
    assert calls[0]["target_column"] == "selector"


def test_fingerprint_is_canonical():
    X = np.array([[0.0, np.nan], [1.0, 2.0]])
    same = np.asfortranarray([[-0.0, -np.nan], [1.0, 2.0]])
    y = np.array(["a", "b"])
    assert fingerprint(X, y, ["p", "q"]) == fingerprint(same, y.astype(object), ("p", "q"))
    other = fingerprint(X, y, ["p", "r"])
    assert other["sha256"] != fingerprint(X, y, ["p", "q"])["sha256"]


def test_no_network_says_which_set(monkeypatch, tmp_path):
    def fetch_openml(**kwargs):
        raise URLError("no route")

    monkeypatch.setattr(module, "fetch_openml", fetch_openml)
    with pytest.raises(ConnectionError, match=r"'pima' \(OpenML id 37\).*no route"):
        load("openml/pima", data_home=tmp_path)
