"""Turn the rows of a ledger into the tables that the statistics and the report read.

A row of `Ledger.results` is a cell. Its column `train_rows` is the number of rows that were drawn
from the training part for it; 0 means the whole training part, and `n_train` is the number of rows
that were used. Where a study has several sizes (``--rows 500 2000``), the samples of a split
are nested, each with the classes in the shares of the training part; a size that a training part
does not have is its whole, `train_rows` 0. `tested_rows` keeps the largest size of every data set,
which is what methods are compared by, and `learning_rows` keeps all sizes, for learning curves over
`n_train`.

`Ledger.datasets` has a row for every data set, by its label:

=====================  ======================================================================
``n_rows``             rows, those of training and of test
``n_columns``          columns beside the target
``n_classes``          classes
``majority_share``     share of the rows of the largest class
``minority_share``     share of the rows of the smallest class
``categorical_share``  share of the columns that hold categories or truth values
``missing_share``      share of the cells that are missing
=====================  ======================================================================

Data sets whose cells were all run by an older kernsemble are missing there.
"""

from typing import NamedTuple

import numpy as np
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
    """Return the results of test splits under one protocol, by the largest size of each data set.

    Parameters
    ----------
    results : DataFrame
        Of `Ledger.results`.
    protocol : str, default=None
        None means the only one there is.
    """
    rows = learning_rows(results, protocol)
    if "train_rows" not in rows:
        return rows
    # The whole training part, 0, is larger than any sample of it.
    size = rows["train_rows"].where(rows["train_rows"] > 0, np.inf)
    return rows[size == size.groupby(rows["dataset"]).transform("max")]


def learning_rows(results, protocol=None):
    """Return the results of test splits under one protocol, with samples of all sizes."""
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


def typical_values(rows, columns):
    """Return methods × columns: geometric means over data sets of the means of their cells.

    Large data sets do not dominate them. Values of zero count as a nanosecond; where all are zero,
    so is the mean.
    """
    cells = rows.groupby(["method", "dataset"])[columns].mean()
    means = np.exp(np.log(cells.clip(lower=1e-9)).groupby("method").mean())
    return means.where(means.isna() | (means > 1e-8), 0.0)


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


def learning_curves(rows, value, methods):
    """Return the mean of a measure by the number of training rows.

    Parameters
    ----------
    rows : DataFrame
        Of `learning_rows`.
    value : str
        Name of the measure.
    methods : list of str

    Returns
    -------
    DataFrame
        Training rows × methods: means over the data sets on which all of the methods have results
        of the same sizes. It is empty where a study has one size, or where there is no such data
        set; `attrs["n_datasets"]` is their number, and `attrs["left_out"]` has the others.
    """
    sizes = rows.get("train_rows", pd.Series(0, index=rows.index))
    if sizes.nunique() < 2 or not methods:
        return pd.DataFrame()
    tables = {
        size: mean_table(part, value).reindex(columns=methods).dropna()
        for size, part in rows.groupby(sizes)
    }
    kept, common = _same_sizes({size: set(table.index) for size, table in tables.items()})
    if not kept:
        return pd.DataFrame()
    used = rows[rows["dataset"].isin(common) & sizes.isin(kept)]
    n_train = used.groupby(sizes[used.index])["n_train"].mean()
    curves = pd.DataFrame(
        {n_train[size]: tables[size].loc[common].mean() for size in n_train.index}
    )
    found = curves.T.sort_index()
    found.attrs["n_datasets"] = len(common)
    found.attrs["left_out"] = sorted(set(rows["dataset"]) - set(common))
    return found


def _same_sizes(datasets):
    """Return the sizes and the data sets that have all of them, as many cells as possible.

    A mean over other data sets at another size would be no curve. A small data set lacks the
    larger sizes, so it costs either these sizes or itself; of two equal losses, sizes are kept.

    Parameters
    ----------
    datasets : dict
        Size → names of the data sets with results of it.
    """
    every = set().union(*datasets.values())
    choices = {
        frozenset(size for size, names in datasets.items() if name in names) for name in every
    }
    choices |= {frozenset.intersection(*choices)} if choices else set()
    kept: list = []
    common: list = []
    # One size is no curve.
    for sizes in sorted((choice for choice in choices if len(choice) > 1), key=sorted):
        names = sorted(name for name in every if all(name in datasets[size] for size in sizes))
        if (len(sizes) * len(names), len(sizes)) > (len(kept) * len(common), len(kept)):
            kept, common = sorted(sizes), names
    return kept, common
