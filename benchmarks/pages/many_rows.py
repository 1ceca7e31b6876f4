"""Blocks of large_sets.md about made tables of very many rows, from what many_rows.py printed."""

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


@block("many-rows.summary")
def summary():
    rows = _rows()
    loss, cost = _wide(rows, "log_loss"), _wide(rows, "processor_s")
    said = []
    for rival in RIVALS:
        ratio = (cost[OURS] / cost[rival]).median()
        said.append(
            f"{(loss[OURS] < loss[rival]).sum()} of {len(loss)} against {rival} at {ratio:.2g} "
            "times its processor time (median)"
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


@block("many-rows.tables")
def tables():
    rows = _rows()
    loss, cost = _wide(rows, "log_loss"), _wide(rows, "seconds")
    best = rows.groupby(["table", "rows"])["best"].first()
    names, lines = [OURS, *RIVALS], []
    for name, n_rows in loss.index:
        cells = [
            f"{loss.loc[name, n_rows][m]:.4f}, {cost.loc[name, n_rows][m]:.0f} s" for m in names
        ]
        mark = " *" if name in SEEN else ""
        lines.append([f"{name}{mark}", f"{n_rows:,}", f"{best[name, n_rows]:.4f}", *cells])
    return table(["", "rows", "best possible", *names], lines)
