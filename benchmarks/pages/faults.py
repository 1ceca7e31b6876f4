"""Blocks of faults.md, from the rows that benchmarks/faults/mutants.py wrote."""

from functools import cache

import pandas as pd

from .blocks import ROOT, block, table
from .rows import FOLDER

PARTS = {
    "solvers/": "solvers",
    "members/": "members",
    "trees/": "boosted trees",
    "combine.py": "combination",
    "calibration.py": "calibration",
    "benchmark/": "statistics of the benchmark",
}


@cache
def _rows():
    rows = pd.read_csv(FOLDER / "faults.csv", keep_default_na=False)
    parts = rows["module"].map(lambda name: next(PARTS[p] for p in PARTS if name.startswith(p)))
    # pandas reads the words True and False as truth values.
    return rows.assign(part=parts)


def _share(rows):
    return f"{100 * rows['noticed'].mean():.1f} %"


def _left_out(rows):
    """Return the modules of the same folders that have no row, in text."""
    package = ROOT / "src" / "kernsemble"
    paths = [path for part in ("solvers", "members") for path in (package / part).glob("*.py")]
    names = {path.relative_to(package).as_posix() for path in paths if path.stem != "__init__"}
    return ", ".join(sorted(names - set(rows["module"]))) or "none"


@block("faults.summary")
def summary():
    rows = _rows()
    left = rows[~rows["noticed"]]
    same = left["reason"].str.startswith("same answer")
    others = len(rows) - same.sum()
    endless = rows["noticed"] & rows["reason"].str.startswith("stopped after")
    return f"""
* {len(rows)} faults were put into {rows["module"].nunique()} modules, one at a time; the tests \
noticed {rows["noticed"].sum()} of them, {_share(rows)}; {endless.sum()} of these because the \
tests did not come to an end.
* {len(left)} survived, listed below with the reason; {same.sum()} of these change no answer. \
Of the {others} others {100 * rows["noticed"].sum() / others:.1f} % were noticed.
* A fault swaps a comparison, an arithmetic sign, "and" and "or", negates a condition or shifts a \
number.
* They are a random sample of {rows["possible"].groupby(rows["module"]).first().sum():,} that are \
possible; modules in which none was drawn yet: {_left_out(rows)}.
* A test that ends a survivor is better than a reason: the script runs survivors without one again.
"""


@block("faults.parts")
def parts():
    rows = _rows()
    groups = [(name, rows[rows["part"] == name]) for name in PARTS.values()]
    lines = [
        [
            name,
            str(some["module"].nunique()),
            str(len(some)),
            str(some["noticed"].sum()),
            _share(some),
        ]
        for name, some in groups
        if len(some)
    ]
    return table(["", "modules", "faults", "noticed", "share"], lines)


@block("faults.survivors")
def survivors():
    left = _rows()[lambda rows: ~rows["noticed"]]
    lines = [
        [f"{row.module}, line {row.line}", f"`{row.code}`", row.fault, row.reason]
        for row in left.itertuples()
    ]
    return table(["where", "code", "fault", "why it survived"], lines)
