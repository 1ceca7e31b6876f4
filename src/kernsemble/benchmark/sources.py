"""One data set by name or by path, as the protocols want it."""

import hashlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from kernsemble import datasets

from ..errors import UserError
from ..frames.tables import is_table_path, read_labelled


def dataset_label(name):
    """Return the name under which results of a data set are kept: a table's file name."""
    return Path(name).name.split(".")[0] if is_table_path(name) else str(name)


# A worker meets the cells of one data set one after another.
@lru_cache(maxsize=2)
def load_source(name):
    """Return a `Dataset` of a registered name, or of the table at a path (its last column)."""
    if is_table_path(name):
        data = _load_table(name, dataset_label(name))
    else:
        data = _load_registered(name)
    if len(np.unique(data.y)) < 2:
        raise UserError(f"{name} has only one class.")
    return data


def _load_table(path, label):
    read = read_labelled(path)
    X, y = read.X, read.y
    return datasets.Dataset(
        name=label,
        source="table",
        # Plain numbers need no column types, and arrays are much the faster.
        X=X if X.select_dtypes(exclude="number").shape[1] else X.to_numpy(dtype=float),
        y=y,
        feature_names=tuple(map(str, X.columns)),
    )


def _load_registered(name):
    try:
        return datasets.load(name)
    except (KeyError, FileNotFoundError, ValueError, OSError, pd.errors.ParserError) as error:
        path = datasets.find_file(name)
        if path is not None:
            # A set of the folder with columns that are no numbers is a table.
            with suppress(UserError):
                return _load_table(path, name)
        raise UserError(f"Data set {name} cannot be loaded: {error}") from error


@lru_cache(maxsize=2)
def data_digest(name):
    """Return a short digest of a data set's rows: results of other rows must not pass for these."""
    data = load_source(name)
    digest = hashlib.blake2b(digest_size=8)
    for part in (data.X, data.y):
        hashed = pd.util.hash_pandas_object(pd.DataFrame(part), index=False)
        digest.update(hashed.to_numpy().tobytes())
    return digest.hexdigest()
