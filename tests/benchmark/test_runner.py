"""A runner does every cell once, and a cell that fails is a row like any other."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

import pandas as pd
import pytest

from kernsemble.benchmark import runner
from kernsemble.benchmark.cell import evaluate_cell
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.methods import Method
from kernsemble.benchmark.plan import plan_cells
from kernsemble.benchmark.runner import Silent, run_study
from kernsemble.benchmark.study import make_study
from kernsemble.errors import UserError

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
KILL_TEST = next(BENCHMARKS.rglob("kill_test.py"), None)


def quick_study(**changes):
    options = {"protocol": "kfold", "protocol_options": {"n_splits": 2}, **changes}
    return make_study(["iris", "wine"], ["NearestNeighbours", "Majority"], **options)


def test_a_second_start_finds_everything(ledger):
    first = run_study(quick_study(), ledger, n_jobs=2)
    rows = ledger.results()
    second = run_study(quick_study(), ledger, n_jobs=2)
    assert (first.planned, first.found, first.failed) == (8, 0, 0)
    assert (second.planned, second.found, second.failed) == (8, 8, 0)
    assert rows.equals(ledger.results())
    assert rows["accuracy"].between(0, 1).all()
    assert (rows["fit_seconds"] > 0).all() and (rows["predict_seconds"] > 0).all()


def test_results_do_not_depend_on_jobs_or_backend(tmp_path):
    tables = []
    for number, (n_jobs, backend) in enumerate(((1, "threading"), (2, "loky"))):
        with Ledger(tmp_path / f"{number}.sqlite") as ledger:
            run_study(quick_study(), ledger, n_jobs=n_jobs, backend=backend)
            tables.append(ledger.results()[["dataset", "method", "split", "accuracy"]])
    assert tables[0].equals(tables[1])


def test_dask_runs_cells_too(ledger):
    pytest.importorskip("distributed")
    study = make_study(["iris"], ["NearestNeighbours"], "kfold", protocol_options={"n_splits": 2})
    assert run_study(study, ledger, n_jobs=1, backend="dask").failed == 0
    assert (ledger.results()["accuracy"] > 0.9).all()


def test_a_scheduler_that_is_not_there_is_an_error(ledger, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("kernsemble.benchmark.runner.CONNECT_SECONDS", 1)
    study = make_study(["iris"], ["NearestNeighbours"], "kfold")
    with pytest.raises(UserError, match=r"no dask scheduler at tcp://127.0.0.1:1"):
        run_study(study, ledger, dask="tcp://127.0.0.1:1")


def test_tuning_cells_come_first_and_their_choice_is_used(ledger):
    study = quick_study(protocol="five-fold")
    plan = plan_cells(study)
    tuning, testing, broken = plan.tuning, plan.testing, plan.broken
    n_first = len(study.datasets) * len(study.methods)
    assert len({cell[:2] for cell in testing[:n_first]}) == n_first
    assert len({(cell.split, cell.seed) for cell in testing[:n_first]}) == 1
    # Only a method with a grid is tuned.
    assert [cell.method for cell in tuning] == ["NearestNeighbours"] * 2 and not broken
    assert len(testing) == 8
    run_study(study, ledger)
    rows = ledger.results().set_index(["dataset", "method", "split"])
    for dataset in ("iris", "wine"):
        tuned = rows.loc[(dataset, "NearestNeighbours", "tune")]
        for split in "01":
            tested = rows.loc[(dataset, "NearestNeighbours", split)]
            assert tested["params"] == tuned["params"]
            assert json.loads(tested["params"])["n_neighbors"] in (1, 3, 5, 9, 15)
        # Chosen on the test folds themselves, the best mean is the reported one.
        splits = [rows.loc[(dataset, "NearestNeighbours", split)]["accuracy"] for split in "01"]
        assert tuned["accuracy"] == pytest.approx(sum(splits) / 2)


def test_inner_tuning_is_timed_apart(ledger):
    run_study(quick_study(protocol="nested"), ledger)
    rows = ledger.results().set_index("method")
    assert (rows.loc["NearestNeighbours", "tune_seconds"] > 0).all()
    assert (rows.loc["Majority", "tune_seconds"] == 0).all()


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_probabilities_do_not_change_what_a_grid_chooses():
    grid = {"C": [0.01, 1.0, 100.0], "gamma": [0.001, 0.1]}
    outcomes = []
    for params in ({"probability": True}, {}):
        method = Method("SVC", "sklearn.svm.SVC", params, grid)
        job = {"dataset": "iris", "method": method.definition(), "split": "0", "seed": 0}
        protocol = make_study(["iris"], ["SVM"], "nested").protocol
        outcomes.append(evaluate_cell({**job, "protocol": protocol.definition(), "choice": None}))
    with_them, without = outcomes
    assert with_them["params"] == without["params"]
    assert with_them["accuracy"] == without["accuracy"]
    assert "log_loss" in with_them["measures"] and "log_loss" not in without["measures"]


def test_failures_become_rows_and_the_rest_goes_on(ledger, make_troubled):
    study = make_troubled("Failing", "Crashing", "Talking")
    summary = run_study(study, ledger)
    rows = ledger.results().set_index(["method", "split"])
    assert summary.failed == 2
    assert rows.loc[("Failing", "0"), "failure"] == "RuntimeError: no <b>luck</b> today"
    assert rows.loc[("Crashing", "0"), "failure"] == "its process ended by signal 11"
    assert rows.loc[("Talking", "0"), "accuracy"] < 1
    assert pd.isna(rows.loc[("Majority", "0"), "failure"])


@pytest.mark.parametrize(
    "method, limits, reason",
    [
        ("Hanging", {"seconds": 1.5}, "passed its time limit of 1.5 s"),
        ("Hungry", {"memory_gb": 0.8}, "passed its memory limit of 0.8 GB"),
    ],
)
def test_limits_of_time_and_memory(ledger, make_troubled, method, limits, reason):
    study = make_troubled(method, n_splits=1, **limits)
    run_study(study, ledger)
    failures = ledger.results().set_index("method")["failure"]
    assert failures[method] == reason


def test_failed_cells_run_again_when_asked(ledger, make_troubled):
    study = make_troubled("Failing")
    run_study(study, ledger)
    assert run_study(study, ledger).found == 2
    assert run_study(study, ledger, retry_failed=True).found == 1


def test_bad_data_fails_its_own_cells_only(ledger, tmp_path):
    (tmp_path / "letters.csv").write_text("a,target\nx,1\ny,0\nx,1\ny,0\n")
    (tmp_path / "one.csv").write_text("a,target\n1,1\n2,1\n")
    (tmp_path / "broken.csv").write_bytes(b"\x00\xff\xfe,,\n\x80")
    (tmp_path / "fraction.csv").write_text("a,target\n1,1.5\n2,2.5\n")
    paths = [str(tmp_path / f"{name}.csv") for name in ("letters", "one", "broken", "fraction")]
    study = make_study(
        [*paths, str(tmp_path / "absent.csv"), "iris"],
        ["Majority"],
        "kfold",
        protocol_options={"n_splits": 2},
    )
    assert run_study(study, ledger).failed == 8
    reasons = ledger.results().groupby("dataset")["failure"].first()
    assert pd.isna(reasons["iris"]) and pd.isna(reasons["letters"])
    assert "only one class" in reasons["one"]
    assert "cannot be read" in reasons["broken"] or "one class" in reasons["broken"]
    assert "fractions" in reasons["fraction"]
    assert "There is no file" in reasons["absent"]


def test_published_splits_are_needed_for_that_protocol(ledger):
    study = make_study(["iris"], ["Majority"], "published")
    run_study(study, ledger)
    assert "no published splits" in ledger.results()["failure"].iloc[0]


def test_other_settings_need_another_ledger(ledger):
    run_study(quick_study(), ledger)
    with pytest.raises(UserError, match="made with another protocol"):
        run_study(quick_study(protocol_options={"n_splits": 3}), ledger)


def test_an_unknown_backend(ledger):
    with pytest.raises(UserError, match="backend must be one of"):
        run_study(quick_study(), ledger, backend="mpi")


@pytest.mark.parametrize("backend", ["threading", "dask"])
def test_no_jobs_at_all_are_refused(ledger, backend):
    with pytest.raises(UserError, match=r"--jobs.* -1 .*got 0"):
        run_study(quick_study(), ledger, n_jobs=0, backend=backend)


def write_table(path, shift=0.0):
    rows = [f"{number / 7 + shift},{number * 5 % 11},{number % 2}" for number in range(40)]
    path.write_text("\n".join(["a,b,target", *rows]) + "\n")


@pytest.fixture
def survey(tmp_path):
    """Return a table and a function that makes a study of it and of iris."""
    path = tmp_path / "survey.csv"
    write_table(path)

    def study_of(*methods):
        sources = [str(path), "iris"]
        return make_study(sources, list(methods), "kfold", protocol_options={"n_splits": 2})

    return path, study_of


def test_results_of_an_edited_table_are_not_passed_off_as_its_own(ledger, survey):
    path, study_of = survey
    run_study(study_of("Majority"), ledger)
    before = ledger.results()
    # The same rows in another file are the same data.
    path.write_text(path.read_text())
    assert run_study(study_of("Majority"), ledger).found == 4
    write_table(path, shift=0.5)
    for methods in (["Majority"], ["NearestNeighbours"]):
        with pytest.raises(UserError, match=r"2 results of other rows of survey.*--replace"):
            run_study(study_of(*methods), ledger)
    assert ledger.results().equals(before)


def test_results_of_an_edited_table_are_replaced_when_asked(ledger, survey):
    class Listener(Silent):
        told: ClassVar[list] = []

        def replaced(self, dataset, count):
            self.told.append((dataset, count))

    path, study_of = survey
    run_study(study_of("Majority", "NearestNeighbours"), ledger)
    before = ledger.results().set_index("dataset")
    write_table(path, shift=0.5)
    summary = run_study(study_of("Majority"), ledger, replace=True, listener=Listener())
    # The rows of the other method were made from the old data too.
    assert Listener.told == [("survey", 4)] and (summary.planned, summary.found) == (4, 2)
    after = ledger.results().set_index("dataset")
    assert after.loc["iris"].equals(before.loc["iris"])
    assert after.loc["survey", "method"].tolist() == ["Majority"] * 2
    assert set(after.loc["survey", "data_digest"]).isdisjoint(before.loc["survey", "data_digest"])
    # There is nothing left to replace.
    assert run_study(study_of("Majority"), ledger, replace=True).found == 4


def test_failures_of_an_edited_table_are_old_results_too(ledger, make_troubled, survey):
    path, _ = survey
    study = make_troubled("Failing", "Crashing")
    study.datasets["survey"] = str(path)
    run_study(study, ledger)
    rows = ledger.results().set_index(["dataset", "method"])["data_digest"]
    assert rows["survey"].notna().all() and rows["survey"].nunique() == 1
    write_table(path, shift=0.5)
    with pytest.raises(UserError, match="3 results of other rows of survey"):
        run_study(study, ledger)


def test_a_table_that_is_edited_during_a_run_stops_it(ledger, survey):
    path, study_of = survey

    class Editing(Silent):
        def finish(self, cell, outcome):
            if cell.dataset == "survey":
                write_table(path, shift=0.5)
                runner.stop_workers()

    with pytest.raises(UserError, match="survey changed while its cells ran"):
        run_study(study_of("Majority"), ledger, listener=Editing())
    # The first split of the other data set may have run between the two of this one.
    assert ledger.results()["dataset"].tolist().count("survey") == 1


def test_a_table_that_is_gone_cannot_be_compared(ledger, survey):
    path, study_of = survey
    run_study(study_of("Majority"), ledger)
    path.unlink()
    with pytest.raises(UserError, match="holds results of survey, which cannot be compared"):
        run_study(study_of("Majority"), ledger)


def test_workers_of_an_earlier_run_do_not_remember_its_data(ledger, survey):
    path, study_of = survey
    # These workers belong to processes that joblib keeps for the next run.
    options = {"n_jobs": 2, "backend": "loky"}
    run_study(study_of("Majority"), ledger, **options)
    write_table(path, shift=0.5)
    assert run_study(study_of("Majority"), ledger, replace=True, **options).failed == 0
    digests = {label: set(found) for label, found in ledger.digests().items()}
    assert run_study(study_of("Majority"), ledger).found == 4 and len(digests["survey"]) == 1


def test_a_worker_that_dies_between_two_cells_does_not_end_the_run(ledger):
    class Killing(Silent):
        def finish(self, cell, outcome):
            (worker,) = runner._started
            os.kill(worker._process.pid, signal.SIGKILL)
            os.waitid(os.P_PID, worker._process.pid, os.WEXITED | os.WNOWAIT)

    study = make_study(["iris"], ["Majority"], "kfold", protocol_options={"n_splits": 3})
    summary = run_study(study, ledger, n_jobs=1, listener=Killing())
    assert (summary.planned, summary.failed) == (3, 0)


def start_bench(ledger, *arguments):
    command = [sys.executable, "-m", "kernsemble", "bench", "--ledger", str(ledger), *arguments]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell that runs the tests in its background has them ignore Ctrl-C, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_two_runners_share_a_ledger(tmp_path):
    arguments = ["-d", "iris", "-d", "wine", "-m", "NearestNeighbours", "-m", "Majority"]
    arguments += ["--protocol", "five-fold", "--jobs", "1"]
    runs = [start_bench(tmp_path / "a.sqlite", *arguments) for _ in range(2)]
    # A cell done twice would break the primary key and end its runner.
    for run in runs:
        output, _ = run.communicate(timeout=120)
        assert run.returncode == 0, output
    with Ledger(tmp_path / "a.sqlite") as ledger:
        assert len(ledger.results()) == 22


def test_an_interrupt_leaves_a_state_to_go_on_from(tmp_path):
    arguments = ["-d", "digits", "-m", "GradientBoosting", "--protocol", "kfold", "--jobs", "1"]
    run = start_bench(tmp_path / "a.sqlite", *arguments)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("*.lock")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == 130, output
    assert "goes on from here" in output
    assert not list(tmp_path.glob("*.lock"))


@pytest.mark.skipif(KILL_TEST is None, reason="the benchmarks are not in this package")
@pytest.mark.skipif(not Path("/proc").exists(), reason="needs Linux")
def test_killed_runs_end_with_the_rows_of_a_quiet_one():
    command = [sys.executable, str(KILL_TEST), "--kills", "12", "--seeds-of-study", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] == 12 and found["equal"]
    left = [found[f"{what}_left"] for what in ("locks", "claims", "processes")]
    assert left == [0, 0, 0]
