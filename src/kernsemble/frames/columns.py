"""Kinds of columns: numbers, truth values, categories and dates, and how a cell of each is read.

A column is numeric when every cell that is not missing is a number, a date when every one is a date
written in one way, and a category otherwise. In columns of numbers and dates an empty cell is
missing, and so are the usual words for it: NA, NaN, N/A, null, None, ? and the like. In a column of
categories only an empty cell is missing: the text NA is a category like any other, and 01 and 1 are
two. What a column was in training it is ever after.
"""

import numpy as np
import pandas as pd

from ..errors import UserError
from .dates import DAY_FIRST, MONTH_FIRST, find_formats, parse_dates
from .dialect import COMMA_NUMBER, MISSING_WORDS

NUMBER, TRUTH, CATEGORY, DATE = "number", "truth value", "category", "date"

_FEW = 1000
_TRUTHS = {"true": 1.0, "false": 0.0}


def kind_of(dtype):
    """Return the kind of a column whose cells have this type; all that is no number is a text."""
    if isinstance(dtype, pd.CategoricalDtype):
        return CATEGORY
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return DATE
    if pd.api.types.is_bool_dtype(dtype):
        return TRUTH
    return NUMBER if pd.api.types.is_numeric_dtype(dtype) else CATEGORY


def is_date(kind):
    """Return whether a kind is that of dates; it says after the word how they are written."""
    return kind.split(" ")[0] == DATE


def with_columns(frame, changed):
    """Return a table with some of its columns replaced."""
    if not changed:
        return frame
    return pd.DataFrame({name: changed.get(name, column) for name, column in frame.items()})


def settle(column, name, path, decimal="."):
    """Return a column as numbers, truth values, dates or texts, as its cells have it, and its kind.

    Parameters
    ----------
    column : Series
        The column as pandas read it, with only empty cells missing.
    name, path : str
        For messages.
    decimal : str, default="."
    """
    found = kind_of(column.dtype)
    if found == DATE:
        return column.dt.tz_localize(None), DATE
    if isinstance(column.dtype, pd.CategoricalDtype):
        return as_text(column.astype(object), name, path), CATEGORY
    if found != CATEGORY:
        return column, found
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found == "boolean":
        return column.astype("boolean"), TRUTH
    if found in ("integer", "floating", "mixed-integer-float", "decimal"):
        return column.astype(float), NUMBER
    texts = as_text(column, name, path)
    return _settle_numbers(texts, decimal) or _settle_dates(texts) or (texts, CATEGORY)


def _settle_numbers(texts, decimal):
    # Most categories show within a few rows that they are none but that.
    for rows in (texts.iloc[:_FEW], texts):
        numbers, wrong = _parse(rows, decimal)
        if wrong.any():
            return None
    if numbers.isna().all():
        return None
    return numbers, NUMBER


def _settle_dates(texts):
    known = texts.mask(texts.str.strip().str.lower().isin(MISSING_WORDS)).dropna()
    formats = find_formats(known)
    if len(formats) != 1:
        return None
    return parse_dates(known, formats[0])[0].reindex(texts.index), f"{DATE} {formats[0]}"


def has_ambiguous_dates(column):
    """Return whether texts are dates of which day and month cannot be told apart."""
    return len(find_formats(column.dropna().astype(str))) > 1


def as_ruled(column, rule, name, path, decimal="."):
    """Return a column as what the user says it is, and its kind.

    Parameters
    ----------
    column : Series
        Read as text.
    rule : str
        One of `kernsemble.frames.rules.KINDS`.
    name, path : str
        For messages.
    decimal : str, default="."
    """
    kind = rule
    if is_date(rule.replace(",", " ")) and kind_of(column.dtype) != DATE:
        texts = as_text(column, name, path)
        order = next((order for order in (DAY_FIRST, MONTH_FIRST) if rule.endswith(order)), None)
        formats = find_formats(texts.dropna(), order)
        if len(formats) != 1:
            raise UserError(
                f"{path}, column {name}: the cells are no dates written in one way that is known"
                + (", day and month cannot be told apart" if formats else "")
                + f'; say "{DATE}, {DAY_FIRST}", "{DATE}, {MONTH_FIRST}" or "{CATEGORY}".'
            )
        kind = f"{DATE} {formats[0]}"
    ruled = as_kind(column, kind, name, path, decimal, f"the rules say {rule}")
    # A type for categories says that the column is one even if every row has a level of its own.
    return ruled.astype("category") if kind == CATEGORY else ruled, kind


def as_kind(column, kind, name, path, decimal=".", reason="the model was fitted to one there"):
    """Return a column of a new table as what it was in training.

    Parameters
    ----------
    column : Series
        Read as text where `kind` is a category or a date, else as pandas finds it.
    kind : str
    name, path : str
        For messages.
    decimal : str, default="."
    reason : str
        Why the kind is asked for, for the message.
    """
    if kind == CATEGORY:
        return as_text(column, name, path)
    found = kind_of(column.dtype)
    if found == DATE and is_date(kind):
        return column.dt.tz_localize(None)
    if found in (kind, NUMBER) and not is_date(kind):
        return column
    texts = as_text(column.astype(object) if found == DATE else column, name, path)
    if is_date(kind) and kind != DATE:
        known = texts.mask(texts.str.strip().str.lower().isin(MISSING_WORDS))
        values, wrong = parse_dates(known, kind.split(" ", 1)[1])
    else:
        values, wrong = _parse(texts, decimal, _TRUTHS if kind == TRUTH else None)
        wrong = wrong | (texts.notna().to_numpy() if kind == DATE else False)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise UserError(
            f"{path}, column {name}, row {row + 1} (the header not counted): "
            f"{column.iloc[row]!r} is no {kind}, and {reason}."
        )
    return values


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


def _parse(texts, decimal=".", words=None):
    """Return texts as numbers, and where they are none.

    Parameters
    ----------
    texts : Series of str
    decimal : str, default="."
        With "," a point groups digits; a column whose cells cannot be read so may have points.
    words : dict, default=None
        Words in lower case that stand for numbers.
    """
    folded = texts.str.strip().str.lower()
    missing = texts.isna() | folded.isin(MISSING_WORDS)
    if decimal == "," and folded[~missing].map(COMMA_NUMBER.fullmatch).notna().all():
        folded = folded.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
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
