"""What a person writes is checked before anything runs."""

import pytest

from kernsemble.benchmark.methods import is_own, list_methods, resolve_method
from kernsemble.benchmark.study import choose_study, make_study, read_study, with_limits
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
        (("n_estimators", "n_trees"), "no parameter of method small 'n_trees'"),
        (("max_features = [1, 2]", "max_features = 1"), "needs a list of values"),
        (("base =", "bases ="), "needs a base"),
        (('"RandomForest"', '"Forest"'), "no method 'Forest'; did you mean RandomForest"),
        (("seconds = 10", "seconds = 0"), "must be above 0"),
        (("seconds = 10", "seconds = '10'"), "must be a number"),
        (("[limits]", "[limit]"), "no key in .* 'limit'; did you mean limits"),
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
    methods = list_methods()
    assert is_own(methods["LandmarkRidge"]) and not is_own(methods["SVM"])
    for method in methods.values():
        method.check()
        assert method.build(3).get_params(deep=False).get("random_state", 3) == 3


def test_a_fixed_parameter_is_not_tuned():
    method = resolve_method("mine", {"mine": {"base": "svm", "params": {"C": 5}}})
    assert method.name == "mine" and "C" not in method.grid and "gamma" in method.grid
