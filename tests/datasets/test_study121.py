"""The 121-set study's own layout becomes ours, and bad folders are named."""

import re

import numpy as np
import pytest

from kernsemble.datasets import import_study, load


def write_set(folder, rows, *, file=None, header="\tf1\tf2\tclase", first=1):
    folder.mkdir(exist_ok=True)
    lines = [header] + [
        "\t".join(map(str, (number, *row))) for number, row in enumerate(rows, first)
    ]
    (folder / (file or f"{folder.name}_R.dat")).write_text("\n".join(lines) + "\n")


ROWS = [(0.5, -1.0, 0), (1.5, 2.0, 1), (-0.5, "NA", 0), (0.25, 1e-3, 1)]


def test_one_file_with_partitions(tmp_path):
    (tmp_path / "in").mkdir()
    write_set(tmp_path / "in" / "toy", ROWS)
    (tmp_path / "in" / "toy" / "conxuntos.dat").write_text("0 1\n2 3\n")
    (tmp_path / "in" / "toy" / "conxuntos_kfold.dat").write_text("0 1 2\n3\n" * 3 + "1 2 3\n0\n")
    (report,) = import_study(tmp_path / "in", tmp_path / "out")
    assert report == ("toy", 4, 4, None)
    data = load("out/toy", data_folder=tmp_path)
    assert data.X.shape == (4, 2) and np.isnan(data.X[2, 1]) and list(data.y) == [0, 1, 0, 1]
    assert [list(part) for part in data.tuning] == [[0, 1], [2, 3]]
    assert [list(part) for part in data.splits[3]] == [[1, 2, 3], [0]]


def test_training_and_test_file(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    # R's other way to write row numbers: no name above them.
    header = "f1\tf2\tclase"
    write_set(source / "two", ROWS, file="two_train_R.dat", header=header)
    write_set(source / "two", ROWS[:2], file="two_test_R.dat", header=header)
    (source / "two" / "conxuntos.dat").write_text("1 2\n3 4\n")
    (report,) = import_study(source, tmp_path / "out")
    assert report == ("two", 6, 1, None)
    data = load("out/two", data_folder=tmp_path)
    assert [list(part) for part in data.splits[0]] == [[0, 1, 2, 3], [4, 5]]
    # Row 4 of four rows: these numbers count from one.
    assert [list(part) for part in data.tuning] == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"header": "\tf1\tf2\tclass"}, "last column"),
        ({"rows": [(1, "x", 0)]}, "'x' is not a number"),
        ({"rows": [(1, 2, 3, 0), (1, 2, 0)]}, "line 2 must have 3 cells, got 4"),
        ({"rows": []}, "has no rows"),
        ({"tune": "0 1\n"}, "must have 2 lines, got 1"),
        ({"tune": "0 1\n2 9\n"}, "row numbers 0 to 9, but the set has 4 rows"),
        ({"tune": "0 1\n2 x\n"}, "must contain only row numbers"),
        ({"file": "other_R.dat"}, "is missing"),
    ],
)
def test_a_bad_set_is_left_out_and_the_others_stay(tmp_path, change, problem):
    source = tmp_path / "in"
    source.mkdir()
    write_set(source / "good", ROWS)
    tune = change.pop("tune", None)
    write_set(source / "bad", change.pop("rows", ROWS), **change)
    if tune:
        (source / "bad" / "conxuntos.dat").write_text(tune)
    bad, good = import_study(source, tmp_path / "out")
    assert good.problem is None and load("out/good", data_folder=tmp_path).X.shape == (4, 2)
    assert re.search(problem, bad.problem)
    assert not (tmp_path / "out" / "bad.csv.gz").exists()


def test_files_with_different_columns_are_left_out(tmp_path):
    folder = tmp_path / "in" / "two"
    folder.parent.mkdir()
    write_set(folder, ROWS, file="two_train_R.dat")
    write_set(folder, [(0.5, 1)], file="two_test_R.dat", header="\tf1\tclase")
    (report,) = import_study(tmp_path / "in", tmp_path / "out")
    assert report.problem == "two_test_R.dat has 2 columns, but two_train_R.dat has 3"


def test_folders_without_data(tmp_path):
    with pytest.raises(ValueError, match="There is no folder"):
        import_study(tmp_path / "absent", tmp_path / "out")
    with pytest.raises(ValueError, match=r"no file that ends in _R\.dat"):
        import_study(tmp_path, tmp_path / "out")
