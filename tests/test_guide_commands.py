"""Every command that the guide shows runs as it stands, on small data and with few splits."""

import os
import re
import shlex
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from kernsemble.benchmark import study as studies
from kernsemble.benchmark.methods import resolve_method
from kernsemble.benchmark.protocols import PROTOCOLS
from kernsemble.cli import app

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
PAGES = ("benchmarking.md", "command_line.md")
# What prepares an environment for the reader; the test brings it along.
PREPARED = ("python3 -m venv rivals && rivals/bin/pip install lightgbm scikit-learn",)


def fenced(page, language):
    """Return the blocks of a language in a page."""
    if not GUIDE.exists():
        return []
    text = (GUIDE / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def shown_in_tables(page):
    """Return the whole commands in the first column of a page's tables."""
    if not GUIDE.exists():
        return []
    text = (GUIDE / page).read_text(encoding="utf-8")
    return re.findall(r"^\| `(kernsemble [^`]+)` \|", text, flags=re.MULTILINE)


BLOCKS = [(page, block) for page in PAGES for block in fenced(page, "bash")]
BLOCKS.append((PAGES[1], "\n".join(line for line in shown_in_tables(PAGES[1]) if "…" not in line)))


def make_tables(folder):
    """Write the tables of the examples."""
    rng = np.random.RandomState(0)
    table = pd.DataFrame(
        {"size": rng.randn(60).round(2), "colour": rng.choice(["red", "blue"], 60)}
    )
    answer = np.where((table["colour"] == "red") ^ (table["size"] > 1), "yes", "no")
    files = {"survey": "answer", "customers": "churn", "table": "y"}
    for name, target in files.items():
        table.assign(**{target: answer}).to_csv(folder / f"{name}.csv", index=False)
    for name in ("new", "new_customers"):
        table[:5].to_csv(folder / f"{name}.csv", index=False)


def make_data_folder(folder):
    """Write a set that a paper's table needs, and one in the layout of the 121-set study."""
    rng = np.random.RandomState(1)
    X = rng.randn(40, 4).round(3)
    y = (X[:, 0] + 0.1 * rng.randn(40) > 0).astype(int)
    papers = folder / "data" / "papers_raw"
    papers.mkdir(parents=True)
    iris = pd.DataFrame(X, columns=list("abcd")).assign(target=y)
    iris.to_csv(papers / "iris.csv.gz", index=False)
    source = folder / "FOLDER" / "toy"
    source.mkdir(parents=True)
    lines = ["\tf1\tf2\tf3\tf4\tclase"]
    lines += ["\t".join(map(str, [n + 1, *row, label])) for n, (row, label) in enumerate(zip(X, y))]
    (source / "toy_R.dat").write_text("\n".join(lines) + "\n")
    halves = [" ".join(map(str, range(start, 40, 2))) for start in (0, 1)]
    (source / "conxuntos.dat").write_text("\n".join(halves) + "\n")
    (source / "conxuntos_kfold.dat").write_text("\n".join(halves * 4) + "\n")


def make_studies(folder):
    """Write a study file and the ledgers of an older and a newer version."""
    text = 'datasets = ["iris"]\nmethods = ["Majority", "LogisticRegression"]\nprotocol = "kfold"\n'
    (folder / "study.toml").write_text(text)
    run("kernsemble bench study.toml --ledger study.sqlite")
    for name in ("old", "new"):
        shutil.copy("study.sqlite", f"{name}.sqlite")


def run(line):
    """Run a command in this process; workers are processes of their own."""
    program, *arguments = shlex.split(line, comments=True)
    assert program == "kernsemble", line
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception!r}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with all that the commands name, and studies of few splits."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KERNSEMBLE_DATA", raising=False)
    for name, protocol in PROTOCOLS.items():
        monkeypatch.setitem(PROTOCOLS, name, replace(protocol, n_splits=2, inner_splits=2))
    monkeypatch.setattr(studies, "_QUICK_DATASETS", ("iris",))
    monkeypatch.setattr(studies, "_QUICK_METHODS", ["KernelRidge", "Majority"])
    make_tables(tmp_path)
    make_data_folder(tmp_path)
    python = tmp_path / "rivals" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page, block", BLOCKS)
def test_commands_run(folder, monkeypatch, page, block):
    if "LightGBM" in block:
        pytest.importorskip("lightgbm")
    if "old.sqlite" in block:
        make_studies(folder)
    if "reproduce" in block:
        monkeypatch.setenv("KERNSEMBLE_DATA", "data")
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("export "):
            monkeypatch.setenv(*line.removeprefix("export ").split("="))
        elif line not in PREPARED:
            run(line)
    assert list(folder.glob("*.html")) or not re.search(r"kernsemble (bench|report)", block)


def test_study_files_are_read(folder, monkeypatch):
    pytest.importorskip("catboost")
    whole, part = fenced("benchmarking.md", "toml")
    (folder / "more_sets.txt").write_text("wine xor\n")
    (folder / "guide.toml").write_text(whole)
    monkeypatch.setenv("KERNSEMBLE_DATA", "data")
    found = studies.read_study("guide.toml")
    assert list(found.datasets) == ["iris", "papers_raw/iris", "survey", "wine", "xor"]
    assert len(found.methods["MultiKMHKS"].grids) == 2 and found.limits.seconds == 600
    entries = tomllib.loads(part)["method"]
    assert entries["mine"].pop("class") == "package.module.MyClassifier"
    entries["mine"]["class"] = "sklearn.dummy.DummyClassifier"
    for name in entries:
        assert (
            os.path.basename(resolve_method(name, entries).check().python or "python") == "python"
        )
