"""Tables with numbers, categories and holes: reading them, and features made from training rows."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..errors import UserError, unknown_name

__all__ = ["is_table_path", "make_features", "read_frame", "split_target"]

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET = (".parquet",)

# Rarer categories than this share one column: a column of names must not become a column per row.
_MAX_CATEGORIES = 50


def is_table_path(name):
    """Return whether a data set's name is the path of a table rather than a registered name."""
    return str(name).lower().endswith(_CSV + _PARQUET)


def read_frame(path):
    """Return the table in a CSV, TSV or Parquet file."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    try:
        if path.name.lower().endswith(_PARQUET):
            frame = pd.read_parquet(path)
        else:
            separator = "\t" if ".tsv" in path.name.lower() else ","
            frame = pd.read_csv(path, sep=separator)
    except ImportError:
        raise UserError(f"Reading {path} needs the package pyarrow.") from None
    except (ValueError, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as a table: {error}") from None
    if frame.empty:
        raise UserError(f"{path} has no rows.")
    return frame


def split_target(frame, target=None, name="the table"):
    """Return features and target of a table.

    Parameters
    ----------
    frame : DataFrame
    target : str, default=None
        Column to predict; None means a column called "target", else the last one.
    """
    if target is None:
        target = "target" if "target" in frame.columns else frame.columns[-1]
    if target not in frame.columns:
        raise unknown_name(f"column in {name}", target, [str(column) for column in frame.columns])
    y = frame[target]
    if y.isna().any():
        raise UserError(f"{int(y.isna().sum())} rows of {name} have no value of {target}.")
    if y.nunique() < 2:
        raise UserError(f"{name} has only one class, {y.iloc[0]!r}, in column {target}.")
    if pd.api.types.is_float_dtype(y) and not np.all(y == np.round(y)):
        raise UserError(f"Column {target} of {name} holds fractions; a classifier needs classes.")
    X = frame.drop(columns=target)
    if X.shape[1] == 0:
        raise UserError(f"{name} has no column beside the target {target}.")
    return X, np.asarray(y)


def make_features(X, standardize=True):
    """Return an unfitted transformer from rows like `X` to numbers without holes.

    Numeric columns are standardised and holes filled with the mean, with a column that says where
    they were; categories become indicator columns, unknown ones all zero. It must be fitted on
    training rows alone; only column types are read here.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", None]})
    >>> make_features(table).fit_transform(table).shape
    (3, 5)
    """
    if not isinstance(X, pd.DataFrame):
        return _numeric(standardize)
    numbers = [column for column in X if _is_numeric(X[column])]
    categories = [column for column in X if column not in numbers]
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


def _is_numeric(column):
    return pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)


def _numeric(standardize):
    # The scaler passes holes on, so the mean it leaves behind is 0 and indicators stay 0 or 1.
    imputer = SimpleImputer(strategy="mean", add_indicator=True)
    return make_pipeline(StandardScaler(), imputer) if standardize else make_pipeline(imputer)
