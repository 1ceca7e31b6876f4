"""From ledger rows to the tables that statistics and the report read."""

from typing import NamedTuple

import pandas as pd

from ..errors import UserError
from .cell import TUNING_SPLIT

__all__ = ["Comparison", "compare", "mean_table", "tested_rows"]

# A method that failed on more data sets than this is reported but not ranked.
_MAX_FAILED_SHARE = 0.2


class Comparison(NamedTuple):
    """A complete table of scores, and what had to be left out of it."""

    scores: pd.DataFrame
    left_out_methods: list
    left_out_datasets: list


def tested_rows(results, protocol=None):
    """Return the rows of tested splits under one protocol; None means the only one there is."""
    names = sorted(results["protocol"].unique())
    if not names:
        raise UserError("The ledger holds no results yet.")
    if protocol is None and len(names) > 1:
        raise UserError(
            f"The ledger holds results of several protocols: choose one of {', '.join(names)}."
        )
    protocol = names[0] if protocol is None else protocol
    if protocol not in names:
        raise UserError(f"The ledger holds no results of the protocol {protocol}.")
    return results[(results["protocol"] == protocol) & (results["split"] != TUNING_SPLIT)]


def mean_table(rows, value="accuracy"):
    """Return data sets × methods: the mean over splits and seeds, empty where a split failed."""
    grouped = rows.groupby(["dataset", "method"])[value]
    # A mean over the splits that happened to succeed is no fair score.
    means = grouped.mean().where(grouped.count() == grouped.size())
    return means.unstack("method")


def compare(table):
    """Return the complete part of a table that methods can be ranked on."""
    failed = table.isna().mean()
    left_out = list(table.columns[failed > _MAX_FAILED_SHARE])
    kept = table.drop(columns=left_out)
    scores = kept.dropna()
    return Comparison(scores, left_out, [name for name in kept.index if name not in scores.index])
