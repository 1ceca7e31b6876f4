"""Kinds of columns: numbers, truth values and categories, and how a cell of each is read.

A column is numeric when every cell that is not missing is a number, and a category otherwise. In a
numeric column an empty cell is missing, and so are the usual words for it: NA, NaN, N/A, null,
None, ? and the like. In a column of categories only an empty cell is missing: the text NA is a
category like any other, and 01 and 1 are two. What a column was in training it is ever after.
"""

import numpy as np
import pandas as pd

from ..errors import UserError

NUMBER, TRUTH, CATEGORY = "number", "truth value", "category"

# In lower case. Numbers that are none, as some programs print them, are among them.
_MISSING_WORDS = frozenset(
    {"", "?", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none"}
    | {"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
)
_FEW = 1000
_TRUTHS = {"true": 1.0, "false": 0.0}


def kind_of(dtype):
    """Return the kind of a column whose cells have this type; all that is no number is a text."""
    if isinstance(dtype, pd.CategoricalDtype):
        return CATEGORY
    if pd.api.types.is_bool_dtype(dtype):
        return TRUTH
    return NUMBER if pd.api.types.is_numeric_dtype(dtype) else CATEGORY


def with_columns(frame, changed):
    """Return a table with some of its columns replaced."""
    if not changed:
        return frame
    return pd.DataFrame({name: changed.get(name, column) for name, column in frame.items()})


def settle(column, name, path):
    """Return a column as numbers, truth values or texts, as its cells have it.

    Parameters
    ----------
    column : Series
        The column as pandas read it, with only empty cells missing.
    name, path : str
        For messages.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        raise UserError(f"Column {name} of {path} holds dates; turn it into numbers first.")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return as_text(column.astype(object), name, path)
    if kind_of(column.dtype) != CATEGORY:
        return column
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found == "boolean":
        return column.astype("boolean")
    if found in ("integer", "floating", "mixed-integer-float", "decimal"):
        return column.astype(float)
    texts = as_text(column, name, path)
    # Most categories show within a few rows that they are none but that.
    for rows in (texts.iloc[:_FEW], texts):
        numbers, wrong = _parse(rows)
        if wrong.any():
            return texts
    return texts if numbers.isna().all() else numbers


def as_kind(column, kind, name, path):
    """Return a column of a new table as what it was in training.

    Parameters
    ----------
    column : Series
        Read as text where `kind` is a category, else as pandas finds it.
    kind : str
    name, path : str
        For messages.
    """
    if kind == CATEGORY:
        return as_text(column, name, path)
    if kind_of(column.dtype) in (kind, NUMBER):
        return column
    numbers, wrong = _parse(as_text(column, name, path), _TRUTHS if kind == TRUTH else None)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise UserError(
            f"{path}, column {name}, row {row + 1} (the header not counted): "
            f"{column.iloc[row]!r} is no {kind}, and the model was fitted to {kind}s there."
        )
    return numbers


def as_text(column, name, path):
    """Return a column as texts, empty ones missing; whole numbers have no decimal point."""
    missing = column.isna()
    if pd.api.types.is_float_dtype(column) and _is_whole(column[~missing]):
        column = column.astype("Int64")
    if not pd.api.types.is_string_dtype(column) or column.dtype == object:
        found = pd.api.types.infer_dtype(column, skipna=True)
        if found in ("date", "datetime", "datetime64", "timedelta", "time", "bytes", "mixed"):
            raise UserError(
                f"Column {name} of {path} holds values of kind {found!r}; "
                "turn them into numbers or texts first."
            )
        column = column.astype(str)
    return column.where(~missing & (column != ""), np.nan)


def _is_whole(numbers):
    return bool(np.all((numbers == numbers.round()) & (numbers.abs() < 2.0**53)))


def _parse(texts, words=None):
    """Return texts as numbers, and where they are none.

    Parameters
    ----------
    texts : Series of str
    words : dict, default=None
        Words in lower case that stand for numbers.
    """
    folded = texts.str.strip().str.lower()
    missing = texts.isna() | folded.isin(_MISSING_WORDS)
    numbers = pd.to_numeric(folded.where(~missing, np.nan), errors="coerce")
    for word, number in (words or {}).items():
        numbers = numbers.where(folded != word, number)
    return numbers.astype(float), (numbers.isna() & ~missing).to_numpy(dtype=bool)


def check_finite(frame, path):
    """Raise where a number is infinite, or too large to be told from it."""
    numbers = frame.select_dtypes("float")
    infinite = np.isinf(numbers.to_numpy(dtype=float, na_value=np.nan))
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise UserError(
            f"{path}, column {numbers.columns[column]}, row {row + 1} (the header not counted): "
            f"{numbers.iloc[row, column]} is no finite number; leave the cell empty if it is not "
            "known."
        )
