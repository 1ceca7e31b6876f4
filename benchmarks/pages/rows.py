"""The committed rows of the studies, one CSV file each, in one format.

Columns: dataset, method, protocol, split and seed say which cell of a ledger a row is; accuracy (a
share) and other measures follow; commit is that of the code, or the one that last wrote the row
where rows are older than the format.
"""

from functools import cache

import numpy as np
import pandas as pd

from kernsemble.benchmark.cell import TUNING_SPLIT
from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.results import mean_table

from .blocks import ROOT

FOLDER = ROOT / "docs" / "results" / "rows"
KEY = ["dataset", "method", "protocol", "split", "seed"]
MEASURES = ["n_rows", "accuracy", "log_loss", "seconds", "params"]


@cache
def _read(study):
    return pd.read_csv(FOLDER / f"{study}.csv", dtype={"split": str, "params": str, "commit": str})


def read_rows(study, protocol=None):
    """Return the rows of a study, of one protocol or of all."""
    rows = _read(study)
    return rows if protocol is None else rows[rows["protocol"] == protocol]


def means(rows, column="accuracy"):
    """Return data sets × methods: the mean over splits and seeds, empty where one is missing."""
    found = mean_table(rows, column)
    # Rows have six digits, and their means must tie where the exact ones do. The first rounding
    # takes away what the order of a sum has left, so that halves are rounded one way everywhere.
    return found.round(10).round(5)


@cache
def development_sets():
    """Return the sets that the design of the library has seen: those of MRSKL's level one."""
    return frozenset(read_rows("nishida-2011", "level-one")["dataset"])


def is_development(names):
    """Return which data sets the design has seen."""
    return np.array([name in development_sets() for name in names])


def add_ledger(path, study, commit="unknown"):
    """Put the rows of a ledger into the CSV file of a study; return how many it has then.

    A row replaces the one of the same cell. Measures that the file does not have are left out, and
    `commit` is that of rows whose ledger does not tell it.
    """
    with Ledger(path, must_exist=True) as ledger:
        rows = ledger.results()
    rows = rows[rows["failure"].isna() & (rows["split"] != TUNING_SPLIT)]
    # The files have no column for samples of the training part.
    rows = rows[rows["train_rows"] == 0]
    seconds = rows[["tune_seconds", "fit_seconds", "predict_seconds"]].sum(axis=1)
    commits = rows["code"].fillna(commit) if "code" in rows else commit
    rows = rows.assign(commit=commits, n_rows=rows["n_train"] + rows["n_test"])
    rows = rows.assign(commit=rows["commit"].str[:9], seconds=seconds.round(2))
    if "fit_cpu_seconds" in rows:
        processor = rows[["fit_cpu_seconds", "predict_cpu_seconds"]].sum(axis=1, min_count=2)
        rows = rows.assign(cpu_seconds=processor.round(3))
    target = FOLDER / f"{study}.csv"
    old = pd.read_csv(target, dtype=str) if target.exists() else pd.DataFrame()
    columns = list(old) or [*KEY, *MEASURES, "commit"]
    new = rows.reindex(columns=columns).map(_as_text)
    kept = pd.concat([new, old.fillna("")]).drop_duplicates(KEY)
    kept.sort_values(KEY, kind="stable").to_csv(target, index=False)
    _read.cache_clear()
    return len(kept)


def _as_text(value):
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.6g}"
    return str(value)
