"""The papers' tables: those that follow from print are computed here, one run is tried."""

import importlib
from pathlib import Path

import pandas as pd
import pytest

from kernsemble.benchmark.experiments import list_experiments
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.published import PAPERS, published_scores, read_paper
from kernsemble.benchmark.recompute import RECOMPUTED, printed_ranks
from kernsemble.benchmark.reproduce import (
    compare_with_paper,
    list_impossible,
    list_targets,
    match_targets,
    reproduce,
)
from kernsemble.benchmark.reproduction_file import write_reproductions
from kernsemble.errors import UserError

EXPERIMENTS = list_experiments()
RANKS = "zvi-thesis/table-5.10"


def test_every_target_says_how():
    targets = list_targets()
    assert targets[RANKS] == "computed again from what is printed"
    assert targets["zvi-thesis/table-5.2"] == "run again: 4 methods on 19 data sets"
    assert targets["wang-2013/table-3"].startswith("cannot be reproduced: ")
    matched = match_targets("zvi-thesis")
    assert "zvi-thesis/table-5.1" not in matched and "zvi-thesis/table-5.9" in matched
    assert list(targets).index("zvi-thesis/table-5.2") < list(targets).index(RANKS)
    with pytest.raises(UserError, match=r"no paper or table 'table-5\.10'; did you mean"):
        match_targets("table-5.10")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_name_what_is_printed(name):
    experiment = EXPERIMENTS[name]
    if experiment.compare != "accuracy":
        assert set(experiment.methods) <= set(printed_ranks(experiment.table).index)
        return
    printed = published_scores(experiment.paper, experiment.table)
    assert set(experiment.methods) == set(printed.columns)
    left_out = set(printed.index) - set(experiment.datasets.values())
    assert left_out == ({"Letter"} if name == "wang-2013/table-2" else set())
    assert set(experiment.datasets.values()) <= set(printed.index)
    for method, sets in experiment.doubtful.items():
        assert method == "all" or method in printed.columns
        assert set(sets) <= set(printed.index)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_are_valid_studies(name, data_folder):
    experiment = EXPERIMENTS[name]
    assert len(experiment.study().datasets) == len(experiment.datasets)


def test_a_ledger_holds_one_protocol_of_a_table(data_folder):
    studies = {name: experiment.study() for name, experiment in EXPERIMENTS.items()}
    definitions = {}
    for name, study in studies.items():
        assert study.protocol.name in (name, name.partition("/")[0])
        for method in study.methods.values():
            key = study.protocol.name, method.name
            definition = study.protocol, method.definition()
            assert definitions.setdefault(key, definition) == definition


def test_every_table_and_figure_is_named():
    numbers = {
        "wang-2013": "table-1 table-2 table-3 figure-1",
        "zvi-thesis": " ".join(f"table-5.{number}" for number in range(1, 12))
        + " figure-1.1 figure-2.1 figure-4.1 figure-5.1",
        "nishida-2011": "table-1 figure-1 figure-2 figure-3",
        "zhang-suganthan-2017": " ".join(f"table-{number}" for number in range(1, 7))
        + " figure-1 figure-2 figure-3 figure-4",
        "wang-2019": "table-1 table-2 table-3 table-4 figure-1a figure-1b figure-2 figure-3",
    }
    named = list_targets()
    assert set(numbers) == set(PAPERS)
    missing = [f"{paper}/{table}" for paper in numbers for table in numbers[paper].split()]
    assert not [name for name in missing if name not in named]
    kinds = [set(RECOMPUTED), set(EXPERIMENTS), set(list_impossible())]
    assert sum(map(len, kinds)) == len(named)
    assert all(read_paper(paper)["cite"] and read_paper(paper)["title"] for paper in PAPERS)


def test_boxes_of_ranks_have_the_means_of_the_printed_table(ledger):
    boxes = reproduce("zvi-thesis/figure-5.1", ledger).table["ours"].unstack("rank")
    assert (boxes["lower quartile"] <= boxes["median"]).all()
    assert (boxes["median"] <= boxes["upper quartile"]).all()
    assert len(boxes) == len(reproduce("zvi-thesis/table-5.11", ledger).table)


@pytest.mark.slow
def test_mrskl_on_the_ten_gaussians(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("nishida-2011/figure-3", ledger).table.loc["ten Gaussians"]
    assert found["difference"].abs().max() < 0.6
    assert found.loc["MRSKL 200 pairs", "ours"] > found.loc["Single SVM", "ours"] - 0.1


def test_tables_are_kept_in_a_file(tmp_path, ledger):
    found = {name: reproduce(name, ledger) for name in (RANKS, "zvi-thesis/figure-5.1")}
    write_reproductions(tmp_path / "a.csv", found)
    rows = pd.read_csv(tmp_path / "a.csv")
    assert list(rows["target"].unique()) == list(found)
    assert rows.loc[0, "ours"] == pytest.approx(found[RANKS].table["ours"].iloc[0])
    write_reproductions(tmp_path / "a.md", found)
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert f"## {RANKS}" in text and "| method | paper | ours | difference |" in text
    assert "- Friedman χ²(4) = 13.63" in text
    with pytest.raises(UserError, match=r"must be a \.md or \.csv file"):
        write_reproductions(tmp_path / "a.txt", found)
    with pytest.raises(UserError, match="cannot be written"):
        write_reproductions(tmp_path / "absent" / "a.md", found)


def test_ranks_computed_again(ledger):
    found = reproduce(RANKS, ledger)
    assert list(found.table.columns) == ["paper", "ours", "difference"]
    assert found.table["difference"].abs().max() < 0.006
    assert found.notes[0] == "Friedman χ²(4) = 13.63"


def test_tables_of_the_121_sets(ledger, data_folder):
    means = reproduce("zhang-suganthan-2017/table-2", ledger).table
    assert len(means) == 20 and means["difference"].abs().max() <= 0.051
    signs = reproduce("zhang-suganthan-2017/table-4", ledger)
    assert "224 of 240 entries agree" in signs.notes[1]


COMPARISONS = Path(__file__).resolve().parents[2] / "benchmarks" / "accuracy"


@pytest.mark.skipif(not COMPARISONS.exists(), reason="the benchmarks are not in this package")
def test_published_comparisons_agree_with_references(monkeypatch, data_folder):
    monkeypatch.syspath_prepend(str(COMPARISONS))
    comparisons = importlib.import_module("published_comparisons")
    assert comparisons.agrees(comparisons.compare_all())


def test_a_table_is_run_again(tmp_path, data_folder):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("zvi-thesis/table-5.9", ledger, only=["iris"])
        assert len(ledger.results()) == 50
    assert found.table.loc[("iris", "Random Forest"), "paper"] == pytest.approx(94.6)
    assert found.table.loc["iris", "difference"].abs().max() < 5
    assert found.table.loc[("mean", "AdaBoost"), "ours"] == pytest.approx(
        found.table.loc[("iris", "AdaBoost"), "ours"]
    )


def test_rows_from_elsewhere_are_compared_where_the_table_has_them():
    experiment = EXPERIMENTS["wang-2013/table-2"]
    rows = pd.DataFrame(
        [("papers_raw/iris", "SVM-2K", "0", 0, 0.9), ("papers_raw/iris", "Other", "0", 0, 0.5)],
        columns=["dataset", "method", "split", "seed", "accuracy"],
    )
    found = compare_with_paper(experiment, rows).table
    assert found.index.tolist() == [("Iris", "SVM-2K"), ("mean", "SVM-2K")]
    assert found["ours"].tolist() == [90.0, 90.0] and found["paper"].iloc[0] == 96.67


def test_means_of_rows_with_few_digits_tie_where_exact_ones_do():
    methods = {"KRR-O": (0.333333, 0.333333), "KRR-T": (0.166667, 0.5)}
    rows = pd.DataFrame(
        [
            ("jmlr121/iris", name, str(split), 0, value)
            for name, values in methods.items()
            for split, value in enumerate(values)
        ],
        columns=["dataset", "method", "split", "seed", "accuracy"],
    )
    experiment = EXPERIMENTS["zhang-suganthan-2017/table-5"]
    assert compare_with_paper(experiment, rows).table["ours"].tolist() == [1.5, 1.5]


def test_ranks_of_the_kernel_ridges(tmp_path, data_folder):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("zhang-suganthan-2017/table-5", ledger, only=["balloons", "lenses"])
        assert ledger.results()["failure"].isna().all()
    assert found.table.loc["KRR-O", "paper"] == 3.8554 and len(found.table) == 7
    assert found.table["ours"].mean() == pytest.approx(4.0)
    assert "over 2 sets" in found.notes[0]


def test_ranks_among_the_published_classifiers(tmp_path, data_folder):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        found = reproduce("zhang-suganthan-2017/table-6", ledger, only=["hayes-roth", "lenses"])
        assert ledger.results()["failure"].isna().all()
    assert list(found.table.index) == list(EXPERIMENTS["zhang-suganthan-2017/table-6"].methods)
    assert found.table["ours"].between(1, 184).all()
    assert found.table.loc["MPRaF", "paper"] == 33.10
    assert "over 2 sets" in found.notes[0]


def test_what_cannot_be(ledger):
    for name in list_impossible():
        with pytest.raises(UserError, match="cannot be reproduced"):
            reproduce(name, ledger)
    with pytest.raises(UserError, match=r"table-5\.2 has none of the data sets moon"):
        reproduce("zvi-thesis/table-5.2", ledger, only=["moon"])
