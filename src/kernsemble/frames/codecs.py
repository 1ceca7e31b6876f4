"""How each kind of column becomes floats: numbers, level codes, parts of a calendar, text.

A codec is fitted to the cells of one training column. It is a function from `Cells` to an array,
and `n_levels` says what the columns of that array hold, as in `kernsemble.tables.Columns`.
"""

from typing import Any, NamedTuple

import numpy as np

from .cells import CATEGORY, DATE, NUMBER

DAY = 86_400e6
#: The parts of a calendar that say together when a date is.
MOMENT = ("days", "hour")


class Numbers(NamedTuple):
    """A column of numbers."""

    name: Any

    @property
    def kind(self):
        return NUMBER

    @property
    def n_levels(self):
        return (0,)

    @property
    def names_out(self):
        return (str(self.name),)

    def __call__(self, cells):
        if cells.kind is None:
            return np.full((len(cells.missing), 1), np.nan)
        return cells.values[:, None]


class Levels(NamedTuple):
    """A column of categories.

    Attributes
    ----------
    levels : ndarray of str or of float, sorted
        The levels of the training rows; their codes are their positions.
    """

    name: Any
    levels: np.ndarray

    @property
    def kind(self):
        return CATEGORY

    @property
    def n_levels(self):
        return (len(self.levels),)

    @property
    def names_out(self):
        return (str(self.name),)

    def __call__(self, cells):
        code_of = {level: float(code) for code, level in enumerate(self.levels.tolist())}
        codes = np.array([code_of.get(value, np.nan) for value in list(cells.values)])
        return np.where(cells.missing, np.nan, codes)[:, None]


class Calendar(NamedTuple):
    """A column of dates: days since 1970, month and day of the week, and the hour of the day.

    Month and weekday are categories, in which December is as near to January as to June; the number
    of days says what is near. Parts that do not vary in training are left out.

    Attributes
    ----------
    parts : tuple of str
    """

    name: Any
    parts: tuple

    @property
    def kind(self):
        return DATE

    @property
    def n_levels(self):
        return tuple({"month": 12, "weekday": 7}.get(part, 0) for part in self.parts)

    @property
    def names_out(self):
        return tuple(f"{self.name} {part}" for part in self.parts)

    def __call__(self, cells):
        Z = np.full((len(cells.missing), len(self.parts)), np.nan)
        known = ~cells.missing
        if known.any():
            found = calendar_parts(cells.values[known])
            Z[known] = np.column_stack([found[part] for part in self.parts])
        return Z


class LeftOut(NamedTuple):
    """A column of the training rows that is not used."""

    name: Any

    @property
    def kind(self):
        return None

    @property
    def n_levels(self):
        return ()

    @property
    def names_out(self):
        return ()

    def __call__(self, cells):
        return np.empty((len(cells.missing), 0))


def calendar_parts(microseconds):
    """Return days, month, weekday (Monday is 0) and hour of moments since 1970, by name.

    Examples
    --------
    >>> parts = calendar_parts(np.array([36e8]))
    >>> {name: float(values[0]) for name, values in parts.items()}
    {'days': 0.0, 'month': 0.0, 'weekday': 3.0, 'hour': 1.0}
    """
    days = np.floor(microseconds / DAY)
    dates = days.astype(np.int64).astype("datetime64[D]")
    return {
        "days": days,
        "month": (dates.astype("datetime64[M]").astype(np.int64) % 12).astype(np.float64),
        # The first of January 1970 was a Thursday.
        "weekday": (days + 3) % 7,
        "hour": (microseconds - days * DAY) / 3.6e9,
    }


def fit_calendar(cells):
    """Return the codec of a column of dates."""
    found = calendar_parts(cells.values[~cells.missing])
    varying = tuple(part for part, values in found.items() if values.min() < values.max())
    # A single known date still says where it is known.
    return Calendar(cells.name, varying or ("days",))


def fit_levels(cells):
    """Return the codec of a column of categories, or of numbers that are used as categories."""
    known = [cells.values[row] for row in np.flatnonzero(~cells.missing)]
    return Levels(cells.name, np.array(sorted(set(known))))
