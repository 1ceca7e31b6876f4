"""`kernsemble fit` and `kernsemble predict`: what they print, and how they end."""

import os
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
    assert "90 rows, target label." in output
    assert "The file holds support vectors, which are training rows" in output
    call("predict", model, mixed_table, "-o", tmp_path / "p.csv")
    assert set(pd.read_csv(tmp_path / "p.csv")["label"]) == {"yes", "no"}
    assert call("predict", model, mixed_table).startswith("label ")
    assert "name=value" in call("fit", mixed_table, "--param", "C", "-o", model, code=2)


def test_fit_says_when_no_rows_are_kept(mixed_table, tmp_path):
    output = call("fit", mixed_table, "-m", "RVFL", "-o", tmp_path / "m.skops")
    assert "The file holds no training rows, but weights of random layers." in output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["fit", "absent.csv", "-o", "m.skops"], "There is no file"),
        (["predict", "absent.skops", "absent.csv"], "There is no model"),
        (["fit", "absent.csv", "-o", "r.pkl"], "in skops format and its name must end in .skops"),
        (["fit", "absent.csv", "-o", "no/m.skops"], "There is no folder no"),
    ],
)
def test_mistakes_make_the_exit_code_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
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
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, f"{command}_table", interrupt)
    arguments = {"fit": [mixed_table, "-o", model], "predict": [model, mixed_table]}[command]
    output = call(command, *arguments, code=130)
    assert f"Interrupted. {words}" in output and "cells" not in output


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_ctrl_c_during_a_fit(mixed_table, tmp_path):
    """The signal comes when the fit says that it has begun, in a process of its own."""
    script = (
        "import os, signal, sys\n"
        "from kernsemble import cli\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def fit_table(*_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    signal.pause()\n"
        "cli.fit_table = fit_table\n"
        "sys.argv = ['kernsemble', *sys.argv[1:]]; cli.app()"
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
    call("fit", tmp_path / "t.csv", *options, "-o", tmp_path / "m.skops")
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
