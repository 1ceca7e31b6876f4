"""What the tests of the benchmark share."""

import os
from pathlib import Path

import pytest

from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.methods import Method
from kernsemble.benchmark.study import make_study
from kernsemble.benchmark.worker import Limits

SOURCES = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture(autouse=True)
def _workers_find_their_modules(monkeypatch):
    """Worker processes import this checkout and the troublesome classifiers."""
    here = Path(__file__).resolve().parent
    paths = [str(SOURCES), str(here), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


@pytest.fixture
def make_troubled():
    """Return a study of iris with classifiers of `troublesome` beside a good one."""

    def make(*names, n_splits=1, **limits):
        study = make_study(
            ["iris"],
            ["Majority"],
            "monte-carlo",
            protocol_options={"n_splits": n_splits},
            limits=Limits(**limits),
        )
        for name in names:
            study.methods[name] = Method(name, f"troublesome.{name}")
        return study

    return make
