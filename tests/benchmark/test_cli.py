"""The command line: what it prints, and the exit codes that scripts rely on."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.rivals import optional_rivals
from kernsemble.cli import app
from kernsemble.environment import installed_versions

RUNNER = CliRunner()


def call(*arguments, code=0):
    result = RUNNER.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_bench_ranks_and_reports_then_finds_its_results(tmp_path):
    ledger = tmp_path / "a.sqlite"
    arguments = ["bench", "-d", "iris", "-d", "wine", "-m", "Majority", "-m", "NearestNeighbours"]
    arguments += ["--protocol", "kfold", "--ledger", ledger, "--jobs", 1]
    output = call(*arguments)
    assert output.index("NearestNeighbours") < output.rindex("Majority")
    assert (tmp_path / "a.html").stat().st_size > 10_000
    assert "40 of 40 cells are already in the ledger" in call(*arguments)
    call("report", ledger, "-o", tmp_path / "b.html", "--title", "Other")
    assert "<h1>Other</h1>" in (tmp_path / "b.html").read_text()


def test_several_numbers_of_training_rows(tmp_path):
    ledger = tmp_path / "a.sqlite"
    arguments = ["bench", "-d", "iris", "-m", "Majority", "-m", "NearestNeighbours"]
    call(*arguments, "--rows", 20, 50, "--protocol", "kfold", "--ledger", ledger, "--jobs", 1)
    with Ledger(ledger) as book:
        assert sorted(set(book.results()["n_train"])) == [20, 50]
    assert "2" in call(*arguments, "--rows", 1, code=2)


def test_failed_cells_make_the_exit_code_1(tmp_path):
    (tmp_path / "one.csv").write_text("a,target\n1,0\n2,0\n")
    arguments = ["-d", tmp_path / "one.csv", "-m", "Majority", "--protocol", "kfold", "--jobs", 1]
    output = call("bench", *arguments, "--ledger", tmp_path / "a.sqlite", code=1)
    assert "10 of 10 cells failed" in output and "only one class" in output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["bench"], "Say which --data"),
        (["bench", "absent.toml"], "There is no file absent.toml"),
        (["bench", "-d", "iris", "-m", "Forest"], "did you mean RandomForest"),
        (["bench", "-d", "iris", "-m", "SVM", "--seconds", "-1"], "must be above 0"),
        (["report", "absent.sqlite"], "There is no ledger"),
        (["list", "thing"], "There is no list of 'thing'"),
        (["data", "import", "absent", "-o", "out"], "There is no folder"),
        (["data", "check", "irsi"], "did you mean iris"),
    ],
)
def test_mistakes_make_the_exit_code_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in call(*arguments, code=2)


def test_damaged_files_are_named_and_left_alone(tmp_path):
    damaged = {
        "study.toml": "datasets = [",
        "ledger.sqlite": "no database\n" * 500,
    }
    for name, content in damaged.items():
        (tmp_path / name).write_text(content)
    study, ledger = (tmp_path / name for name in damaged)
    assert "not a readable TOML file" in call("bench", study, code=2)
    chosen = ["-d", "iris", "-m", "Majority", "--protocol", "kfold"]
    assert "no ledger or is damaged" in call("bench", *chosen, "--ledger", ledger, code=2)
    assert "no ledger or is damaged" in call("report", ledger, code=2)
    assert "damaged" in call("reproduce", "zvi-thesis/table-5.10", "--ledger", ledger, code=2)
    for name, content in damaged.items():
        assert (tmp_path / name).read_text() == content


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named(tmp_path):
    ledger = tmp_path / "a.sqlite"
    chosen = ["-d", "iris", "-m", "Majority", "--protocol", "kfold", "--jobs", 1]
    bench = ["bench", *chosen, "--ledger", ledger, "--report", "/dev/full"]
    assert "report cannot be written: [Errno 28]" in call(*bench, code=2)
    # The results were safe before the page was drawn.
    assert (tmp_path / "b.html").name in call("report", ledger, "-o", tmp_path / "b.html")
    (tmp_path / "full.md").symlink_to("/dev/full")
    output = call(
        "reproduce", "zvi-thesis/table-5.10", "--ledger", ledger, "-o", tmp_path / "full.md", code=2
    )
    assert "output cannot be written: [Errno 28]" in output
    assert "must be a .md or .csv" in call(
        "reproduce", "zvi-thesis/table-5.10", "-o", "a.txt", code=2
    )


def test_lists_and_doctor():
    assert "LandmarkRidge" in call("list")
    assert "breast_cancer" in call("list", "datasets")
    assert "monte-carlo" in call("list", "protocols")
    found = call("doctor")
    assert "Everything that is needed is there" in found
    # Ready names say which version there is, or how to get it.
    for name, distribution in optional_rivals().items():
        version = installed_versions([distribution])[distribution]
        said = f"{name}: {distribution} {version}" if version else f"pip install '{distribution}'"
        assert said in found and name in call("list")
    other = call("doctor", "--python", sys.executable)
    assert all(f"{name}: " in other for name in optional_rivals())
    assert "no interpreter" in call("doctor", "--python", "nowhere", code=2)


def test_a_model_file_holds_no_classifier_of_another_library(tmp_path):
    (tmp_path / "a.csv").write_text("x,target\n" + "1,0\n2,1\n" * 20)
    for method in ("LightGBM", "sklearn.gaussian_process:GaussianProcessClassifier()"):
        output = call(
            *("fit", tmp_path / "a.csv", "--target", "target", "-m", method),
            *("-o", tmp_path / "a.skops"),
            code=2,
        )
        assert "A model file cannot hold" in output


def test_papers_are_called_by_authors_and_year():
    output = call("reproduce", "--list")
    assert "Zhang and Suganthan (2017), Benchmarking ensemble" in output
    assert "zhang-suganthan-2017/table-5 run again: 7 methods on 93 data sets" in output
    only = call("reproduce", "wang-2013", "--list")
    assert "wang-2013/table-2" in only and "zvi-thesis" not in only
    assert "did you mean wang-2013/table-2" in call("reproduce", "wang-2013/table2", code=2)


def test_data_check(tmp_path):
    assert "Nothing was found" in call("data", "check", "iris", "wine")
    rows = "".join(f"{number},{number * 7 % 5},{number % 2}\n" for number in range(30))
    (tmp_path / "numbered.csv").write_text("id,x,target\n" + rows)
    output = call("data", "check", tmp_path / "numbered.csv", code=1)
    assert "numbered: feature id counts the rows" in output


def test_a_missing_extra_is_named():
    script = (
        "import sys; sys.modules['typer'] = None\n"
        "from kernsemble.__main__ import main; sys.argv = ['kernsemble']; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'needs the package typer: pip install "kernsemble[bench]"' in done.stderr
