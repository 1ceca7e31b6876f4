"""A table of any library → its columns: the kind of each, its values, and which are missing.

Data frames of pandas, polars and others are read through narwhals, NumPy arrays of objects by
looking at their values. Numbers become floats, dates become microseconds since 1970, and levels of
categories become texts, or floats if all of them are numbers.
"""

import datetime
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

NUMBER, CATEGORY, DATE = "numbers", "categories", "dates"
# A little less than 64 bits of microseconds reach.
MAX_YEAR = 290_000
_MAX_MICROSECONDS = (MAX_YEAR - 1970) * 365.2425 * 86_400e6
# Microseconds of the units in which libraries keep dates.
_MICROSECONDS = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}


class Cells(NamedTuple):
    """The cells of one column.

    Attributes
    ----------
    name : str or int
        Name of the column, or its position if columns have no names.
    kind : str or None
        `NUMBER`, `CATEGORY` or `DATE`; None if every cell is missing.
    values : ndarray of float, or list of str or of float for categories
        Values of missing cells mean nothing in a list, and are NaN in an array.
    missing : ndarray of bool
    free : bool
        Whether the column holds strings rather than a type for categories.
    """

    name: Any
    kind: str | None
    values: Any
    missing: np.ndarray
    free: bool = False


def is_frame(X):
    """Return whether `X` is a data frame in memory that narwhals can read."""
    if isinstance(X, np.ndarray) or not hasattr(X, "columns"):
        return False
    import narwhals

    return narwhals.dependencies.is_into_dataframe(X)


def column_names(frame):
    """Return the names of the columns; the attribute `columns` of an Arrow table has the values."""
    import narwhals

    is_arrow = narwhals.dependencies.is_pyarrow_table(frame)
    return list(frame.column_names if is_arrow else frame.columns)


def is_array_of_objects(X):
    """Return whether `X` is a NumPy array of two dimensions whose values are not all numbers."""
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OUS"


def has_only_numbers(frame):
    """Return whether all columns of a frame are of a plain type of numbers, by their types alone.

    Such a frame is read as an array, missing values as NaN. Truth values are categories.
    """
    dtypes = getattr(frame, "dtypes", (None,))
    return all(getattr(dtype, "kind", None) in {"i", "u", "f"} for dtype in dtypes) and all(
        isinstance(dtype, np.dtype) for dtype in dtypes
    )


def read_columns(X):
    """Return the columns of a data frame or of an array as a list of `Cells`."""
    if isinstance(X, np.ndarray) and X.dtype.kind not in "OUS":
        return [_numbers(X[:, j], j) for j in range(X.shape[1])]
    if isinstance(X, np.ndarray):
        return [_from_objects(X[:, j].tolist(), j) for j in range(X.shape[1])]
    names = column_names(X)
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"X has several columns of the same name: {', '.join(twice)}; give each its own name."
        )
    import narwhals

    frame = narwhals.from_native(X, eager_only=True)
    return [_from_series(series, name) for series, name in zip(frame.iter_columns(), names)]


def _from_series(series, name):
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric():
        return _numbers(series.cast(nw.Float64).to_numpy(), name)
    if dtype == nw.Duration:
        return _numbers(series.dt.total_microseconds().cast(nw.Float64).to_numpy() / 1e6, name)
    if dtype in (nw.Date, nw.Datetime):
        values = _microseconds_since_1970(series, name)
        if getattr(dtype, "time_zone", None) is not None:
            # The calendar is the one on the wall, not that of Greenwich.
            values = _microseconds_since_1970(series.dt.replace_time_zone(None), name)
        return _dates(values, name)
    if dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
        missing = series.is_null().to_numpy()
        return _levels(series.to_list(), missing, name, free=dtype == nw.String)
    if dtype == nw.Object:
        return _from_objects(series.to_list(), name)
    raise TypeError(
        f"Column {name} holds values of type {dtype}; turn them into numbers, strings or dates."
    )


def _microseconds_since_1970(series, name):
    """Return dates as floats, NaN if missing; raise where one is further away than MAX_YEAR.

    The whole numbers that libraries keep are read, because their calendars end before these do,
    some with wrong years instead of an error.
    """
    import narwhals as nw

    is_day = series.dtype == nw.Date
    unit = 86_400_000_000.0 if is_day else _MICROSECONDS[series.dtype.time_unit]
    missing = series.is_null().to_numpy()
    whole = series.cast(nw.Int32 if is_day else nw.Int64).fill_null(0).to_numpy()
    values = np.where(missing, np.nan, whole * unit)
    _raise_where(np.abs(values) > _MAX_MICROSECONDS, name)
    return values


def _raise_where(far, name):
    if far.any():
        raise ValueError(
            f"Column {name}, row {int(np.argmax(far))} holds a date beyond the years -{MAX_YEAR} "
            f"to {MAX_YEAR}; if the date is not known, make it missing."
        )


def _from_objects(values, name):
    """Return the cells of Python objects, which must all be of one kind."""
    missing = np.array([_is_missing(value) for value in values], dtype=bool)
    known = [value for value, lost in zip(values, missing) if not lost]
    kinds = {_kind_of(value, name): value for value in known}
    if len(kinds) > 1:
        found = ", ".join(f"{kind} ({value!r})" for kind, value in sorted(kinds.items()))
        raise TypeError(
            f"Column {name} mixes {found}; make them one kind, for example texts with "
            "astype(str), or numbers with pandas.to_numeric(..., errors='coerce')."
        )
    (kind,) = kinds or (None,)
    if kind == NUMBER:
        numbers = [np.nan if lost else float(value) for value, lost in zip(values, missing)]
        return _numbers(np.array(numbers), name)
    if kind == DATE:
        return _dates(_microseconds(values, missing, name), name)
    return _levels(values, missing, name, free=kind == "texts")


def _is_missing(value):
    if value is None or type(value).__name__ == "NAType":
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def _kind_of(value, name):
    if isinstance(value, (bool, np.bool_)):
        return "truth values"
    if isinstance(value, Real):
        return NUMBER
    if isinstance(value, (str, bytes)):
        return "texts"
    if isinstance(value, (datetime.date, np.datetime64)):
        return DATE
    raise TypeError(
        f"Column {name}: the argument must be a string, a number, a truth value or a date, "
        f"got {value!r} of type {type(value).__name__}."
    )


def _microseconds(values, missing, name):
    moments = np.full(len(values), np.datetime64("NaT", "us"))
    far = np.zeros(len(values), dtype=bool)
    for row in np.flatnonzero(~missing):
        value = values[row]
        local = value.replace(tzinfo=None) if getattr(value, "tzinfo", None) else value
        moment = np.datetime64(local)
        far[row] = abs(moment.astype("datetime64[Y]").astype(np.int64) + 1970) > MAX_YEAR
        if not far[row]:
            moments[row] = moment.astype("datetime64[us]")
    _raise_where(far, name)
    return np.where(missing, np.nan, moments.astype(np.int64).astype(np.float64))


def _numbers(values, name):
    values = np.asarray(values, dtype=np.float64)
    missing = np.isnan(values)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        raise ValueError(
            f"Input X contains infinity: column {name}, row {row} holds {values[row]}; "
            "if the value is not known, make it NaN."
        )
    return Cells(name, None if missing.all() else NUMBER, values, missing)


def _dates(values, name):
    missing = np.isnan(values)
    return Cells(name, None if missing.all() else DATE, values, missing)


def _levels(values, missing, name, *, free):
    """Return the cells of a category; its levels are all texts or all numbers."""
    if missing.all():
        return Cells(name, None, values, missing)
    known = values[int(np.argmin(missing))]
    if isinstance(known, str):
        pass
    elif isinstance(known, Real) and not isinstance(known, (bool, np.bool_)):
        values = [float("nan") if lost else float(value) for value, lost in zip(values, missing)]
    else:
        values = [as_text(value) for value in values]
    return Cells(name, CATEGORY, values, missing, free)


def as_text(value):
    """Return a level as text."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
