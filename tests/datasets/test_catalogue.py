"""Names mean one set, and errors say which names there are."""

import gzip
import shutil

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine

from kernsemble.datasets import FLAWED, list_datasets, load, make_waveform


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("KERNSEMBLE_DATA", raising=False)


@pytest.fixture
def folder(tmp_path):
    """Two collections that share names with each other, the built-in sets and OpenML."""
    for name in ("first/iris", "first/glass", "first/pima", "second/glass", "jmlr121/monks-1"):
        path = tmp_path / f"{name}.csv.gz"
        path.parent.mkdir(exist_ok=True)
        with gzip.open(path, "wt") as stream:
            stream.write("a,target\n1,0\n2,1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "shape", "n_classes"),
    [
        ("iris", (150, 4), 3),
        ("wine", (178, 13), 3),
        ("breast_cancer", (569, 30), 2),
        ("digits", (1797, 64), 10),
    ],
)
def test_builtin(name, shape, n_classes):
    data = load(name)
    assert data.X.shape == shape and data.X.dtype == np.float64
    assert len(data.classes) == n_classes and len(data.feature_names) == shape[1]
    assert data.source == "builtin" and data.splits == () and data.tuning is None
    assert load(f"builtin/{name}").name == name


def test_builtin_is_scikit_learns():
    assert_array_equal(load("wine").X, load_wine().data)
    assert_array_equal(load("wine").y, load_wine().target)


def test_generators_take_their_options():
    data = load("waveform", n_samples=30, noise=True, random_state=7)
    X, y = make_waveform(30, noise=True, random_state=7)
    assert_array_equal(data.X, X)
    assert_array_equal(data.y, y)
    assert load("waveform-noise", n_samples=5).X.shape == (5, 40)
    assert_array_equal(load("xor").X, load("generator/xor", random_state=0).X)
    for entry in list_datasets(source="generator"):
        assert load(entry.name, n_samples=20).X.shape[0] == 20


@pytest.mark.parametrize(
    ("name", "option", "message"),
    [
        ("iris", {"n_samples": 5}, r"'iris'.*'n_samples' \(got 5\); options: none"),
        ("xor", {"n_sample": 5}, r"'xor'.*'n_sample' \(got 5\); options: n_samples, n_noise"),
        ("waveform-noise", {"noise": False}, r"'noise' \(got False\); options: n_samples"),
    ],
)
def test_unknown_options_are_refused(name, option, message):
    with pytest.raises(TypeError, match=message):
        load(name, **option)


def test_names_that_several_collections_share(folder):
    assert load("iris", data_folder=folder).source == "builtin"
    assert load("first/iris", data_folder=folder).X.shape == (2, 1)
    assert load("pima", data_folder=folder).name == "first/pima"
    with pytest.raises(ValueError, match="ambiguous: use one of 'first/glass', 'second/glass'"):
        load("glass", data_folder=folder)
    assert load("second/glass", data_folder=folder).name == "second/glass"


def test_folder_of_files_is_a_collection_of_its_own_name(folder, monkeypatch):
    monkeypatch.setenv("KERNSEMBLE_DATA", str(folder / "first"))
    assert load("glass").name == "first/glass"
    assert load("first/glass").name == "first/glass"


def test_unknown_names_list_near_matches(folder):
    with pytest.raises(ValueError, match=r"'irsi'; near matches: 'iris', .*'openml/iris'"):
        load("irsi")
    with pytest.raises(ValueError, match="neither data_folder nor KERNSEMBLE_DATA names one"):
        load("irsi")
    with pytest.raises(ValueError, match=r"'first/glas'; near matches: 'first/glass'"):
        load("first/glas", data_folder=folder)
    with pytest.raises(ValueError, match=r"Unknown data set '\.\./first/glass'"):
        load("../first/glass", data_folder=folder)
    with pytest.raises(TypeError, match=r"name must be .*got 3"):
        load(3)


def test_bad_folders_say_who_named_them(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"data_folder must name an existing folder.*nowhere"):
        load("iris", data_folder=tmp_path / "nowhere")
    monkeypatch.setenv("KERNSEMBLE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="KERNSEMBLE_DATA must name an existing folder"):
        list_datasets()


def test_collections_may_not_take_a_sources_name(folder):
    shutil.move(folder / "second", folder / "openml")
    with pytest.raises(ValueError, match="collection 'openml', but that name is taken"):
        load("iris", data_folder=folder)


def test_list_and_filters(folder):
    entries = list_datasets(data_folder=folder)
    assert len({entry.name for entry in entries}) == len(entries)
    assert {entry.source for entry in entries} == {"builtin", "generator", "folder", "openml"}
    assert [e.name for e in list_datasets(collection="second", data_folder=folder)] == [
        "second/glass"
    ]
    assert [e.name for e in list_datasets(flawed=True, data_folder=folder)] == ["jmlr121/monks-1"]
    assert len(list_datasets(flawed=False, data_folder=folder)) == len(entries) - 1
    assert all(e.source == "openml" for e in list_datasets(collection="openml"))
    assert list_datasets(source="folder") == []
    with pytest.raises(ValueError, match=r"source must be one of.*got 'disk'"):
        list_datasets(source="disk")
    with pytest.raises(ValueError, match=r"collection must be one of.*got 'third'"):
        list_datasets(collection="third", data_folder=folder)
    with pytest.raises(TypeError, match=r"flawed.*got 1"):
        list_datasets(flawed=1)


def test_flaws_are_told_with_the_data(folder):
    data = load("monks-1", data_folder=folder)
    assert data.flaw == FLAWED["jmlr121/monks-1"]
    assert load("iris").flaw is None
    with pytest.raises(TypeError):
        FLAWED["jmlr121/iris"] = "none"


def test_repr_is_one_line():
    assert repr(load("iris")) == "Dataset('iris', 150 rows × 4 features, 3 classes, 0 splits)"


def test_what_ships_with_the_package_needs_no_folder(monkeypatch):
    monkeypatch.setenv("KERNSEMBLE_DATA", "no such folder")
    assert load("iris").X.shape == (150, 4)
    with pytest.raises(ValueError, match="no such folder"):
        load("jmlr121/iris")
