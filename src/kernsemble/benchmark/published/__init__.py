"""What the papers print, and how their tables are run again.

A paper is called by its authors and year. ``<paper>.csv`` holds the printed figures, one a row, as
they are printed, with the papers' own slips; ``<paper>.toml`` its title, the registered names of
its data sets, the studies that make its tables again, and why some cannot be made.
"""

import tomllib
from functools import cache
from importlib.resources import files

import pandas as pd

__all__ = ["PAPERS", "published_scores", "read_paper", "read_published"]

PAPERS = ("nishida-2011", "wang-2013", "wang-2019", "zhang-suganthan-2017", "zvi-thesis")

# Rows for averages among the data sets.
_SUMMARIES = ("Average", "Average Accuracy", "Average Rank")


@cache
def read_paper(paper):
    """Return what the TOML file of a paper says."""
    return tomllib.loads((files(__name__) / f"{paper}.toml").read_text(encoding="utf-8"))


@cache
def read_published(paper):
    """Return what a paper prints, one row per number.

    Parameters
    ----------
    paper : str
        One of `PAPERS`, or "zhang-suganthan-2017-signs", the signs of the sign test in Table IV.
    """
    with (files(__name__) / f"{paper}.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype={"table": str, "note": str}, keep_default_na=False)


def published_scores(paper, *tables, column="value"):
    """Return the data sets × methods table that the given tables of a paper print together.

    Parameters
    ----------
    paper : str
    *tables : str
        Such as "table-5.9".
    column : {"value", "sd"}, default="value"

    Examples
    --------
    >>> published_scores("zvi-thesis", "table-5.9").shape
    (19, 5)
    """
    rows = read_published(paper)
    rows = rows[rows["table"].isin(tables) & ~rows["data"].isin(_SUMMARIES)]
    # A method that several tables repeat is one column.
    rows = rows.drop_duplicates(["data", "method"])
    return rows.pivot(index="data", columns="method", values=column).astype(float)
