"""Samples of the training part: nested, in the shares of the classes, and known to the ledger."""

import numpy as np
import pytest

from kernsemble.benchmark import results
from kernsemble.benchmark.dataset_facts import FACTS, describe_data
from kernsemble.benchmark.ledger import Cell
from kernsemble.benchmark.plan import plan_cells
from kernsemble.benchmark.protocols import draw_training_rows
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.sources import load_source
from kernsemble.benchmark.study import make_study, read_study
from kernsemble.errors import UserError


def test_samples_are_nested_and_stratified():
    rng = np.random.RandomState(0)
    y = rng.choice([0, 1, 2], size=400, p=[0.7, 0.28, 0.02])
    train = np.sort(rng.permutation(400)[:300])
    shares = np.bincount(y[train]) / 300
    assert draw_training_rows(train, y, 0, 1) is train
    assert draw_training_rows(train, y, 300, 1) is train
    before = set()
    for size in (3, 10, 50, 200, 299):
        sample = draw_training_rows(train, y, size, 1)
        assert len(sample) == size and set(sample) <= set(train) and before <= set(sample)
        assert (np.diff(sample) > 0).all()
        counts = np.bincount(y[sample], minlength=3)
        assert (counts > 0).all() and np.abs(counts - size * shares).max() <= 2
        before = set(sample)
    assert set(draw_training_rows(train, y, 50, 2)) != set(draw_training_rows(train, y, 50, 1))


def sized_study(**changes):
    options = {"protocol": "kfold", "protocol_options": {"n_splits": 2}, **changes}
    return make_study(["iris", "wine"], ["NearestNeighbours"], rows=[80, 20, 500], **options)


def test_a_size_that_a_set_does_not_have_is_its_whole():
    cells = plan_cells(sized_study()).testing
    # Half of iris are 75 rows, half of wine are 89.
    assert sorted({(cell.dataset, cell.train_rows) for cell in cells}) == [
        ("iris", 0),
        ("iris", 20),
        ("wine", 0),
        ("wine", 20),
        ("wine", 80),
    ]
    assert len(cells) == 10 and len(set(cells)) == 10
    # The first split of every data set comes first, in all sizes.
    assert {cell.split for cell in cells[:5]} == {"0"}


@pytest.mark.parametrize("protocol", ["kfold", "five-fold", "nested"])
def test_cells_know_their_sizes(ledger, protocol):
    study = sized_study(protocol=protocol)
    summary = run_study(study, ledger, n_jobs=1)
    assert summary.failed == 0 and run_study(study, ledger).found == summary.planned
    rows = results.learning_rows(ledger.results(), protocol)
    assert set(zip(rows["dataset"], rows["train_rows"], rows["n_train"])) == {
        ("iris", 0, 75),
        ("iris", 20, 20),
        ("wine", 0, 89),
        ("wine", 20, 20),
        ("wine", 80, 80),
    }
    largest = results.tested_rows(ledger.results(), protocol)
    assert len(largest) == 4 and set(largest["train_rows"]) == {0}
    if protocol == "five-fold":
        tuned = ledger.results().query("split == 'tune'")
        assert sorted(tuned["train_rows"]) == [0, 0, 20, 20, 80]


def test_without_the_whole_the_largest_sample_counts(ledger):
    for size in (20, 50):
        ledger.record(Cell("iris", "SVM", "kfold", "0", 0, size), {"accuracy": size / 100}, {})
    ledger.record(Cell("wine", "SVM", "kfold", "0", 0, 20), {"accuracy": 0.7}, {})
    assert sorted(results.tested_rows(ledger.results())["accuracy"]) == [0.5, 0.7]
    assert ledger.claim(Cell("iris", "SVM", "kfold", "0", 0))
    assert not ledger.claim(Cell("iris", "SVM", "kfold", "0", 0, 50))


def curves_of(ledger, sizes):
    """Return the learning curves of data sets with results of these sizes."""
    for dataset, numbers in sizes.items():
        for size in numbers:
            outcome = {"accuracy": len(dataset) + size / 1000, "n_train": size or 300}
            ledger.record(Cell(dataset, "SVM", "kfold", "0", 0, size), outcome, {})
    rows = results.learning_rows(ledger.results())
    return results.learning_curves(rows, "accuracy", ["SVM"])


def test_a_small_data_set_does_not_end_the_learning_curves(ledger):
    # Two data sets with three sizes go before three with two.
    found = curves_of(ledger, {"a": (50, 200, 800), "bb": (50, 200, 800), "ccc": (50, 200, 0)})
    assert found.index.tolist() == [50, 200, 800] and found.attrs["left_out"] == ["ccc"]
    assert found["SVM"].tolist() == pytest.approx([1.55, 1.7, 2.3])


def test_a_size_that_few_data_sets_have_is_no_point_of_the_curves(ledger):
    found = curves_of(ledger, {"a": (50, 200, 800), **dict.fromkeys("bcdef", (50, 200, 0))})
    assert found.index.tolist() == [50, 200, 300] and found.attrs["left_out"] == ["a"]
    assert found.attrs["n_datasets"] == 5
    assert curves_of(ledger, {"lone": (50,)}).attrs["left_out"] == ["a", "lone"]


@pytest.mark.parametrize("rows", ["500", "[0]", "[1.5]", "[true]"])
def test_sizes_in_a_file_are_checked(tmp_path, rows):
    path = tmp_path / "study.toml"
    text = 'datasets = ["iris"]\nmethods = ["Majority"]\nrows = '
    path.write_text(text + "[500, 50, 50]")
    assert read_study(path).rows == (50, 500)
    path.write_text(text + rows)
    with pytest.raises(UserError, match="rows must be"):
        read_study(path)


def test_facts_about_data_sets_are_in_the_ledger(ledger, tmp_path):
    path = tmp_path / "survey.csv"
    lines = [f"{number},{'red' if number % 3 else 'blue'},{number % 5 > 0}" for number in range(40)]
    path.write_text("\n".join(["size,colour,target", *lines, ",red,True"]) + "\n")
    study = make_study([str(path), "iris"], ["Majority"], "kfold", protocol_options={"n_splits": 2})
    run_study(study, ledger)
    found = ledger.datasets()
    assert list(found) == list(FACTS)
    assert found.loc["iris"].tolist() == list(describe_data(load_source("iris")).values())
    assert found.loc["iris", ["n_rows", "n_columns", "n_classes"]].tolist() == [150, 4, 3]
    survey = found.loc["survey"]
    assert (survey["n_rows"], survey["n_columns"], survey["n_classes"]) == (41, 2, 2)
    assert survey["categorical_share"] == 0.5 and survey["majority_share"] == 33 / 41
    assert survey["minority_share"] == 8 / 41 and survey["missing_share"] == 1 / 82


def test_facts_follow_the_rows(ledger):
    cell = Cell("a", "SVM", "kfold", "0", 0)
    facts = dict.fromkeys(FACTS, 0.5) | {"n_rows": 10, "n_columns": 1, "n_classes": 2}
    ledger.record(cell, {"data_digest": "x", "facts": facts}, {})
    ledger.forget_other_rows({"a": "y"})
    ledger.record(cell, {"data_digest": "y", "facts": {**facts, "n_rows": 11}}, {})
    ledger.record(cell._replace(split="1"), {"data_digest": "y"}, {})
    assert ledger.datasets()["n_rows"].to_dict() == {"a": 11}
