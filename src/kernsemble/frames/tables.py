"""Tables with numbers, categories and missing values: reading them, and features made of them."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..errors import UserError, unknown_name
from .columns import CATEGORY, as_text, check_finite, kind_of, settle, with_columns
from .delimited import check_names, read_text, separator_of
from .limits import MAX_BYTES

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET = (".parquet",)

# Rarer categories than this share one column: a column of names must not become a column per row.
_MAX_CATEGORIES = 50


def is_table_path(name):
    """Return whether a data set's name is the path of a table rather than a registered name."""
    return str(name).lower().endswith(_CSV + _PARQUET)


def read_frame(path, columns=None, text=(), max_bytes=MAX_BYTES):
    """Return the table in a CSV, TSV or Parquet file, its columns as `columns.settle` has them.

    Rows with more or fewer cells than the header, columns without a name of their own and
    infinite numbers are refused, with the place.

    Parameters
    ----------
    path : path-like
    columns : list of str, default=None
        The columns to read; None means all.
    text : iterable of str, default=()
        Columns whose cells are kept as they are written.
    max_bytes : int, default=2 GB
        Packed files that take more, unpacked, are refused.
    """
    path = Path(path)
    names, parse = _open(path, max_bytes)
    known = set(names)
    absent = [name for name in columns or () if name not in known]
    if absent:
        raise UserError(f"{path} lacks columns of the model: {', '.join(absent)}.")
    return _settled(parse(columns or names, text), text, path)


def read_labelled(path, target=None, max_bytes=MAX_BYTES):
    """Return the table in a file as features and classes.

    Parameters
    ----------
    path : path-like
    target : str, default=None
        Column to predict; None means a column called "target", else the last one.
    max_bytes : int, default=2 GB
        Packed files that take more, unpacked, are refused.

    Returns
    -------
    X : DataFrame
        Columns without a single value are left out.
    y : ndarray
        Classes of a text file are texts, as they are written.
    target : str
    """
    path = Path(path)
    names, parse = _open(path, max_bytes)
    if target is None:
        target = "target" if "target" in names else names[-1]
    if target not in names:
        raise unknown_name(f"column in {path}", target, names)
    if len(names) < 2:
        raise UserError(f"{path} has no column beside the target {target}.")
    frame = parse(names, (target,))
    y = _check_classes(frame[target], target, path)
    X = _settled(frame.drop(columns=target), (), path)
    empty = [name for name in X if X[name].isna().all()]
    if len(empty) == X.shape[1]:
        raise UserError(f"Every column of {path} beside the target {target} is empty.")
    return X.drop(columns=empty), y, target


def _open(path, max_bytes):
    """Return the names of a table's columns, and the function that reads some of them."""
    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    opened = _open_parquet if path.name.lower().endswith(_PARQUET) else _open_text
    try:
        names, parse = opened(path, max_bytes)
    except (ValueError, OSError) as error:
        raise UserError(f"{path} cannot be read as a table: {error}") from None
    if not names:
        raise UserError(f"{path} cannot be read as a table: it is empty.")
    return names, parse


def _open_text(path, max_bytes):
    content, names = read_text(path, max_bytes)

    def parse(columns, text):
        try:
            return pd.read_csv(
                io.BytesIO(content),
                sep=separator_of(path),
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

    return names, parse


def _open_parquet(path, max_bytes):
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

    return names, parse


def _settled(frame, text, path):
    if frame.empty:
        raise UserError(f"{path} has no rows.")
    kept = set(text)
    changed = {
        name: (as_text if name in kept else settle)(frame[name], name, path)
        for name, dtype in frame.dtypes.items()
        if name in kept or kind_of(dtype) == CATEGORY
    }
    frame = with_columns(frame, changed)
    check_finite(frame, path)
    return frame


def _check_classes(y, target, path):
    """Return the classes in the target column."""
    if not pd.api.types.is_numeric_dtype(y):
        y = as_text(y, target, path)
    if y.empty:
        raise UserError(f"{path} has no rows.")
    if y.isna().any():
        raise UserError(f"{int(y.isna().sum())} rows of {path} have no value of {target}.")
    classes = pd.Series(y.unique())
    if len(classes) < 2:
        raise UserError(f"{path} has only one class, {y.iloc[0]!r}, in column {target}.")
    numbers = pd.to_numeric(classes, errors="coerce")
    if not numbers.isna().any() and np.any(numbers != numbers.round()):
        raise UserError(f"Column {target} of {path} holds fractions; a classifier needs classes.")
    return y.to_numpy(dtype=None if pd.api.types.is_numeric_dtype(y) else object)


def make_features(X, standardize=True):
    """Return an unfitted transformer from rows like `X` to numbers, none of them missing.

    Numeric columns are standardised and missing values replaced by the mean, with a column that
    says where they were; categories become indicator columns, unknown ones all zero. It must be
    fitted on training rows alone; only column types are read here.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", None]})
    >>> make_features(table).fit_transform(table).shape
    (3, 5)
    """
    if not isinstance(X, pd.DataFrame):
        return _numeric(standardize)
    numbers = [column for column, dtype in X.dtypes.items() if kind_of(dtype) != CATEGORY]
    categories = [column for column, dtype in X.dtypes.items() if kind_of(dtype) == CATEGORY]
    for column in categories:
        if pd.api.types.is_datetime64_any_dtype(X[column]):
            raise UserError(f"Column {column} holds dates; turn it into numbers first.")
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MAX_CATEGORIES, sparse_output=False
    )
    return ColumnTransformer(
        [("numbers", _numeric(standardize), numbers), ("categories", one_hot, categories)],
        verbose_feature_names_out=False,
    )


def _numeric(standardize):
    # The scaler passes missing values on, so the mean is 0 behind it and indicators stay 0 or 1.
    imputer = SimpleImputer(strategy="mean", add_indicator=True)
    return make_pipeline(StandardScaler(), imputer) if standardize else make_pipeline(imputer)
