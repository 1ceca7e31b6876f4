"""Turn the rows of a ledger into the tables that the statistics and the report read."""

from typing import NamedTuple

import pandas as pd

from ..errors import UserError
from .cell import TUNING_SPLIT

# A method that lacks results on a larger share of the data sets is reported but not ranked.
_MAX_MISSING_SHARE = 0.2


class Comparison(NamedTuple):
    """A table of scores without gaps, and what had to be left out for that."""

    scores: pd.DataFrame
    left_out_methods: list
    left_out_datasets: list


def tested_rows(results, protocol=None):
    """Return the results of test splits under one protocol; None means the only one there is."""
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
    """Return the mean over splits and seeds, data sets × methods, empty where one has no value.

    A mean over the splits that happened to succeed is no fair score. So a method has a mean on a
    data set only if it has a value for every split and seed that any method has run there.
    """
    grouped = rows.groupby(["dataset", "method"])[value]
    wanted = rows.drop_duplicates(["dataset", "split", "seed"]).groupby("dataset").size()
    means = grouped.mean().where(grouped.count().eq(wanted, level="dataset"))
    return means.unstack("method")


def compare(table):
    """Return the part of a table on which methods can be ranked."""
    missing = table.isna().mean()
    left_out = list(table.columns[missing > _MAX_MISSING_SHARE])
    kept = table.drop(columns=left_out)
    scores = kept.dropna()
    return Comparison(scores, left_out, [name for name in kept.index if name not in scores.index])
