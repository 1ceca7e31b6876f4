"""Tables with numbers, categories, dates and missing values: reading them from files."""

import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..errors import UserError, check_files, unknown_name
from .columns import (
    CATEGORY,
    as_kind,
    as_ruled,
    as_text,
    check_finite,
    is_date,
    settle,
    with_columns,
)
from .delimited import STANDARD_INPUT, check_names, read_text
from .dialect import Dialect
from .limits import MAX_BYTES
from .rules import LEAVE_OUT, Rules

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET = (".parquet",)


def is_table_path(name):
    """Return whether a data set's name is the path of a table rather than a registered name."""
    return str(name).lower().endswith(_CSV + _PARQUET)


class Training(NamedTuple):
    """A table with classes, as it was understood.

    Attributes
    ----------
    X : DataFrame
        Columns without a single value are left out.
    y : ndarray
        Classes; those of a text file are texts, as they are written.
    target : str
    kinds : dict
        Column of `X` → its kind.
    dialect : Dialect or None
        How a text file is written.
    n_dropped : int
        Number of rows without a class that were left out.
    """

    X: pd.DataFrame
    y: np.ndarray
    target: str
    kinds: dict
    dialect: Dialect | None = None
    n_dropped: int = 0


class TableFile:
    """A CSV, TSV or Parquet file whose header is known and whose columns can be read.

    Rows with more or fewer cells than the header, and columns without a name of their own, are
    refused with the place.

    Parameters
    ----------
    path : path-like
        "-" means a CSV or TSV table from standard input.
    max_bytes : int, default=2 GB
        Packed files that take more, unpacked, are refused.
    rules : Rules, default=None
        What the user says about the file.

    Attributes
    ----------
    names : list of str
        Names of the columns.
    dialect : Dialect or None
        How a text file is written.
    """

    def __init__(self, path, max_bytes=MAX_BYTES, rules=None):
        self.path = path = STANDARD_INPUT if str(path) == "-" else Path(path)
        self.rules = Rules() if rules is None else rules
        check_files("-" if path == STANDARD_INPUT else path)
        opened = _open_parquet if str(path).lower().endswith(_PARQUET) else _open_text
        self._parse: Any
        try:
            self.names, self._parse, self.dialect = opened(path, max_bytes, self.rules)
        except (ValueError, OSError) as error:
            raise UserError(f"{path} cannot be read as a table: {error}") from None
        if not self.names:
            raise UserError(f"{path} cannot be read as a table: it is empty.")
        self.rules.check_names(self.names, path)

    @property
    def decimal(self):
        return "." if self.dialect is None else self.dialect.decimal

    def frame(self, columns=None, text=()):
        """Return columns of the table as `columns.settle` has them, and their kinds.

        Parameters
        ----------
        columns : list of str, default=None
            The columns to read; None means all.
        text : iterable of str, default=()
            Columns whose cells are kept as they are written.
        """
        self._check_known(columns or ())
        ruled, kept = self.rules.kinds, set(text)
        frame = self._parse(columns or self.names, [*kept, *ruled])
        if frame.empty:
            raise UserError(f"{self.path} has no rows.")
        changed, kinds = {}, {}
        for name, column in frame.items():
            if name in kept:
                changed[name], kinds[name] = as_text(column, name, self.path), CATEGORY
            elif name in ruled and ruled[name] != LEAVE_OUT:
                changed[name], kinds[name] = as_ruled(
                    column, ruled[name], name, self.path, self.decimal
                )
            else:
                changed[name], kinds[name] = settle(column, name, self.path, self.decimal)
        frame = with_columns(frame, changed)
        check_finite(frame, self.path)
        return frame, kinds

    def _check_known(self, columns):
        for name in columns:
            if name not in self.names:
                raise unknown_name("column", name, self.names, f"in {self.path}")

    def known(self, kinds):
        """Return the columns of a fitted model, each of the kind it had in training.

        Parameters
        ----------
        kinds : dict
            Name of the column → its kind.
        """
        present = set(self.names)
        absent = [name for name in kinds if name not in present]
        if absent:
            raise UserError(f"{self.path} lacks columns of the model: {', '.join(absent)}.")
        text = [name for name, kind in kinds.items() if kind == CATEGORY or is_date(kind)]
        frame = self._parse(list(kinds), text)
        if frame.empty:
            raise UserError(f"{self.path} has no rows.")
        changed = {
            name: as_kind(frame[name], kind, name, self.path, self.decimal)
            for name, kind in kinds.items()
        }
        frame = with_columns(frame, changed)
        check_finite(frame, self.path)
        return frame

    def training(self, target=None, *, left_out=(), drop_missing_labels=False):
        """Return the table as features and classes.

        Parameters
        ----------
        target : str, default=None
            Column to predict; None means a column called "target", else the last one.
        left_out : iterable of str, default=()
            Columns that are no features, such as a key of the rows.
        drop_missing_labels : bool, default=False
            Whether rows without a class are left out rather than refused.

        Returns
        -------
        Training
        """
        if target is None:
            target = "target" if "target" in self.names else self.names[-1]
        self._check_known((target, *left_out))
        ruled_out = [name for name, rule in self.rules.kinds.items() if rule == LEAVE_OUT]
        names = [name for name in self.names if name not in {target, *left_out, *ruled_out}]
        if not names:
            raise UserError(f"{self.path} has no column beside the target {target}.")
        labels = self._parse([target], (target,))[target]
        missing = _missing_labels(labels, target, self.path, drop_missing_labels)
        X, kinds = self.frame(names)
        X, labels = (X[~missing], labels[~missing]) if missing.any() else (X, labels)
        y = _check_classes(labels, target, self.path)
        empty = [name for name in X if X[name].isna().all()]
        if len(empty) == X.shape[1]:
            raise UserError(f"Every column of {self.path} beside the target {target} is empty.")
        kinds = {name: kind for name, kind in kinds.items() if name not in empty}
        X = X.drop(columns=empty).reset_index(drop=True)
        return Training(X, y, target, kinds, self.dialect, int(missing.sum()))


def read_frame(path, columns=None, text=(), max_bytes=MAX_BYTES, rules=None):
    """Return the table in a file; see `TableFile.frame`."""
    return TableFile(path, max_bytes, rules).frame(columns, text)[0]


def read_labelled(path, target=None, max_bytes=MAX_BYTES, rules=None):
    """Return the table in a file as features and classes; see `TableFile.training`."""
    return TableFile(path, max_bytes, rules).training(target)


def _open_text(path, max_bytes, rules):
    content, names, dialect = read_text(path, max_bytes, rules)

    def parse(columns, text):
        # With a decimal comma, points group digits, so that no cell is a number by itself.
        text = columns if dialect.decimal == "," else [name for name in text if name in columns]
        try:
            return pd.read_csv(
                io.BytesIO(content),
                sep=dialect.separator,
                header=0,
                names=names,
                usecols=columns,
                index_col=False,
                dtype=dict.fromkeys(text, str),
                # Which words mean a missing value depends on the kind of the column, and whether
                # it has a kind at all is known when every cell was seen.
                keep_default_na=False,
                na_values=[""],
                low_memory=False,
            )[columns]
        except ValueError as error:
            raise UserError(f"{path} cannot be read as a table: {error}") from None

    return names, parse, dialect


def _open_parquet(path, max_bytes, rules):
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise UserError(f"Reading {path} needs the package pyarrow.") from None
    try:
        file = parquet.ParquetFile(path)
    except ArrowException as error:
        raise ValueError(error) from None
    schema = file.schema_arrow
    index = (schema.pandas_metadata or {}).get("index_columns", ())
    names = check_names([name for name in schema.names if name not in index], str(path))
    n_bytes = 8 * file.metadata.num_rows * len(names)
    if n_bytes > max_bytes:
        raise UserError(
            f"{path} unpacks to {n_bytes / 1e9:.1f} GB, and the limit is {max_bytes / 1e9:g} GB; "
            "raise it with --max-size if you know where the file is from."
        )

    def parse(columns, text):
        try:
            return file.read(columns=columns).to_pandas(ignore_metadata=True)[columns]
        except (ArrowException, ValueError, OSError) as error:
            raise UserError(f"{path} cannot be read as a table: {error}") from None

    return names, parse, None


def _missing_labels(labels, target, path, may_drop):
    """Return which rows have no class."""
    if not pd.api.types.is_numeric_dtype(labels):
        labels = as_text(labels, target, path)
    missing = labels.isna()
    if missing.all():
        raise UserError(f"{path} has no rows." if labels.empty else f"Column {target} is empty.")
    if missing.any() and not may_drop:
        raise UserError(
            f"{int(missing.sum())} rows of {path} have no value of {target}; leave them out "
            "with --drop-missing-labels."
        )
    return missing


def _check_classes(y, target, path):
    """Return the classes in the target column."""
    if not pd.api.types.is_numeric_dtype(y):
        y = as_text(y, target, path)
    classes = pd.Series(y.unique())
    if len(classes) < 2:
        raise UserError(f"{path} has only one class, {y.iloc[0]!r}, in column {target}.")
    numbers = pd.to_numeric(classes, errors="coerce")
    if not numbers.isna().any() and np.any(numbers != numbers.round()):
        raise UserError(f"Column {target} of {path} holds fractions; a classifier needs classes.")
    return y.to_numpy(dtype=None if pd.api.types.is_numeric_dtype(y) else object)
