"""Blocks of large_sets.md about made tables of very many rows, from what many_rows.py printed."""

import numpy as np
import pandas as pd

from .blocks import block, table
from .rows import FOLDER

OURS, RIVALS = "KernelEnsemble", ("CatBoost", "LightGBM", "HistGradientBoosting")
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
    largest = rows[(rows["method"] == OURS) & (rows["rows"] == rows["rows"].max())]
    return (
        f"A million rows of made tables take {largest['seconds'].min():.0f} to "
        f"{largest['seconds'].max():.0f} s on two cores. With these and with 200,000 its log-loss "
        f"is lower than\nLightGBM's on {wins['LightGBM']} of {len(loss)} and than CatBoost's on "
        f"{wins['CatBoost']}, at {(cost[OURS] / cost['CatBoost']).median():.1f} times CatBoost's "
        "time (median)."
    )


@block("many-rows.summary")
def summary():
    rows = _rows()
    loss, cost = _wide(rows, "log_loss"), _wide(rows, "processor_s")
    said = []
    for rival in RIVALS:
        ratio, known = (cost[OURS] / cost[rival]).median(), loss[rival].notna().sum()
        said.append(
            f"{(loss[OURS] < loss[rival]).sum()} of {known} against {rival} at {ratio:.2g} times "
            "its processor time (median)"
        )
    ours = rows[rows["method"] == OURS]
    gap = 100 * (ours["honest_log_loss"] / ours["log_loss"] - 1)
    largest = ours[ours["rows"] == ours["rows"].max()]
    return f"""
* Lower log-loss on {"; ".join(said)}.
* Fits of {ours["rows"].max():,} rows take {largest["seconds"].min():.0f} to \
{largest["seconds"].max():.0f} s with two threads.
* `honest_log_loss_` differs from that of new rows by {gap.median():+.1f} % (median).
"""


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
