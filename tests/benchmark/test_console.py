"""The terminal shows names as they are, and says what it cannot do."""

import io

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from kernsemble.benchmark import console as terminal
from kernsemble.benchmark.ledger import Cell
from kernsemble.benchmark.results import typical_values
from kernsemble.cli import app

NAMES = ["[red]x[/]", "[/]", "[bold]", ":smile:", "end\\"]


@pytest.fixture
def screen():
    return Console(file=io.StringIO(), width=200)


def call(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("name", NAMES)
def test_names_in_rankings_and_progress_are_no_markup(ledger, screen, name):
    for number in range(3):
        for method, accuracy in ((name, 0.9), ("other", 0.8)):
            outcome = {"accuracy": accuracy, "fit_seconds": 1.0, "predict_seconds": 1.0}
            cell = Cell(f"{name} {number}", method, "kfold", "0", 0)
            ledger.record(cell, outcome, {})
    terminal.show_ranking(ledger, "kfold", screen)
    with terminal.watching(screen) as listener:
        listener.replaced(name, 2)
        listener.start(6, 0)
        listener.finish(cell, {"failure": f"no {name}"})
    printed = screen.file.getvalue()
    assert f"\n{name} " in printed, printed
    assert f"of {name} were removed" in printed
    assert f"failed {name} 2, other, split 0: no {name}" in printed


def test_without_cells_no_bar_is_drawn(screen):
    with terminal.watching(screen):
        pass
    assert not screen.file.getvalue().strip()


def test_times_are_geometric_means_as_on_the_page(ledger, screen):
    for dataset, seconds in (("small", 1.0), ("large", 100.0)):
        for method in ("a", "b"):
            outcome = {"accuracy": 0.9, "fit_seconds": seconds, "predict_seconds": 0.0}
            outcome |= {"n_train": 10, "n_test": 10}
            ledger.record(Cell(dataset, method, "kfold", "0", 0), outcome, {})
    terminal.show_ranking(ledger, "kfold", screen)
    assert screen.file.getvalue().splitlines()[1].split()[-2:] == ["10", "0"]
    # The page reads them from the same function.
    assert typical_values(ledger.results(), ["fit_seconds"]).loc[
        "a", "fit_seconds"
    ] == pytest.approx(10.0)


def test_methods_that_cannot_be_ranked_come_last(ledger, screen):
    for number in range(4):
        for method in ("failing", "good", "hopeless"):
            failed = method == "hopeless" or (method == "failing" and number < 2)
            outcome = {"failure": "why"} if failed else {"accuracy": 0.9, "fit_seconds": 1.0}
            ledger.record(Cell(f"set {number}", method, "kfold", "0", 0), outcome, {})
    terminal.show_ranking(ledger, "kfold", screen)
    lines = [line.split() for line in screen.file.getvalue().splitlines()[1:]]
    assert lines == [
        ["good", "1.00", "90.00", "4", "of", "4", "1", "–"],
        ["failing", "–", "–", "–", "1", "–"],
        ["hopeless", "–", "–", "–", "–", "–"],
    ]


@pytest.mark.parametrize("command", [["bench", "-d", "iris", "-m", "Majority"]])
def test_no_jobs_make_a_message(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "number of cells at a time" in call(*command, "-j", 0, code=2)


def test_bench_names_the_choice_for_an_edited_table(tmp_path):
    folder = tmp_path / "[red]"
    folder.mkdir()
    rows = np.arange(40)
    table = folder / "[bold]table.csv"
    bench = ["bench", "-d", table, "-m", "Majority", "--protocol", "kfold", "-j", 1]
    bench += ["--ledger", folder / "a.sqlite"]
    for shift in (0, 1):
        lines = [f"{number + shift},{number % 2}" for number in rows]
        table.write_text("\n".join(["a,target", *lines]))
        if shift:
            assert "`kernsemble bench --replace`" in call(*bench, code=2)
            output = call(*bench, "--replace")
            assert "10 results of the old rows of [bold]table were removed" in output
        else:
            output = call(*bench)
        assert f"Report: {folder / 'a.html'}" in output
    assert str(folder / "b.html") in call("report", folder / "a.sqlite", "-o", folder / "b.html")
