"""Any classifier, in any interpreter: the same measures, limits and failures."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_worker import children, is_alive, wait_until

from kernsemble.benchmark.cell import evaluate_cell
from kernsemble.benchmark.methods import Method, resolve_method
from kernsemble.benchmark.protocols import resolve_protocol
from kernsemble.benchmark.rival_client import RivalClassifier, RivalProcess, find_python, rivals_in
from kernsemble.benchmark.rival_server import pack_rows, unpack_rows
from kernsemble.benchmark.rivals import RIVALS, optional_rivals
from kernsemble.benchmark.runner import run_study
from kernsemble.benchmark.study import make_study, read_study
from kernsemble.benchmark.worker import Limits, Worker
from kernsemble.errors import UserError

HERE = sys.executable
PROTOCOL = resolve_protocol("kfold", {"n_splits": 2})


def make_job(method, dataset="wine", **changes):
    return {
        **{"dataset": dataset, "method": method.definition(), "split": "0", "seed": 0},
        **{"protocol": PROTOCOL.definition(), "choice": None, **changes},
    }


def measures(outcome):
    """Return what two runs of one cell must agree on."""
    further = {
        name: value
        for name, value in outcome["measures"].items()
        if "seconds" not in name and name not in ("peak_memory_mb", "model_bytes")
    }
    return {"accuracy": outcome["accuracy"], "n_train": outcome["n_train"], **further}


@pytest.mark.parametrize(
    "name", ["RandomForest(n_estimators=5)", "LogisticRegression", "sklearn.svm:LinearSVC"]
)
def test_another_interpreter_measures_the_same(name):
    here = evaluate_cell(make_job(resolve_method(name)))
    there = evaluate_cell(make_job(resolve_method(f"{name} @ {HERE}")))
    assert measures(here) == measures(there)
    # Probabilities that are missing are no measures, and never zero.
    assert ("log_loss" in here["measures"]) == ("LinearSVC" not in name)
    used = there["measures"]
    assert used["model_bytes"] > 500 and used["fit_cpu_seconds"] >= 0 < there["fit_seconds"]
    assert there["elsewhere"]["python"] == sys.version.split()[0] and here["elsewhere"] is None


def test_grids_are_searched_in_another_interpreter():
    method = resolve_method(f"NearestNeighbours @ {HERE}")
    nested = resolve_protocol("nested", {"n_splits": 2}).definition()
    there = evaluate_cell(make_job(method, protocol=nested))
    here = evaluate_cell(make_job(resolve_method("NearestNeighbours"), protocol=nested))
    assert there["params"] == here["params"] and measures(there) == measures(here)


def test_what_a_classifier_says_of_itself_comes_along():
    outcome = evaluate_cell(make_job(resolve_method(f"KernelRidge @ {HERE}")))
    assert 0.9 < outcome["measures"]["honest_accuracy"] <= 1


@pytest.fixture
def survey(tmp_path):
    rng = np.random.RandomState(0)
    size = rng.randn(120)
    size[::7] = np.nan
    colour = rng.choice(["red", "blue", "green"], 120)
    table = pd.DataFrame({"size": size, "colour": colour})
    table["target"] = ((colour == "red") | (np.nan_to_num(size) > 1)).astype(int)
    table.loc[::11, "colour"] = None
    table.to_csv(tmp_path / "survey.csv", index=False)
    return str(tmp_path / "survey.csv")


@pytest.mark.parametrize("name", ["HistGradientBoosting", "LightGBM", "XGBoost", "CatBoost", "EBM"])
def test_rivals_take_categories_and_missing_values_themselves(survey, name):
    pytest.importorskip(RIVALS[name].estimator.split(".")[0])
    few = {"CatBoost": "(iterations=20)", "EBM": "(outer_bags=1, max_rounds=50)"}.get(name, "")
    here = evaluate_cell(make_job(resolve_method(name + few), survey))
    assert here["accuracy"] > 0.7
    there = evaluate_cell(make_job(resolve_method(f"{name}{few} @ {HERE}"), survey))
    assert measures(here) == measures(there)


def test_our_own_classifier_can_be_given_numbers(survey):
    variants = {"numbers": {"base": "KernelRidge", "columns": "numbers"}}
    numbers = evaluate_cell(make_job(resolve_method("numbers", variants), survey))
    mixed = evaluate_cell(make_job(resolve_method("KernelRidge"), survey))
    assert measures(numbers) != measures(mixed)


def elsewhere(name, **params):
    return Method(name, f"troublesome.{name}", params, python=HERE)


@pytest.fixture
def worker(tmp_path, monkeypatch):
    monkeypatch.setenv("TROUBLE_FOLDER", str(tmp_path))
    made = Worker()
    yield made
    made.close()


def test_the_other_process_needs_no_kernsemble(worker):
    assert "accuracy" in worker.run(make_job(elsewhere("Alone")), Limits())
    outcome = worker.run(make_job(elsewhere("Shy")), Limits())
    assert "accuracy" in outcome and "log_loss" not in outcome["measures"]
    assert "accuracy" in worker.run(make_job(elsewhere("Doubling")), Limits())
    assert "accuracy" in worker.run(make_job(elsewhere("Talking")), Limits())


@pytest.mark.parametrize(
    "name, limits, reason",
    [
        ("Failing", {}, "RuntimeError: no <b>luck</b> today"),
        ("Crashing", {}, f"its process, {HERE}, ended by signal 11"),
        (
            *("LastWords", {}),
            f"its process, {HERE}, ended with exit code 4; its last message: out of paper",
        ),
        ("Delegating", {"seconds": 2}, "passed its time limit of 2 s"),
        ("HungryChild", {"memory_gb": 1.0, "seconds": 60}, "passed its memory limit of 1 GB"),
    ],
)
def test_failures_and_limits_of_another_interpreter(worker, tmp_path, name, limits, reason):
    assert "accuracy" in worker.run(make_job(elsewhere("Alone")), Limits())
    outcome = worker.run(make_job(elsewhere(name)), Limits(**limits))
    assert outcome["failure"] == reason
    wait_until(lambda: not any(map(is_alive, children(tmp_path))))


def test_what_is_printed_elsewhere_does_not_reach_the_terminal(capfd):
    outcome = evaluate_cell(make_job(elsewhere("Talking")))
    assert outcome["accuracy"] < 1 and not any(capfd.readouterr())


def test_the_other_process_ends_with_the_worker(worker):
    worker.run(make_job(elsewhere("Alone")), Limits())
    pid = worker._process.pid
    found = [
        int(path.name)
        for path in Path("/proc").glob("[0-9]*")
        if path.joinpath("cmdline").exists()
        and b"rival_package" in path.joinpath("cmdline").read_bytes()
        and os.getsid(int(path.name)) == pid
    ]
    assert len(found) == 1
    os.kill(pid, 9)
    wait_until(lambda: not is_alive(found[0]))


def test_a_study_in_two_interpreters(ledger, tmp_path):
    path = tmp_path / "study.toml"
    relative = os.path.relpath(HERE, tmp_path)
    path.write_text(
        f"""
        datasets = ["iris"]
        methods = ["here", "there", "search"]
        protocol = "kfold"
        protocol-options = {{ n_splits = 2 }}

        [method.here]
        class = "sklearn.gaussian_process.GaussianProcessClassifier"

        [method.there]
        class = "sklearn.gaussian_process.GaussianProcessClassifier"
        python = "{relative}"

        [method.search]
        class = "sklearn.model_selection.RandomizedSearchCV"

        [method.search.params]
        estimator = {{ class = "sklearn.tree.DecisionTreeClassifier" }}
        param_distributions = {{ max_depth = [1, 2, 3] }}
        n_iter = 2
        """
    )
    study = read_study(path)
    assert study.methods["there"].python == HERE
    search = study.methods["search"].build(7)
    assert search.random_state == 7
    assert run_study(study, ledger, n_jobs=1).failed == 0
    rows = ledger.results().set_index(["method", "split"]).sort_index()
    for column in ("accuracy", "log_loss", "auc"):
        assert rows.loc["here", column].tolist() == rows.loc["there", column].tolist()
    makers = {method: maker for method, _, maker in ledger.makers()}
    assert "elsewhere" in makers["there"] and "elsewhere" not in makers["here"]


def test_seeds_reach_the_estimator_of_a_search():
    method = resolve_method(
        "sklearn.model_selection:GridSearchCV(estimator=sklearn.tree.DecisionTreeClassifier(), "
        "param_grid={'max_depth': [1, 2]})"
    ).check()
    assert method.build(5).estimator.random_state == 5
    given = Method("t", "sklearn.tree.DecisionTreeClassifier", {"random_state": 3})
    assert given.build(5).random_state == 3


def test_interpreters_that_cannot_serve_are_named(tmp_path, monkeypatch):
    with pytest.raises(UserError, match=r"no interpreter .*nowhere"):
        find_python("nowhere", tmp_path)
    bad = tmp_path / "python"
    bad.write_text("#!/bin/sh\necho no such library >&2\nexit 3\n")
    with pytest.raises(UserError, match="no interpreter"):
        find_python(bad)
    bad.chmod(0o755)
    assert find_python("python", tmp_path) == str(bad)
    with pytest.raises(UserError, match=r"needs numpy and scikit-learn; .*: no such library"):
        RivalProcess(str(bad))
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(HERE)
    assert find_python("env", tmp_path).endswith("env/bin/python")
    monkeypatch.setenv("RIVALS_HERE", str(tmp_path / "env"))
    assert find_python("$RIVALS_HERE") == find_python("${RIVALS_HERE}/bin/python")
    with pytest.raises(UserError, match=r"\$RIVALS_NOWHERE/bin names .* variable that is not set"):
        find_python("$RIVALS_NOWHERE/bin")


@pytest.mark.parametrize(
    "text, message",
    [
        (f"sklearn.svm:SVM @ {HERE}", "In .*: There is no class 'sklearn.svm.SVM'"),
        (f"nowhere.forest:Trees @ {HERE}", "In .* needs the package nowhere"),
        (
            f"SVM(penalty=1) @ {HERE}",
            "no parameter 'penalty' of SVM.penalty=1.; did you mean probability",
        ),
        ("SVM(penalty=1)", "no parameter 'penalty' of SVM"),
        ("SVM @ nowhere/bin/python", "There is no interpreter .*nowhere/bin/python"),
        ("Svn(C=1)", "no method 'Svn'; did you mean SVM"),
    ],
)
def test_mistakes_are_found_before_the_start(text, message):
    with pytest.raises(UserError, match=message):
        make_study(["iris"], [text])


def test_columns_of_a_method_are_checked():
    variants = {"mine": {"base": "SVM", "columns": "category"}}
    with pytest.raises(UserError, match=r"columns of method mine 'category'; did you mean"):
        make_study(["iris"], ["mine"], variants=variants)


def test_ready_names_say_what_to_install():
    assert set(optional_rivals()) == {
        *("CatBoost", "EBM", "LightGBM", "RealMLP", "TabM", "TabPFN", "XGBoost", "xRFM"),
    }


def test_ready_names_of_another_interpreter():
    found = rivals_in(HERE)
    assert set(found) == set(optional_rivals())
    for name, said in found.items():
        package = RIVALS[name].estimator.split(".")[0]
        known = importlib.util.find_spec({"xRFM": "xrfm", "TabPFN": "tabpfn"}.get(name, package))
        assert said.startswith("python 3") if known else "pip install" in said


def test_frames_arrive_as_they_were():
    frame = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0],
            "level": pd.Categorical(["a", None, "b"], categories=["b", "a"]),
            "text": np.array(["x", "missing", "y"], dtype=object),
        }
    )
    columns, arrays = pack_rows(frame)
    found = unpack_rows(columns, arrays)
    pd.testing.assert_frame_equal(found, frame, check_dtype=False, check_categorical=False)
    assert found["level"].cat.categories.tolist() == ["b", "a"]
    X = np.arange(6.0).reshape(3, 2)
    assert (unpack_rows(*pack_rows(X)) == X).all()


def test_a_classifier_of_another_interpreter_by_itself():
    X, y = np.random.RandomState(0).randn(40, 2), np.arange(40) % 2
    rival = RivalClassifier(HERE, "sklearn.tree.DecisionTreeClassifier", {}).fit(X, y)
    assert rival.score(X, y) == 1 and rival.predict_proba(X).shape == (40, 2)
    linear = RivalClassifier(HERE, "sklearn.svm.LinearSVC", {}).fit(X, y)
    assert not hasattr(linear, "predict_proba")
