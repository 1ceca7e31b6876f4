"""Sets are read from a folder as they were written, and errors name the damaged file."""

import csv
import gzip

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernsemble.datasets import FLAWED, list_datasets, load

ROWS = "a,b,target\n1,2.5,x\n,4,y\n-1e-3,0,x\n7,8,y\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write(text)


def test_values_missing_cells_and_targets(tmp_path):
    write(tmp_path / "toys" / "one.csv.gz", ROWS)
    data = load("toys/one", data_folder=tmp_path)
    assert_array_equal(data.X, [[1, 2.5], [np.nan, 4], [-1e-3, 0], [7, 8]])
    assert data.X.dtype == np.float64
    assert data.y.tolist() == ["x", "y", "x", "y"]
    assert data.feature_names == ("a", "b")
    assert (data.name, data.source, data.splits, data.tuning) == ("toys/one", "folder", (), None)


def test_whole_number_targets_stay_numbers(tmp_path):
    write(tmp_path / "one.csv.gz", "a,target\n1,-1\n2,10\n")
    y = load("one", data_folder=tmp_path).y
    assert y.tolist() == [-1, 10] and y.dtype == np.int64
    write(tmp_path / "one.csv.gz", "a,target\n1,0.5\n2,1\n")
    assert load("one", data_folder=tmp_path).y.tolist() == ["0.5", "1"]


def test_random_splits_and_tuning_halves(tmp_path):
    write(tmp_path / "one.csv.gz", ROWS)
    write(tmp_path / "one.parts.csv.gz", "file,tune,s10,s2\n0,0,0,1\n0,1,1,1\n0,0,1,0\n0,1,0,0\n")
    data = load("one", data_folder=tmp_path)
    as_lists = [(train.tolist(), test.tolist()) for train, test in data.splits]
    assert as_lists == [([2, 3], [0, 1]), ([0, 3], [1, 2])]  # s2 comes before s10
    assert [half.tolist() for half in data.tuning] == [[0, 2], [1, 3]]


def test_a_test_file_is_the_one_split(tmp_path):
    write(tmp_path / "one.csv.gz", ROWS)
    write(tmp_path / "one.parts.csv.gz", "file,tune,s0\n0,0,1\n0,1,0\n1,,\n1,,\n")
    data = load("one", data_folder=tmp_path)
    [(train, test)] = data.splits
    assert train.tolist() == [0, 1] and test.tolist() == [2, 3]
    assert [half.tolist() for half in data.tuning] == [[0], [1]]


def test_manifest_fills_the_description(tmp_path):
    write(tmp_path / "toys" / "one.csv.gz", ROWS)
    (tmp_path / "manifest.csv").write_text(
        "name,collection,source,licence,notes\none,other,wrong,,\none,toys,my desk,,no licence\n"
    )
    description = load("toys/one", data_folder=tmp_path).description
    assert description == "source: my desk\nnotes: no licence"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,target\nred,1\n", r"line 2: could not convert string to float: 'red'; encode"),
        ("a,b,target\n1,2,x\n1,2\n", r"line 3: 2 cells, expected 3"),
        ("a,target\n1,\n", r"target of row 0 is missing"),
        ("a,target\n", r"has no rows"),
        ("", r"has no rows"),
        ("target\n1\n", r"must have feature columns"),
    ],
)
def test_damaged_tables_say_where(tmp_path, text, message):
    write(tmp_path / "one.csv.gz", text)
    with pytest.raises(ValueError, match=rf"one\.csv\.gz.*{message}"):
        load("one", data_folder=tmp_path)


def test_damaged_archives_say_which(tmp_path):
    path = tmp_path / "one.csv.gz"
    path.write_bytes(b"a,target\n1,2\n")
    with pytest.raises(ValueError, match=r"one\.csv\.gz cannot be read"):
        load("one", data_folder=tmp_path)
    write(path, ROWS * 100)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"one\.csv\.gz"):
        load("one", data_folder=tmp_path)


def test_damaged_partitions_say_what(tmp_path):
    write(tmp_path / "one.csv.gz", ROWS)
    write(tmp_path / "one.parts.csv.gz", "s0\n0\n1\n")
    with pytest.raises(ValueError, match="has 2 rows, but the set has 4"):
        load("one", data_folder=tmp_path)
    write(tmp_path / "one.parts.csv.gz", "s0\n0\n1\n2\n0\n")
    with pytest.raises(ValueError, match="column 's0' must be 0, 1 or empty"):
        load("one", data_folder=tmp_path)


def test_the_121_sets(data_folder):
    entries = list_datasets(collection="jmlr121", data_folder=data_folder)
    if not entries:
        pytest.skip("the collection jmlr121 is not in the folder")
    assert len(entries) == 120
    one_file = 0
    for entry in entries:
        data = load(entry.name, data_folder=data_folder)
        rows = np.arange(len(data.y))
        assert data.X.shape == (len(rows), len(data.feature_names))
        assert np.isfinite(data.X).all() and len(data.classes) >= 2
        assert data.name == entry.name and (data.flaw is not None) == entry.flawed
        assert len(data.splits) in (1, 4)
        one_file += len(data.splits) == 4
        for train, test in data.splits:
            assert_array_equal(np.sort(np.concatenate([train, test])), rows)
            assert len(train) and len(test)
        # With a test file, the halves for tuning cover the training file alone.
        covered = rows if len(data.splits) == 4 else data.splits[0][0]
        assert_array_equal(np.sort(np.concatenate(data.tuning)), covered)
    assert one_file == 120 - 19
    assert len(FLAWED) == 10 == len([entry for entry in entries if entry.flawed])


def test_raw_sets_keep_their_missing_cells(data_folder):
    votes = load("papers_raw/house-votes", data_folder=data_folder)
    assert votes.X.shape == (435, 16) and np.isnan(votes.X).sum() == 392
    assert "licence" in votes.description


@pytest.mark.parametrize("collection", ["jmlr121_fixed", "papers_raw"])
def test_other_collections_agree_with_the_manifest(data_folder, collection):
    with (data_folder / "manifest.csv").open(newline="") as stream:
        told = {
            f"{line['collection']}/{line['name']}": (int(line["rows"]), int(line["features"]))
            for line in csv.DictReader(stream)
        }
    for entry in list_datasets(collection=collection, data_folder=data_folder):
        data = load(entry.name, data_folder=data_folder)
        assert data.X.shape == told[entry.name]
        assert len(data.splits) in (0, 1) and data.flaw is None


def test_a_column_can_be_left_out(tmp_path):
    with gzip.open(tmp_path / "numbered.csv.gz", "wt") as stream:
        stream.write("Id,size,target\n1,0.5,0\n2,0.7,1\n")
    data = load("numbered without Id", data_folder=tmp_path)
    assert data.feature_names == ("size",) and data.X.shape == (2, 1)
    assert data.name == f"{tmp_path.name}/numbered without Id"
    with pytest.raises(ValueError, match="no column 'id', but Id, size"):
        load("numbered without id", data_folder=tmp_path)
