"""`kernsemble fit` and `kernsemble predict`: what they print, and how they end."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from crafted import array_bytes, edit, plain, unpack, write
from typer.testing import CliRunner

import kernsemble
from kernsemble import cli
from kernsemble.commands import fitting, predicting
from kernsemble.frames.model_files import load_model

RUNNER = CliRunner()
SOURCES = Path(kernsemble.__file__).parents[1]


def call(*arguments, code=0):
    result = RUNNER.invoke(cli.app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture
def model(mixed_table, tmp_path):
    path = tmp_path / "m.skops"
    call("fit", mixed_table, "--target", "label", "-m", "Majority", "-o", path)
    return path


def test_fit_and_predict(mixed_table, tmp_path):
    model = tmp_path / "m.skops"
    output = call(
        "fit", mixed_table, "--target", "label", "-m", "svm", "--param", "C=5", "-o", model
    )
    assert "90 rows, 3 columns beside the target." in output
    assert "Target label: yes (45), no (45)." in output
    assert "90 rows. SVC does not say how good it is on new rows" in output
    assert "The file holds support vectors, which are training rows" in output
    said = call("predict", model, mixed_table, "-o", tmp_path / "p.csv")
    assert said.startswith("Predictions of 90 rows: ") and "p.csv" in said
    assert set(pd.read_csv(tmp_path / "p.csv")["label"]) == {"yes", "no"}
    assert call("predict", model, mixed_table).startswith("label ")
    assert "name=value" in call("fit", mixed_table, "--param", "C", "-o", model, code=2)


def test_fit_shows_what_it_understood_and_what_the_model_is_worth(mixed_table, tmp_path):
    result = RUNNER.invoke(
        cli.app, ["fit", str(mixed_table), "-m", "KernelRidge", "-o", str(tmp_path / "m.skops")]
    )
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert "The target is the column label" in said and "(utf-8, comma): 90 rows" in said
    assert "colour category 3 9" in said and "size number 13" in said
    worth = r"accuracy 0\.\d{4}, log-loss 0\.\d{4}\.\nModel: .*m\.skops\nThe file holds all"
    assert re.search(worth, result.stdout) and "column" not in result.stdout


def test_the_target_is_asked_for_when_it_is_not_obvious(tmp_path, monkeypatch):
    table, model = tmp_path / "t.csv", tmp_path / "m.skops"
    table.write_text("y,Label,b\n" + "1,0,x\n2,1,z\n" * 5)
    output = call("fit", table, "-m", "Majority", "-o", model, code=2)
    assert "Which column" in output and "--target: y, Label, b" in output

    def answer(question, choices):
        return choices[-1]

    monkeypatch.setattr(fitting, "ask", answer)
    assert "Target b: x (5), z (5)" in call("fit", table, "-m", "Majority", "-o", model)


def test_rows_without_a_class(tmp_path):
    table, model = tmp_path / "t.csv", tmp_path / "m.skops"
    table.write_text("a,target\n" + "1,x\n2,y\n3,\n" * 5)
    arguments = ["fit", table, "-m", "Majority", "-o", model]
    assert "5 rows of" in (output := call(*arguments, code=2))
    assert "leave them out with --drop-missing-labels" in output
    output = call(*arguments, "--drop-missing-labels")
    assert "5 rows without a value of target are left out" in output and "10 rows." in output


def test_the_key_of_the_rows_is_kept_and_no_feature(tmp_path):
    table, model = tmp_path / "t.csv", tmp_path / "m.skops"
    table.write_text("nr,a,target\n" + "".join(f"0{n},{n},{n % 2}\n" for n in range(10)))
    options = ["--id", "nr", "-m", "NearestNeighbours", "--param", "n_neighbors=1"]
    assert "1 columns beside the target" in call("fit", table, *options, "-o", model)
    assert call("predict", model, table).startswith("nr,target 00,0 01,1 02,0")
    (tmp_path / "new.csv").write_text("a\n3\n")
    assert call("predict", model, tmp_path / "new.csv") == "target 1"
    (tmp_path / "new.csv").write_text("key,a\nk,3\n")
    assert call("predict", model, tmp_path / "new.csv", "--id", "key") == "key,target k,1"
    output = call("predict", model, tmp_path / "new.csv", "--id", "kee", code=2)
    assert "no column 'kee' in" in output and "did you mean key" in output


def test_texts_and_names_of_rows_are_told_from_categories(tmp_path):
    words = np.array(["late", "early", "broken", "whole", "cold", "warm"])
    rng = np.random.RandomState(0)
    texts = [f"case {i} was {' and '.join(rng.choice(words, 3))}" for i in range(60)]
    rows = {"key": [f"A{i}" for i in range(60)], "words": texts, "letter": ["a", "b"] * 30}
    pd.DataFrame({**rows, "y": rng.randint(2, size=60)}).to_csv(tmp_path / "t.csv", index=False)
    output = call("fit", tmp_path / "t.csv", "-m", "Majority", "-o", tmp_path / "m.skops")
    assert "key name of rows 60" in output and "words text 60" in output
    assert "letter category 2" in output


def test_a_name_that_is_little_like_any_other_brings_the_list(mixed_table, tmp_path):
    arguments = ["fit", mixed_table, "-o", tmp_path / "m.skops", "--param", "n_estmators=3"]
    output = call(*arguments, code=2)
    assert "no parameter 'n_estmators' of KernelEnsemble" in output
    assert "known: categorical_features, class_weight, members" in output


def test_the_help_keeps_brackets():
    assert "may stand above [columns]." in call("fit", "--help")


def test_options_that_a_method_does_not_have_are_named(mixed_table, tmp_path):
    arguments = ["fit", mixed_table, "-o", tmp_path / "m.skops", "-m"]
    assert "SVM has no time_budget, which --time" in call(*arguments, "SVM", "--time", 5, code=2)
    assert "svm has no n_jobs, which --jobs" in call(*arguments, "svm", "--jobs", 2, code=2)
    output = call(*arguments, "KernelRidge", "--param", "n_landmark=3", code=2)
    assert "no parameter 'n_landmark' of KernelRidge; did you mean n_landmarks" in output
    output = call(*arguments, "KernelRidge", "--param", "alpha=high", code=2)
    assert "cannot be fitted" in output and "alpha" in output


def test_the_time_and_the_number_of_jobs_reach_the_method(mixed_table, tmp_path):
    arguments = ["fit", mixed_table, "--time", 60, "--jobs", 2, "-o", tmp_path / "m.skops"]
    call(*arguments, "--param", "members=none")
    model = load_model(tmp_path / "m.skops")["model"][-1]
    assert model.time_budget == 60 and model.n_jobs == 2


def test_rules_reach_fit_and_predict(tmp_path):
    table, rules, model = tmp_path / "t.csv", tmp_path / "kinds.toml", tmp_path / "m.skops"
    table.write_text("plz|age|target\n" + "01|1,5|x\n1|2,5|z\n" * 5)
    rules.write_text('separator = "|"\ndecimal = ","\n[columns]\nplz = "category"\n')
    options = ["--columns", rules]
    output = call("fit", table, *options, "-m", "NearestNeighbours", "-o", model)
    assert "(utf-8, bar, decimal comma)" in output and "plz category 2" in output
    assert call("predict", model, table, *options).startswith("target x z")


def test_a_rule_keeps_a_category_whose_levels_identify_rows(tmp_path):
    table, rules, model = tmp_path / "t.csv", tmp_path / "kinds.toml", tmp_path / "m.skops"
    rows = "".join(f"k{i},{i % 7},{'no' if i % 3 else 'yes'}\n" for i in range(60))
    table.write_text("code,size,target\n" + rows)
    rules.write_text('[columns]\ncode = "category"\n')
    fit = ["fit", table, "-m", "MPRaF", "--param", "n_estimators=3", "-o", model]
    assert '`code = "category"` for --columns of the command line' in call(*fit)
    output = call(*fit, "--columns", rules)
    assert "code category 60" in output and "left out" not in output
    assert load_model(model)["model"][-1].encoder_.n_levels.tolist() == [60, 0]
    assert call("predict", model, table).startswith("target ")


def test_a_dash_means_standard_input(mixed_table, tmp_path):
    model = tmp_path / "m.skops"

    def pipe(*arguments, text, code=0):
        named = [str(argument) for argument in arguments]
        result = RUNNER.invoke(cli.app, named, input=text)
        assert result.exit_code == code, result.output
        return result

    text = mixed_table.read_bytes()
    fit = ("fit", "-", "-m", "Majority", "-o", model)
    assert "standard input (utf-8, comma): 90 rows" in pipe(*fit, text=text).stderr
    assert load_model(model)["made"]["table"] == "standard input"
    marked = b"\xef\xbb\xbf" + text.replace(b",", b";")
    piped = pipe("predict", model, "-", text=marked).stdout
    assert piped == pipe("predict", model, mixed_table, text=b"").stdout
    for empty in (b"", b"\n"):
        said = pipe("predict", model, "-", text=empty, code=2).stderr
        assert "standard input cannot be read as a table: it is empty" in " ".join(said.split())
    said = pipe(*fit, "--max-size", "1e-7", text=text, code=2).stderr
    assert "more than 1e-07 GB; raise the limit with --max-size" in " ".join(said.split())


def test_answers_about_new_rows_are_further_columns(mixed_table, tmp_path):
    model = tmp_path / "m.skops"
    call("fit", mixed_table, "-m", "KernelRidge", "-o", model)
    options = ["--set", 0.9, "--novelty", "--explain", "-o", tmp_path / "p.csv"]
    call("predict", model, mixed_table, *options)
    found = pd.read_csv(tmp_path / "p.csv")
    assert set(found["label with confidence 0.9"].dropna()) <= {"yes", "no", "no | yes"}
    assert found["novelty p-value"].between(0, 1).all()
    assert found["explanation"].str.contains(r"size [+-][\d.]+").any()
    call("fit", mixed_table, "-m", "RandomForest", "-o", model)
    output = call("predict", model, mixed_table, "--novelty", code=2)
    assert "RandomForestClassifier has no novelty, which --novelty needs" in output


def test_a_page_is_written_beside_the_model(mixed_table, tmp_path):
    model = tmp_path / "m.skops"
    options = ["-m", "KernelRidge", "-o", model]
    output = call("fit", mixed_table, *options, "--report", "--by", "colour")
    assert "Page:" in output and (tmp_path / "m.html").stat().st_size > 10_000
    assert "ask for the page with --report" in call(
        "fit", mixed_table, *options, "--by", "colour", code=2
    )
    output = call("fit", mixed_table, *options, "--report", "--by", "color", code=2)
    assert "no column 'color' in" in output and "did you mean colour" in output
    output = call("fit", mixed_table, "-m", "SVM", "-o", model, "--report", code=2)
    assert "so it has no page; leave --report out" in output


def test_version():
    assert call("--version") == f"kernsemble {kernsemble.__version__}"


@pytest.mark.parametrize("arguments", [["--version"], ["fit", "absent.csv", "-o", "m.skops"]])
def test_the_version_and_missing_files_load_little(arguments):
    code = (
        "import sys; from kernsemble.cli import app\n"
        f"try: app({arguments})\n"
        "except SystemExit: pass\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        check=True,
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "sklearn", "pandas", "skops", "matplotlib", "jinja2"}


def test_a_reader_that_has_seen_enough_is_no_error(mixed_table, model):
    command = [sys.executable, "-m", "kernsemble", "predict", str(model), str(mixed_table)]
    started = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )
    started.stdout.close()
    assert started.stderr.read() == b"" and started.wait(timeout=60) == 0
    started.stderr.close()


def test_fit_says_when_no_rows_are_kept(mixed_table, tmp_path):
    output = call("fit", mixed_table, "-m", "RVFL", "-o", tmp_path / "m.skops")
    assert "The file holds no training rows, but weights of random layers." in output


def test_rows_are_left_out_on_request(mixed_table, tmp_path):
    model = tmp_path / "m.skops"
    asked = ["fit", mixed_table, "--no-training-rows", "-o", model, "-m"]
    assert "no training rows, but means of groups" in call(*asked, "LandmarkRidge")
    assert load_model(model)["model"][-1].landmarks == "group_means"
    refused = call(*asked, "KernelRidge", code=2)
    assert "KernelRidge cannot do without training rows. These can: " in refused


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["fit", "absent.csv", "-o", "m.skops"], "There is no file"),
        (["predict", "absent.skops", "absent.csv"], "There is no model"),
        (["fit", "t.csv", "-o", "r.pkl"], "in skops format and its name must end in .skops"),
        (["fit", "t.csv", "-o", "no/m.skops"], "There is no folder no"),
    ],
)
def test_mistakes_make_the_exit_code_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,class\n1,a\n2,b\n")
    assert message in call(*arguments, code=2)


def test_damaged_files_are_named_and_left_alone(mixed_table, model, tmp_path):
    content = model.read_bytes()
    cases = {
        "model.skops": (b"no model", "is cut off, or is no zip file"),
        "cut.skops": (content[: len(content) // 2], "is cut off, or is no zip file"),
    }
    for name, (damaged, message) in cases.items():
        (tmp_path / name).write_bytes(damaged)
        assert message in call("predict", tmp_path / name, mixed_table, code=2)
        assert (tmp_path / name).read_bytes() == damaged
    (tmp_path / "t.csv").write_text("")
    output = call("fit", tmp_path / "t.csv", "-o", tmp_path / "new.skops", code=2)
    assert "cannot be read as a table" in output and not (tmp_path / "new.skops").exists()


def test_a_shifted_table_is_not_predicted(mixed_table, model, tmp_path):
    (tmp_path / "new.csv").write_text("size,colour,count\n7,1.5,red,3\n8,2.5,blue,4\n")
    output = call("predict", model, tmp_path / "new.csv", code=2)
    assert "new.csv, line 2: 4 cells, but the header names 3" in output


def test_a_large_file_needs_permission(mixed_table, model):
    arguments = ["predict", model, mixed_table, "--max-size"]
    assert "raise the limit: --max-size 1" in call(*arguments, 0.0001, code=2)
    call(*arguments, 1)


def test_a_bomb_is_not_unpacked(mixed_table, model):
    entries, schema = unpack(model)
    bomb = array_bytes(np.zeros(4 * 10**6))
    write(model, {**entries, "bomb.npy": bomb}, schema, zipfile.ZIP_DEFLATED)
    assert ".npy is compressed" in call("predict", model, mixed_table, code=2)


def test_a_model_of_another_version_is_announced(mixed_table, model):
    def change(schema):
        made = schema["content"]["made"]["content"]
        made["environment"]["content"]["kernsemble"] = plain("0.0.1")

    output = call("predict", edit(model, change), mixed_table)
    assert "kernsemble: warning:" in output and "made with kernsemble 0.0.1" in output
    assert "fit the model again, or install the versions it was made with" in output


def test_what_a_file_says_does_not_reach_the_terminal_as_a_command(mixed_table, model):
    def change(schema):
        schema["content"]["made"]["content"]["rows"]["__class__"] = "\x1b[2Jgone"

    result = RUNNER.invoke(cli.app, ["predict", str(edit(model, change)), str(mixed_table)])
    assert result.exit_code == 2 and "not trusted: builtins.�[2Jgone" in result.output
    assert "\x1b" not in result.output


@pytest.mark.parametrize(
    "command, words", [("fit", "No model was written"), ("predict", "No file")]
)
def test_an_interruption_says_what_is_left(command, words, model, mixed_table, monkeypatch):
    def interrupt(*_, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "fit_training", interrupt)
    monkeypatch.setattr(predicting, "predict_frame", interrupt)
    arguments = {"fit": [mixed_table, "-o", model], "predict": [model, mixed_table]}[command]
    output = call(command, *arguments, code=130)
    assert f"Interrupted. {words}" in output and "cells" not in output


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_ctrl_c_during_a_fit(mixed_table, tmp_path):
    """The signal comes when the fit says that it has begun, in a process of its own."""
    script = (
        "import os, signal, sys\n"
        "from kernsemble.__main__ import main\n"
        "from kernsemble.commands import fitting\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def fit_training(*_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    signal.pause()\n"
        "fitting.fit_training = fit_training\n"
        "sys.argv = ['kernsemble', *sys.argv[1:]]; main()"
    )
    arguments = ["fit", mixed_table, "-m", "Majority", "-o", tmp_path / "m.skops"]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        timeout=120,
    )
    assert done.returncode == 130 and "No model was written." in done.stderr, done.stderr
    assert not (tmp_path / "m.skops").exists()


LABELS = ["=1+1", "+a", "-b", "@c", "-1", "plain", "\ttab"]


@pytest.fixture
def formulas(tmp_path):
    rows = "".join(f'{number},"{label}"\n' for number, label in enumerate(LABELS))
    (tmp_path / "t.csv").write_text("a,=target\n" + rows)
    options = ["-m", "NearestNeighbours", "--param", "n_neighbors=1"]
    call("fit", tmp_path / "t.csv", "--target", "=target", *options, "-o", tmp_path / "m.skops")
    return tmp_path / "m.skops", tmp_path / "t.csv"


def test_classes_are_written_as_they_are(formulas, tmp_path):
    call("predict", *formulas, "-o", tmp_path / "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", dtype=str)
    assert list(predicted["=target"]) == LABELS


def test_texts_that_look_like_formulas_can_be_neutralised(formulas, tmp_path):
    call("predict", *formulas, "--safe-csv", "--probabilities", "-o", tmp_path / "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", dtype=str)
    wanted = ["'=1+1", "'+a", "'-b", "'@c", "-1", "plain", "'\ttab"]
    assert list(predicted["'=target"]) == wanted
    assert not any(cell.startswith(("=", "+", "@")) for cell in predicted.stack())


def test_predictions_are_written_whole_or_not_at_all(mixed_table, model, tmp_path, monkeypatch):
    path = tmp_path / "p.csv"
    path.write_text("old")

    def fail(self, file, index):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    assert "[Errno 28]" in call("predict", model, mixed_table, "-o", path, code=2)
    assert path.read_text() == "old"
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".csv", ".csv", ".skops"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named(mixed_table, model):
    output = call("predict", model, mixed_table, "-o", "/dev/full", code=2)
    assert "predictions cannot be written: [Errno 28]" in output
