"""Figures printed in the papers, as data: what `kernsemble reproduce` compares with.

``000`` to ``004`` are the five papers (the module `kernsemble.benchmark.reproduce` names them).
Values are as printed, with the papers' own slips.
"""

from importlib.resources import files

import pandas as pd

__all__ = ["published_scores", "read_published"]

# 001 prints rows for averages among the data sets.
_SUMMARIES = ("Average", "Average Accuracy", "Average Rank")


def read_published(paper):
    """Return what a paper prints, one row per number.

    Parameters
    ----------
    paper : {"000", "001", "002", "003", "003_signs", "004"}
        "003_signs" is Table IV of 003, the signs of its sign test.
    """
    with (files(__name__) / f"{paper}.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype={"table": str, "note": str}, keep_default_na=False)


def published_scores(paper, *tables):
    """Return the data sets × methods table that the given tables of a paper print together.

    Examples
    --------
    >>> published_scores("001", "5.9").shape
    (19, 5)
    """
    rows = read_published(paper)
    rows = rows[rows["table"].isin(tables) & ~rows["data"].isin(_SUMMARIES)]
    # A method that several tables repeat is one column.
    rows = rows.drop_duplicates(["data", "method"])
    return rows.pivot(index="data", columns="method", values="value").astype(float)
