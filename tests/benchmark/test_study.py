"""What a person writes is checked before anything runs."""

import pytest

from kernsemble.benchmark.cell import evaluate_cell
from kernsemble.benchmark.ledger import Cell
from kernsemble.benchmark.methods import Method, is_own, list_methods, resolve_method
from kernsemble.benchmark.rivals import optional_rivals
from kernsemble.benchmark.study import choose_study, make_study, read_study, with_limits
from kernsemble.environment import installed_versions
from kernsemble.errors import UserError

GOOD = """
datasets = ["iris", "survey.csv"]
methods = ["svm", "small"]
protocol = "kfold"
seeds = [0, 1]
[protocol-options]
n_splits = 3
[method.small]
base = "RandomForest"
params = { n_estimators = 5 }
grid = { max_features = [1, 2] }
[limits]
seconds = 10
"""


def test_a_study_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(GOOD)
    study = read_study(path)
    assert study.datasets == {"iris": "iris", "survey": str(tmp_path / "survey.csv")}
    assert list(study.methods) == ["SVM", "small"]
    assert study.methods["small"].params == {"n_estimators": 5}
    assert study.protocol.n_splits == 3 and study.seeds == (0, 1)
    assert with_limits(study, memory_gb=2).limits.seconds == 10


@pytest.mark.parametrize(
    "change, message",
    [
        (("datasets = [", "datasets = "), "not a readable TOML file.*line"),
        (('"iris"', '"irsi"'), "no data set 'irsi'; did you mean iris"),
        (('"iris"', "7"), "datasets must hold names, got 7"),
        (('"svm"', '"smv"'), "no method 'smv'; did you mean SVM"),
        (('"kfold"', '"k-fold"'), "no protocol 'k-fold'; did you mean kfold"),
        (("n_splits = 3", "n_folds = 3"), "no protocol option 'n_folds'; known: .*n_splits"),
        (("n_splits = 3", "n_splits = 'three'"), "n_splits must be like 10, got 'three'"),
        (("n_splits = 3", "n_splits = 1"), "at least 2"),
        (("seeds = [0, 1]", "seeds = [-1]"), "whole numbers from 0, got -1"),
        (("seeds = [0, 1]", "seeds = 3"), "seeds must be a list"),
        (("n_estimators", "n_trees"), "no parameter 'n_trees' of small"),
        (("max_features = [1, 2]", "max_features = 1"), "needs a list of values"),
        (("base =", "bases ="), "needs a base"),
        (('base = "RandomForest"', 'class = "nowhere.Forest"'), "needs the package nowhere"),
        (('base = "RandomForest"', 'class = "Forest"'), "no class 'Forest'; give its full path"),
        (('base = "RandomForest"', 'class = "json.JSONDecoder"'), "no scikit-learn classifier"),
        (('"RandomForest"', '"Forest"'), "no method 'Forest'; did you mean RandomForest"),
        (("seconds = 10", "seconds = 0"), "must be above 0"),
        (("seconds = 10", "seconds = '10'"), "must be a number"),
        (("[limits]", "[limit]"), "no key 'limit' in .*; did you mean limits"),
    ],
)
def test_mistakes_in_a_study_file_are_named(tmp_path, change, message):
    assert change[0] in GOOD
    path = tmp_path / "study.toml"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(UserError, match=message):
        read_study(path)


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        read_study(tmp_path / "absent.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a readable TOML file"):
        read_study(tmp_path / "binary.toml")


@pytest.mark.parametrize("name", ["papers/iris", "papers/*"])
def test_a_set_of_a_folder_needs_a_folder(monkeypatch, name):
    monkeypatch.delenv("KERNSEMBLE_DATA", raising=False)
    with pytest.raises(UserError, match="no folder is searched: KERNSEMBLE_DATA names none"):
        make_study([name], ["Majority"])


def test_names_may_be_patterns_and_labels_must_differ(tmp_path):
    study = make_study(["w*"], ["Majority"])
    assert {"wine", "waveform"} <= set(study.datasets)
    with pytest.raises(UserError, match="No data set matches"):
        make_study(["qqq*"], ["Majority"])
    with pytest.raises(UserError, match="Two data sets have the name a"):
        make_study([str(tmp_path / "a.csv"), str(tmp_path / "b" / "a.csv")], ["Majority"])


def test_a_command_line_says_one_thing():
    with pytest.raises(UserError, match="Say which --data"):
        choose_study()
    with pytest.raises(UserError, match="either a study file"):
        choose_study("study.toml", ["iris"], ["SVM"])
    assert len(choose_study(quick=True).methods) > 4


def test_every_exported_classifier_is_a_method():
    methods = list_methods(optional=True)
    own = {name for name in ("LandmarkRidge", "SVM", "xRFM") if is_own(methods[name].estimator)}
    assert own == {"LandmarkRidge"}
    missing = [
        name
        for name, version in installed_versions(optional_rivals().values()).items()
        if not version
    ]
    for name, method in methods.items():
        if optional_rivals().get(name) in missing:
            with pytest.raises(UserError, match=rf"pip install .* {name} @ "):
                method.check()
            continue
        method.check()
        assert method.build(3).get_params(deep=False).get("random_state", 3) == 3


def test_a_fixed_parameter_is_not_tuned():
    method = resolve_method("mine", {"mine": {"base": "svm", "params": {"C": 5}}})
    assert method.name == "mine" and "C" not in method.grid and "gamma" in method.grid


def test_names_of_data_sets_in_a_file(tmp_path):
    (tmp_path / "some.txt").write_text("iris\nwine xor\n")
    path = tmp_path / "study.toml"
    path.write_text('datasets = ["some.txt", "spirals"]\nmethods = ["Majority"]\n')
    assert list(read_study(path).datasets) == ["iris", "wine", "xor", "spirals"]
    path.write_text('datasets = ["other.txt"]\nmethods = ["Majority"]\n')
    with pytest.raises(UserError, match=r"list of data sets .*other\.txt cannot be read"):
        read_study(path)


def test_a_method_by_its_class_with_parameters_that_are_objects():
    variant = {
        "class": "kernsemble.mkl.SimpleMKLClassifier",
        "params": {"kernels": {"class": "MeanSquaredDistance", "multipliers": [0.25, 1.0]}},
        "grid": {"C": [1.0, 10.0]},
    }
    method = resolve_method("two widths", {"two widths": variant}).check()
    clf = method.build(3, {"C": 10.0})
    assert clf.C == 10.0 and clf.random_state == 3
    assert type(clf.kernels).__name__ == "MeanSquaredDistance"
    assert clf.kernels.multipliers == [0.25, 1.0]
    variant["params"]["kernels"]["width"] = 1
    with pytest.raises(UserError, match=r"cannot be made: .*width"):
        resolve_method("two widths", {"two widths": variant}).check()


def test_grids_are_searched_one_after_the_other():
    tried = []

    def score(point):
        tried.append(point)
        if point["a"] == 5:
            raise ValueError("too many")
        return -abs(point["a"] - 3) - abs(point["b"] - 2)

    staged = Method("m", "any", grid=[{"a": [1, 3, 5]}, {"b": [1, 2, 9]}])
    best, found = staged.search(score)
    assert staged.points()[best] == {"a": 3, "b": 2} and found == 0
    assert len(tried) == 5
    whole = Method("m", "any", grid={"a": [1, 3, 5], "b": [1, 2, 9]})
    assert whole.points()[whole.search(score)[0]] == {"a": 3, "b": 2}
    with pytest.raises(ValueError, match="too many"):
        Method("m", "any", grid={"a": [5], "b": [1]}).search(score)


def test_what_a_cell_measures_beside_accuracy():
    job = {
        "dataset": "wine",
        "method": resolve_method("KernelEnsemble").definition(),
        "protocol": make_study(["wine"], ["Majority"], "kfold").protocol.definition(),
        "split": "0",
        "seed": 0,
        "choice": None,
    }
    measured = evaluate_cell(job)["measures"]
    assert set(measured) >= {"log_loss", "brier", "auc", "fit_cpu_seconds", "peak_memory_mb"}
    assert set(measured) >= {"honest_accuracy", "honest_log_loss", "honest_matched", "coverage"}
    assert 0 < measured["log_loss"] < 0.5 and 0.8 < measured["coverage"] <= 1
    assert abs(measured["honest_accuracy"] - measured["honest_matched"]) < 0.05


def test_further_measures_are_columns_of_the_results(ledger):
    cell = Cell("iris", "SVM", "nested", "0", 0)
    ledger.record(cell, {"accuracy": 0.9, "measures": {"log_loss": 0.25}}, {})
    ledger.record(cell._replace(split="1"), {"failure": "too long"}, {})
    found = ledger.results().sort_values("split")["log_loss"]
    assert found.iloc[0] == 0.25 and found.isna().iloc[1]
