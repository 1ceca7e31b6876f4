"""The order of cells, and what is said of their cost before they run."""

import subprocess
import sys
import time

import pandas as pd
import pytest
from test_cli import call

from kernsemble.benchmark.costs import cell_seconds, estimate_costs, measured_seconds
from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.plan import plan_cells
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import make_study, read_study
from kernsemble.errors import UserError

SETS = ["iris", "wine", "xor"]


def make(*methods, **options):
    return make_study(SETS, list(methods), "kfold", protocol_options={"n_splits": 3}, **options)


def test_the_first_split_and_cheap_methods_come_first():
    study = make("KernelEnsemble", "Majority", "LogisticRegression", "SVM", seeds=[0, 1])
    plan = plan_cells(study)
    assert [cell.method for cell in plan.first] == [
        *["Majority"] * 3,
        # Of about the same cost, so that a data set is read once for both.
        *["LogisticRegression", "SVM"] * 3,
        *["KernelEnsemble"] * 3,
    ]
    assert {(cell.split, cell.seed) for cell in plan.first} == {("0", 0)}
    assert len(set(plan.cells)) == len(plan.cells) == 3 * 4 * 3 * 2
    # Afterwards one data set is finished after the other.
    assert [cell.dataset for cell in plan.later] == [name for name in SETS for _ in range(20)]
    assert [cell.method for cell in plan.later[:4]] == [
        *("Majority", "LogisticRegression", "SVM", "KernelEnsemble")
    ]


def test_measured_costs_go_before_the_guess():
    plan = plan_cells(make("Majority", "KernelEnsemble"), {"KernelEnsemble": 1e-4})
    assert [cell.method for cell in plan.first] == ["KernelEnsemble"] * 3 + ["Majority"] * 3


def test_some_data_sets_run_fewer_splits(tmp_path):
    path = tmp_path / "study.toml"
    text = 'datasets = ["iris", "wine"]\nmethods = ["Majority"]\n[first-splits]\n'
    path.write_text(text + "iris = 1\n")
    cells = plan_cells(read_study(path)).cells
    assert [cell.dataset for cell in cells].count("iris") == 1 and len(cells) == 6
    path.write_text(text + 'iris = 2\n"*" = 1\n')
    cells = plan_cells(read_study(path)).cells
    assert sorted(cell.dataset for cell in cells) == ["iris", "iris", "wine"]
    for wrong, message in (("irsi = 1", "did you mean iris"), ("iris = 0", "from 1, got 0")):
        path.write_text(text + wrong)
        with pytest.raises(UserError, match=message):
            read_study(path)


def record(ledger, dataset, method, n_train, seconds):
    cell = Cell(dataset, method, "kfold", "0", 0)
    outcome = {"accuracy": 0.5, "n_train": n_train, "fit_seconds": seconds}
    ledger.record(cell, {**outcome, "tune_seconds": 0.0, "predict_seconds": 0.0}, {})


def test_costs_grow_with_the_rows_as_the_ledger_has_seen(ledger):
    record(ledger, "iris", "SVM", 100, 1.0)
    record(ledger, "other", "SVM", 1000, 100.0)
    study = make("SVM")
    sizes = {"iris": 150, "wine": 300, "xor": 600}
    estimate = estimate_costs(study, plan_cells(study), ledger.results(), None, sizes)
    row = estimate.table.loc["SVM"]
    assert (row["planned"], row["found"], row["left"], estimate.n_pilot) == (9, 1, 8, 0)
    # Quadratic: 2 of iris as measured, 3 of 200 and 3 of 400 training rows.
    assert estimate.seconds == pytest.approx(2 * 1.0 + 3 * 4.0 + 3 * 16.0)
    assert measured_seconds(ledger.results()) == {"SVM": 50.5}
    assert cell_seconds(ledger.results())["seconds"].tolist() == [1.0, 100.0]


def test_a_plan_runs_a_pilot_and_no_cell(tmp_path):
    ledger = tmp_path / "a.sqlite"
    arguments = ["bench", "-d", "iris", "-d", "wine", "-m", "Majority", "-m", "NearestNeighbours"]
    arguments += ["--protocol", "kfold", "--jobs", 1, "--ledger", ledger]
    output = call(*arguments, "--plan")
    assert "2 data sets, 40 cells: 0 in the ledger, 40 to run, about" in output
    assert "4 pilot fits" in output and not ledger.exists()
    call(*arguments)
    output = call(*arguments, "--plan", "-m", "LogisticRegression")
    assert "60 cells: 40 in the ledger, 20 to run" in output and "2 pilot fits" in output
    assert "40 cells: 40 in the ledger, 0 to run" in call(*arguments, "--plan")


def test_the_page_of_a_ledger_that_is_being_written(tmp_path):
    ledger, page = tmp_path / "a.sqlite", tmp_path / "a.html"
    command = [sys.executable, "-m", "kernsemble", "bench", "-d", "iris", "-d", "wine"]
    command += ["-m", "Majority", "-m", "NearestNeighbours", "-m", "GradientBoosting"]
    command += ["--protocol", "kfold", "--jobs", "1", "--ledger", str(ledger)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline = time.monotonic() + 100
        n_rows = 0
        while n_rows < 4 and time.monotonic() < deadline and run.poll() is None:
            time.sleep(0.1)
            if ledger.exists():
                with Ledger(ledger) as book:
                    n_rows = len(book.results())
        # The first split of every data set is there, of the cheap methods.
        call("report", ledger, "-o", page)
        assert n_rows < 60 and page.stat().st_size > 10_000
        output, _ = run.communicate(timeout=120)
        assert run.returncode == 0, output
    finally:
        run.kill()
        run.wait()
    with Ledger(ledger) as book:
        assert len(book.results()) == 60 and book.results()["failure"].isna().all()


def test_a_set_of_the_folder_may_hold_categories(tmp_path, monkeypatch, ledger):
    (tmp_path / "mixed").mkdir()
    table = pd.DataFrame({"size": [1.0, None, 3.0, 4.0] * 10, "colour": ["r", "g", "b", "r"] * 10})
    table["target"] = ["yes", "no", "no", "yes"] * 10
    table.to_csv(tmp_path / "mixed" / "small.csv.gz", index=False)
    monkeypatch.setenv("KERNSEMBLE_DATA", str(tmp_path))
    study = make_study(
        ["mixed/*"], ["HistGradientBoosting"], "kfold", protocol_options={"n_splits": 2}
    )
    assert run_study(study, ledger, n_jobs=1).failed == 0
    assert ledger.datasets().loc["mixed/small", "categorical_share"] == 0.5
