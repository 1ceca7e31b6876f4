"""Blocks of many_rows.md, from what benchmarks/accuracy/many_rows.py printed."""

import numpy as np
import pandas as pd

from .blocks import block, table
from .rows import FOLDER

OURS, RIVALS = "KernelEnsemble", ("CatBoost", "LightGBM", "HistGradientBoosting")
# The flagship of an earlier commit, whose boosted trees saw 50,000 rows.
BEFORE = "KernelEnsemble, trees on 50,000 rows"
# The tables on which the handling of very many rows was designed.
SEEN = ("rules", "waves", "clusters", "levels")


def _rows():
    return pd.read_csv(FOLDER / "many-rows.csv")


def _wide(rows, column):
    return rows.pivot_table(index=["table", "rows"], columns="method", values=column, sort=False)


@block("many-rows.headline")
def headline():
    """The claim of the README."""
    rows = _rows()
    loss, cost = _wide(rows, "log_loss"), _wide(rows, "processor_s")
    wins = {rival: (loss[OURS] < loss[rival]).sum() for rival in RIVALS[:2]}
    worst = 100 * (loss[OURS] / loss["CatBoost"] - 1).max()
    largest = rows[(rows["method"] == OURS) & (rows["rows"] == rows["rows"].max())]
    return (
        f"A million rows of made tables take {largest['seconds'].min():.0f} to "
        f"{largest['seconds'].max():.0f} s on two cores. With these and with 200,000 its log-loss "
        f"is lower than\nLightGBM's on {wins['LightGBM']} of {len(loss)} and than CatBoost's on "
        f"{wins['CatBoost']} (elsewhere {worst:.1f} % above it at most), at "
        f"{(cost[OURS] / cost['CatBoost']).median():.1f} times\nCatBoost's time (median)."
    )


@block("many-rows.summary")
def summary():
    rows = _rows()
    loss, cost = _wide(rows, "log_loss"), _wide(rows, "processor_s")
    said = []
    for rival in RIVALS:
        ratio, known = (cost[OURS] / cost[rival]).median(), loss[rival].dropna().index
        change = 100 * (loss[OURS] / loss[rival] - 1)[known]
        said.append(
            f"* Lower log-loss than {rival}'s on {(change < 0).sum()} of {len(known)}, from "
            f"{_apart(change.min())} to {_apart(change.max())}, at {ratio:.2g} times its processor "
            "time (median)."
        )
    ours = rows[rows["method"] == OURS]
    gap = 100 * (ours["honest_log_loss"] / ours["log_loss"] - 1)
    largest = ours[ours["rows"] == ours["rows"].max()]
    rivals = "\n".join(said)
    return f"""
{rivals}
* Fits of {ours["rows"].max():,} rows take {largest["seconds"].min():.0f} to \
{largest["seconds"].max():.0f} s with two threads.
* `honest_log_loss_` differs from that of new rows by {gap.median():+.1f} % (median).
"""


@block("many-rows.before")
def before():
    """What it is worth that boosted trees see all rows."""
    loss = _wide(_rows(), "log_loss").dropna(subset=[BEFORE])
    change = 100 * (loss[OURS] / loss[BEFORE] - 1)
    return (
        f"{len(change)} of these fits were measured while trees saw 50,000 rows, too. Their "
        f"log-loss is\nnow {_apart(change.max())} to {_apart(change.min())} what it was then, in "
        f"the median {_apart(change.median())}."
    )


def _apart(change):
    return f"{abs(change):.1f} % {'above' if change > 0 else 'below'}"


def _cell(loss, seconds):
    return "refused" if np.isnan(loss) else f"{loss:.4f}, {seconds:.0f} s"


@block("many-rows.tables")
def tables():
    rows = _rows()
    loss, cost = _wide(rows, "log_loss"), _wide(rows, "seconds")
    best = rows.groupby(["table", "rows"])["best"].first()
    names, lines = [OURS, *RIVALS], []
    for name, n_rows in loss.index:
        cells = [_cell(loss.loc[name, n_rows][m], cost.loc[name, n_rows][m]) for m in names]
        mark, least = " *" if name in SEEN else "", best[name, n_rows]
        known = "" if np.isnan(least) else f"{least:.4f}"
        lines.append([f"{name}{mark}", f"{n_rows:,}", known, *cells])
    return table(["", "rows", "best possible", *names], lines)
