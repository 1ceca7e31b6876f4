"""Every number on the result pages and in the README's claims follows from the committed rows."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from kernsemble.benchmark.experiments import list_experiments
from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.protocols import PROTOCOLS
from kernsemble.benchmark.study import read_study
from kernsemble.datasets import FLAWED
from kernsemble.environment import code_version
from kernsemble.errors import UserError

# A distribution of the sources has neither pages nor rows.
pages = pytest.importorskip("benchmarks.pages.__main__")
blocks = pytest.importorskip("benchmarks.pages.blocks")
rows = pytest.importorskip("benchmarks.pages.rows")

ROOT = Path(__file__).parents[1]
STUDIES = sorted((ROOT / "benchmarks" / "studies").glob("*.toml"))
PAGES = sorted((ROOT / "docs" / "results").glob("*.md"))
#: Rows that are not cells of a study → the columns that name them.
OTHER_KEYS = {
    "speed": ["benchmark", "case", "measure"],
    "faults": ["module", "line", "column", "fault"],
    "fit-cost": ["classifier", "rows", "columns"],
    "fuzz": ["test"],
    "many-rows": ["table", "rows", "method"],
    "edge-probes": ["probe", "classifier"],
}


def test_the_pages_agree_with_the_rows():
    different, _ = blocks.find_differences()
    assert not [f"{page.name}: {name}" for page, name, *_ in different], (
        "run benchmarks.pages write"
    )


def test_every_block_is_on_a_page():
    texts = [page.read_text() for page in blocks.find_pages()]
    used = [name for text in texts for name in re.findall(r"<!-- begin (\S+)", text)]
    assert sorted(used) == sorted(blocks.BLOCKS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_opens_with_five_lines_and_a_table(page):
    text = page.read_text()
    if page.stem == "index":
        return
    opening, _, rest = text.partition("<details>")
    assert rest.rstrip().endswith("</details>")
    assert len(re.findall(r"^\* ", opening, flags=re.MULTILINE)) == 5
    assert len(re.findall(r"^\| --- ", opening, flags=re.MULTILINE)) == 1


def test_commands_on_the_pages_name_files_that_are_there():
    for page in [ROOT / "README.md", *PAGES, *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(r"benchmarks/[\w/-]+\.(?:py|toml)", page.read_text()):
            assert (ROOT / path).is_file(), f"{page.name} names {path}"


def test_tests_on_the_pages_are_there():
    text = (ROOT / "docs" / "results" / "faults.md").read_text()
    table = text.partition("| attack | tests |")[2].partition("\n\n")[0]
    named = re.findall(r"`(tests/[\w/]+\.py)`: ((?:`\w+`(?:, )?)+)", table)
    assert len(named) > 20
    for path, names in named:
        source = (ROOT / path).read_text()
        for name in re.findall(r"\w+", names):
            assert f"def {name}(" in source, f"{path} has no {name}"


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_studies_can_be_read(path, data_folder, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)
    monkeypatch.setenv("RIVALS", sys.prefix)
    try:
        study = read_study(path)
    except UserError as error:
        # Rivals that the project does not depend on, and a data set that a script writes.
        if "not installed" not in str(error) and "cod-rna-held-out" not in str(error):
            raise
        pytest.skip(str(error))
    # A ledger keeps the protocol of a study apart from the preset that it varies.
    assert study.protocol.name not in PROTOCOLS


@pytest.mark.parametrize("path", sorted(rows.FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_rows_have_one_format(path):
    table = pd.read_csv(path, dtype=str)
    key = OTHER_KEYS.get(path.stem, rows.KEY)
    assert list(table)[: len(key)] == key and list(table)[-1] == "commit"
    assert not table.duplicated(key).any()
    assert table["commit"].str.fullmatch("[0-9a-f]{9}|unknown").all()
    if "accuracy" in table:
        assert table["accuracy"].astype(float).between(0, 1).all()


def test_published_figures_are_compared_on_the_same_data():
    flawed = {name.rpartition("/")[2] for name in FLAWED}
    compared = rows.read_rows("zhang-suganthan-2017")["dataset"].str.rpartition("/")[2]
    assert not flawed & set(compared)
    for experiment in list_experiments().values():
        if experiment.compare == "ranks among 179":
            assert not flawed & {name.rpartition("/")[2] for name in experiment.datasets}


def test_our_accuracies_are_rounded_before_they_are_ranked_among_published_ones(data_folder):
    module = pytest.importorskip("benchmarks.pages.zhang_suganthan")
    theirs = module._published(module._ours(module.FORESTS).index)["rf_caret"]
    placed = module._place_alone(pd.DataFrame({"equal": theirs, "nearly": theirs + 0.04}))
    assert placed.loc["nearly", "rank"] == placed.loc["equal", "rank"]


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Return a root with one page and one file of rows."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("no blocks\n")
    (tmp_path / "docs" / "page.md").write_text("a\n<!-- begin test.mean -->\n12\n<!-- end -->\nb\n")
    monkeypatch.setattr(blocks, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(rows, "FOLDER", tmp_path)
    monkeypatch.setitem(blocks.BLOCKS, "test.mean", lambda: "13\n")
    return tmp_path


def test_a_number_that_differs_is_found_and_written(copied, capsys):
    assert pages.main(["check"]) == 1
    assert "-12\n+13" in capsys.readouterr().out
    pages.main(["write"])
    assert pages.main(["check"]) == 0
    assert (copied / "docs" / "page.md").read_text().startswith("a\n<!-- begin test.mean -->\n13\n")


def test_rows_of_a_ledger_replace_those_of_the_same_cell(copied):
    cell = Cell("iris", "SVM", "nested", "0", 0)
    with Ledger(copied / "a.sqlite") as ledger:
        done = {"n_train": 100, "n_test": 50, "fit_seconds": 1.5, "measures": {"log_loss": 0.25}}
        ledger.record(cell, {"accuracy": 0.9, **done}, {})
        ledger.record(cell._replace(split="1"), {"failure": "too long"}, {})
    assert pages.main(["add", str(copied / "a.sqlite"), "study", "--commit", "abcdef0123"]) is None
    table = pd.read_csv(copied / "study.csv", dtype={"commit": str})
    assert table.loc[0, ["accuracy", "log_loss", "seconds"]].tolist() == [0.9, 0.25, 1.5]
    assert table.loc[0, "commit"] == code_version()[:9]
    table.assign(accuracy=0.1, split=[7]).to_csv(copied / "study.csv", index=False)
    assert rows.add_ledger(copied / "a.sqlite", "study") == 2
    assert rows.add_ledger(copied / "a.sqlite", "study") == 2
    assert sorted(rows.read_rows("study")["accuracy"]) == [0.1, 0.9]


def test_the_page_of_the_defaults_compares_what_methods_have_in_common(monkeypatch):
    defaults = pytest.importorskip("benchmarks.pages.defaults")
    made = [
        # The second set has no result of the ridge, and split 1 of the first none of the SVC.
        ("a", "SVC", "0", 0.5),
        ("a", "KernelRidge", "0", 0.25),
        ("a", "KernelRidge", "1", 1.0),
        ("b", "SVC", "0", 0.75),
    ]
    columns = ["dataset", "method", "split", "accuracy"]
    found = pd.DataFrame(made, columns=columns).assign(n_rows=9, log_loss=0.5, cpu_seconds=0.1)
    monkeypatch.setattr(defaults, "read_rows", lambda *names: found)
    others, said = defaults.others(), defaults.summary()
    assert "| SVC | 2 | 2 | 62.50 |  |" in others
    assert "| KernelRidge | 1 | 1 | 25.00 | -25.00" in others
    assert "KernelRidge (-25.00)" in said
    assert "0 of 54 methods have all 158 results; 2 have 2 to 2 of them" in said
    assert "CatBoost" in said.partition("of them; ")[2]
