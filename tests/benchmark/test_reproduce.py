"""The papers' tables: those that follow from print are computed here, one run is tried."""

import pandas as pd
import pytest

from kernsemble.benchmark.experiments import EXPERIMENTS, METHODS_OF_003
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.published import published_scores
from kernsemble.benchmark.reproduce import IMPOSSIBLE, list_targets, match_targets, reproduce
from kernsemble.benchmark.reproduction_file import write_reproductions
from kernsemble.errors import UserError


def test_every_target_says_how():
    targets = list_targets()
    assert targets["001-5.10"] == "computed again from what is printed"
    assert targets["001-5.2"] == "run again: 4 methods on 19 data sets"
    assert targets["000-3"].startswith("cannot be reproduced: ")
    assert "001-5.1" not in match_targets("001") and "001-5.9" in match_targets("001")
    assert list(targets).index("001-5.2") < list(targets).index("001-5.10")
    with pytest.raises(UserError, match=r"no paper or table '5\.10'; did you mean"):
        match_targets("5.10")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_name_what_is_printed(name):
    experiment = EXPERIMENTS[name]
    printed = published_scores(experiment.paper, experiment.table)
    assert set(experiment.methods) == set(printed.columns)
    left_out = set(printed.index) - set(experiment.datasets)
    assert left_out == ({"Letter"} if name == "000-2" else set())
    assert set(experiment.datasets) <= set(printed.index)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_are_valid_studies(name, data_folder):
    experiment = EXPERIMENTS[name]
    if len(experiment.missing) == len(experiment.methods):
        with pytest.raises(UserError, match="No method of this table is built"):
            experiment.study()
    else:
        assert len(experiment.study().datasets) == len(experiment.datasets)


def test_every_table_and_figure_is_named():
    tables = {
        "000": ["1", "2", "3", "F1"],
        "001": [*(f"5.{number}" for number in range(1, 12)), "F1.1", "F2.1", "F4.1", "F5.1"],
        "002": ["1", "F1", "F2", "F3"],
        "003": [*"123456", "F1", "F2", "F3", "F4"],
        "004": [*"1234", "F1a", "F1b", "F2", "F3"],
    }
    named = list_targets()
    missing = [f"{paper}-{table}" for paper in tables for table in tables[paper]]
    assert not [name for name in missing if name not in named]


def test_boxes_of_ranks_have_the_means_of_the_printed_table(ledger):
    boxes = reproduce("001-F5.1", ledger).table["ours"].unstack("rank")
    assert (boxes["lower quartile"] <= boxes["median"]).all()
    assert (boxes["median"] <= boxes["upper quartile"]).all()
    assert len(boxes) == len(reproduce("001-5.11", ledger).table)


@pytest.mark.slow
def test_mrskl_on_the_ten_gaussians(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("002-F3", ledger).table.loc["ten Gaussians"]
    assert found["difference"].abs().max() < 0.6
    assert found.loc["MRSKL 200 pairs", "ours"] > found.loc["Single SVM", "ours"] - 0.1


def test_tables_are_kept_in_a_file(tmp_path, ledger):
    found = {name: reproduce(name, ledger) for name in ("001-5.10", "001-F5.1")}
    write_reproductions(tmp_path / "a.csv", found)
    rows = pd.read_csv(tmp_path / "a.csv")
    assert list(rows["target"].unique()) == list(found)
    assert rows.loc[0, "ours"] == pytest.approx(found["001-5.10"].table["ours"].iloc[0])
    write_reproductions(tmp_path / "a.md", found)
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert "## 001-5.10" in text and "| method | paper | ours | difference |" in text
    assert "- Friedman χ²(4) = 13.63" in text
    with pytest.raises(UserError, match=r"must be a \.md or \.csv file"):
        write_reproductions(tmp_path / "a.txt", found)
    with pytest.raises(UserError, match="cannot be written"):
        write_reproductions(tmp_path / "absent" / "a.md", found)


def test_ranks_computed_again(ledger):
    found = reproduce("001-5.10", ledger)
    assert list(found.table.columns) == ["paper", "ours", "difference"]
    assert found.table["difference"].abs().max() < 0.006
    assert found.notes[0] == "Friedman χ²(4) = 13.63"


def test_tables_of_the_121_sets(ledger, data_folder):
    means = reproduce("003-2", ledger).table
    assert len(means) == 20 and means["difference"].abs().max() <= 0.051
    signs = reproduce("003-4", ledger)
    assert "224 of 240 entries agree" in signs.notes[1]


def test_a_table_is_run_again(tmp_path, data_folder):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("001-5.9", ledger, only=["iris"])
        assert len(ledger.results()) == 50
    assert found.table.loc[("iris", "Random Forest"), "paper"] == pytest.approx(94.6)
    assert found.table.loc["iris", "difference"].abs().max() < 5
    assert found.table.loc[("mean", "AdaBoost"), "ours"] == pytest.approx(
        found.table.loc[("iris", "AdaBoost"), "ours"]
    )


def test_ranks_among_the_published_classifiers(tmp_path, data_folder):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("003-6", ledger, only=["hayes-roth", "lenses"])
        assert ledger.results()["failure"].isna().all()
    assert list(found.table.index) == list(METHODS_OF_003)
    assert found.table["ours"].between(1, 184).all()
    assert found.table.loc["MPRaF", "paper"] == 33.10
    assert "over 2 sets" in found.notes[0]


def test_what_cannot_be(ledger):
    for name in IMPOSSIBLE:
        with pytest.raises(UserError, match="cannot be reproduced"):
            reproduce(name, ledger)
    with pytest.raises(UserError, match="none of the data sets moon"):
        reproduce("001-5.2", ledger, only=["moon"])
