"""Blocks of faults.md about edges and random input, from the rows of edge_probes.py and fuzz.py."""

import re
from functools import cache

import pandas as pd

from .blocks import block, table
from .rows import FOLDER

PROBES = {
    "one_row_a_class": "2,000 classes of one row",
    "many_classes": "10,000 classes of two rows",
    "five_distinct_rows": "200,000 rows, 5 distinct",
    "many_columns": "3 rows, 100,000 columns",
}
FUZZED = {
    "frames": "frames of every type of column, through every classifier",
    "tables": "bytes and tables, through the reader of files",
    "ledgers": "ledgers with other bytes, values and tables",
    "model_files": "model files with flipped bytes, and with parts changed and signed again",
}


@cache
def _rows(name):
    return pd.read_csv(FOLDER / f"{name}.csv", keep_default_na=False)


def _cell(row):
    if row.outcome == "refused":
        return "refused"
    used = f"{float(row.seconds):.0f} s" if row.outcome != "time" else "over 300 s"
    memory = f", {float(row.gigabytes):.1f} GB" if row.gigabytes != "" else ""
    return used + memory if row.outcome in ("fitted", "time") else row.outcome


@block("faults.edges")
def edges():
    rows = _rows("edge-probes")
    cells = {(row.classifier, row.probe): _cell(row) for row in rows.itertuples()}
    names = sorted(set(rows["classifier"]))
    lines = [[name, *(cells.get((name, probe), "–") for probe in PROBES)] for name in names]
    counts = rows["outcome"].value_counts()
    told = ", ".join(
        f"{counts.get(outcome, 0)} {words}"
        for outcome, words in {
            "fitted": "fitted",
            "refused": "refused with sizes and a remedy",
            "time": "went on for more than 300 s in bounded memory",
        }.items()
    )
    bad = counts.drop(["fitted", "refused", "time"], errors="ignore").sum()
    return f"""
{len(rows)} of {len(PROBES) * len(names)} probes have run: {told}; {bad} ended in another way.

{table(["", *PROBES.values()], lines)}
"""


@block("faults.fuzz")
def fuzz():
    rows = _rows("fuzz")
    kinds = rows["test"].map(lambda name: re.search(r"test_fuzzed_(\w+)\.py", name)[1])
    lines = []
    for kind, words in FUZZED.items():
        some = rows[kinds == kind]
        passed = (some["outcome"] == "passed").sum()
        lines.append([words, str(len(some)), str(passed), f"{some['examples'].sum():,}"])
    passed = (rows["outcome"] == "passed").sum()
    lines.append(["all", str(len(rows)), str(passed), f"{rows['examples'].sum():,}"])
    return table(["", "tests run", "passed", "examples"], lines)
