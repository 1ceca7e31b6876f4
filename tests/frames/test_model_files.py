"""Model files: whole or not there, and clear words about those that cannot be used."""

import subprocess
import sys
from pathlib import Path

import pytest
import skops.io
from crafted import edit, plain, write_object
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import kernsemble
from kernsemble.errors import UserError
from kernsemble.frames import model_files
from kernsemble.frames.model_files import ModelFileWarning, load_model, save_model
from kernsemble.frames.models import fit_table

SOURCES = Path(kernsemble.__file__).parents[1]


@pytest.fixture
def fitted(mixed_table):
    return fit_table(mixed_table, DummyClassifier(), "label")


def test_files_that_are_no_models(fitted, tmp_path):
    path = tmp_path / "m.skops"
    with pytest.raises(UserError, match="There is no model"):
        load_model(path)
    path.write_text("no zip file")
    with pytest.raises(UserError, match="is not a model file: it is cut off, or is no zip file"):
        load_model(path)
    write_object([1, 2], path)
    with pytest.raises(UserError, match="holds no model of a table"):
        load_model(path)
    without = {key: value for key, value in fitted.items() if key != "model"}
    for other in ({**fitted, "model": "text"}, without):
        write_object(other, path)
        with pytest.raises(UserError, match="what it holds cannot predict"):
            load_model(path)
    skops.io.dump(fitted, path)
    with pytest.raises(UserError, match="was not written by kernsemble"):
        load_model(path)


@pytest.mark.parametrize("name", ["m.pkl", "m.joblib", "m"])
def test_a_model_file_has_the_name_of_its_format(name, fitted, tmp_path):
    with pytest.raises(UserError, match=r"must end in .skops, got .*; try m.skops"):
        save_model(fitted, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_places_where_no_model_can_be(fitted, tmp_path):
    with pytest.raises(UserError, match="There is no folder"):
        save_model(fitted, tmp_path / "absent" / "m.skops")
    (tmp_path / "folder.skops").mkdir()
    with pytest.raises(UserError, match="is no ordinary file"):
        save_model(fitted, tmp_path / "folder.skops")


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("failure", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_a_model_that_cannot_be_written_leaves_the_old_one(failure, fitted, tmp_path, monkeypatch):
    folder = tmp_path / "models"
    folder.mkdir()
    path = save_model(fitted, folder / "m.skops")
    before = path.read_bytes()

    def fail(source, target):
        target.write(b"half a model")
        raise failure

    monkeypatch.setattr(model_files, "_rewrite", fail)
    with pytest.raises((UserError, KeyboardInterrupt)):
        save_model(fitted, path)
    assert path.read_bytes() == before and files_in(folder) == ["m.skops"]
    with pytest.raises((UserError, KeyboardInterrupt)):
        save_model(fitted, folder / "new.skops")
    assert files_in(folder) == ["m.skops"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
def test_a_full_disk_leaves_no_file(mixed_table, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "from kernsemble.__main__ import main\n"
        "sys.argv = ['kernsemble', *sys.argv[1:]]; main()"
    )
    arguments = ["fit", mixed_table, "--target", "label", "-m", "Majority"]
    done = subprocess.run(
        # Compiled modules would be cut off as well, so none are written.
        [sys.executable, "-B", "-c", script, *arguments, "-o", folder / "m.skops"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCES), "HOME": str(tmp_path)},
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    assert "The model cannot be written: [Errno 27]" in done.stderr
    assert files_in(folder) == []


def test_a_link_stays_a_link(fitted, tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "m.skops"
    link.symlink_to(tmp_path / "real" / "m.skops")
    save_model(fitted, link)
    assert link.is_symlink() and (tmp_path / "real" / "m.skops").is_file()


def test_a_model_of_another_version_warns(fitted, tmp_path):
    path = save_model(fitted, tmp_path / "m.skops")

    def change(schema):
        made = schema["content"]["made"]["content"]
        made["environment"]["content"]["kernsemble"] = plain("0.0.1\x1b[2J")

    with pytest.warns(ModelFileWarning) as caught:
        load_model(edit(path, change))
    (warning,) = caught
    assert "made with kernsemble 0.0.1�[2J (here" in str(warning.message)
    assert "fit the model again, or install the versions" in str(warning.message)


def test_saving_says_what_loading_will_ask_for(mixed_table, tmp_path):
    fitted = fit_table(mixed_table, GaussianNB(), "label")
    name = "sklearn.naive_bayes.GaussianNB"
    with pytest.warns(ModelFileWarning, match=f"predict with --trust {name}"):
        path = save_model(fitted, tmp_path / "m.skops")
    with pytest.raises(UserError, match=f"not trusted: {name}"):
        load_model(path)
    assert load_model(path, trust=[name])["target"] == "label"


def test_saving_a_large_model_says_so(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr(model_files, "MAX_BYTES", 1000)
    with pytest.warns(ModelFileWarning, match="is large .* predict with --max-size 1"):
        save_model(fitted, tmp_path / "m.skops")
