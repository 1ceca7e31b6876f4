"""Checks of parameters and input; every message names what is wrong, the value and the remedy."""

import sys
import warnings
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path

import numpy as np

PACKAGE = str(Path(__file__).parent)


def check_real(value, name, *, low=None, high=None, open_low=False, open_high=False):
    """Return `value` as a float when it is a finite real number in the range, else raise."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number, got {value!r}.")
    inside = np.isfinite(float(value))
    if low is not None:
        inside = inside and (value > low if open_low else value >= low)
    if high is not None:
        inside = inside and (value < high if open_high else value <= high)
    if not inside:
        left = "(-inf" if low is None else f"{'(' if open_low else '['}{low}"
        right = "inf)" if high is None else f"{high}{')' if open_high else ']'}"
        raise ValueError(f"{name} must be in {left}, {right}, got {value!r}.")
    return float(value)


def check_count(value, name, *, low=1, high=None):
    """Return `value` as an int when it is a whole number in [low, high], else raise."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < low or (high is not None and value > high):
        limit = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {limit}, got {value!r}.")
    return int(value)


def check_folds(value, name):
    """Return a number of folds: none, or at least two."""
    check_count(value, name, low=0)
    if value == 1:
        raise ValueError(f"{name} must be 0 or at least 2, got 1.")
    return value


def resolve_count(value, name, total, *, of="the training rows"):
    """Turn a count, a fraction of `total` or None (all of it) into a count.

    A count above `total` is an error: silently using fewer would hide a mistake.
    """
    if value is None:
        return total
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        if value < 1 or value > total:
            raise ValueError(f"{name} must be between 1 and {total} ({of}), got {value!r}.")
        return int(value)
    fraction = check_real(value, name, low=0.0, high=1.0, open_low=True)
    return max(1, round(fraction * total))


def check_choice(value, name, choices):
    """Return `value` when it is one of the strings `choices`, else raise."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}.")
    return value


def check_instance(value, name, types, what):
    """Return `value` when it is an instance of `types`, else raise a TypeError saying `what`."""
    if not isinstance(value, types):
        raise TypeError(f"{name} must be {what}, got {value!r}.")
    return value


def resolve_grid(value, name, grid, *, low=0.0, open_low=True):
    """Return the candidates of a parameter: `grid` for "auto", else the number or the numbers."""
    if isinstance(value, str):
        check_choice(value, name, ("auto",))
        return np.asarray(grid)
    values = np.atleast_1d(np.asarray(value, dtype=object))
    if values.ndim != 1 or not values.size:
        raise ValueError(f"{name} must be a number, a list of numbers or 'auto', got {value!r}.")
    return np.array([check_real(v, name, low=low, open_low=open_low) for v in values])


@contextmanager
def naming_missing_columns(X):
    """Let the error about missing values say in which columns they are."""
    try:
        yield
    except ValueError as error:
        if "NaN" not in str(error):
            raise
        try:
            missing = np.flatnonzero(np.isnan(np.asarray(X, dtype=np.float64)).any(axis=0))
        except (TypeError, ValueError):
            raise error from None
        names = [str(X.columns[j]) if hasattr(X, "columns") else str(j) for j in missing]
        if not names:
            raise
        shown = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        raise ValueError(
            f"Input X contains NaN in {len(names)} of its columns ({shown}); "
            "fill them in first, for example with sklearn.impute.SimpleImputer."
        ) from error


def check_magnitude(X, names=None, largest=1e100):
    """Raise when a column holds numbers whose squares are beyond what a double holds.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    names : sequence of str, default=None
        Names of the columns.
    largest : float, default=1e100
    """
    peaks = abs(X).max(axis=0)
    peaks = peaks if isinstance(peaks, np.ndarray) else peaks.toarray().ravel()
    if peaks.size and np.nanmax(peaks) > largest:
        place = int(np.nanargmax(peaks))
        name = place if names is None else names[place]
        raise ValueError(
            f"Column {name} of X holds numbers as large as {peaks[place]:g}, whose squares are "
            "infinite; leave scale at 'auto', or divide the column by its scale."
        )


def warn_user(message, category=UserWarning):
    """Warn with the line outside this package that called into it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_internal(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_internal(filename):
    # scikit-learn wraps `fit` for its callbacks.
    return filename.startswith(PACKAGE) or "sklearn" in Path(filename).parts
