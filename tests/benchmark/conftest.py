"""What the tests of the benchmark share."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
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
def mixed_table(tmp_path):
    """Return the path of a table with numbers, categories and holes."""
    rng = np.random.RandomState(0)
    size = rng.randn(90)
    colour = rng.choice(["red", "green", "blue"], 90)
    label = np.where(size + (colour == "red") > 0.3, "yes", "no")
    table = pd.DataFrame({"size": size, "colour": colour, "count": rng.randint(0, 9, 90)})
    table.loc[::7, "size"] = np.nan
    table.loc[::11, "colour"] = None
    table["label"] = label
    path = tmp_path / "mixed.csv"
    table.to_csv(path, index=False)
    return path


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
