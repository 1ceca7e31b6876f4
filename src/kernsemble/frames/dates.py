"""Dates in text: which way they are written, and what they are."""

import re

import pandas as pd

#: Dates as ISO 8601 has them: 2024-01-31, with or without a time and a zone.
ISO = "ISO8601"
DAY_FIRST, MONTH_FIRST = "day first", "month first"

_LOOKS = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?")
_STARTS_WITH_YEAR = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMES = ("", " %H:%M", " %H:%M:%S")
_ORDERS = {
    ".": ("%d.%m.%Y",),
    "/": ("%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y"),
    "-": ("%d-%m-%Y", "%m-%d-%Y"),
}


def find_formats(texts, order=None):
    """Return the ways in which all texts can be read as dates; several when they are ambiguous.

    Parameters
    ----------
    texts : Series of str
        Without missing values.
    order : {"day first", "month first"}, default=None
        What is known about the order of day and month.

    Examples
    --------
    >>> find_formats(pd.Series(["2024-01-31", "2024-02-01"]))
    ['ISO8601']
    >>> find_formats(pd.Series(["31/01/2024"])), find_formats(pd.Series(["01/02/2024"]))
    (['%d/%m/%Y'], ['%d/%m/%Y', '%m/%d/%Y'])
    """
    texts = texts.str.strip()
    first = texts.iloc[:1].tolist()
    match = _LOOKS.fullmatch(first[0]) if first else None
    if match is None:
        return []
    candidates = [ISO] if _STARTS_WITH_YEAR.match(first[0]) else _written(match[1], order)
    # Most texts that are no dates show it within a few rows.
    for rows in (texts.iloc[:100], texts):
        candidates = [fmt for fmt in candidates if not parse_dates(rows, fmt)[1].any()]
    return candidates


def _written(separator, order):
    lost = {None: "-", DAY_FIRST: "%m", MONTH_FIRST: "%d"}[order]
    dates = [date for date in _ORDERS[separator] if not date.startswith(lost)]
    return [date + time for date in dates for time in _TIMES]


def parse_dates(texts, fmt):
    """Return texts as dates, and where they are none; times with a zone are in UTC.

    Parameters
    ----------
    texts : Series of str
    fmt : str
        One of those that `find_formats` returns.
    """
    dates = pd.to_datetime(texts.str.strip(), format=fmt, errors="coerce", utc=True)
    dates = dates.dt.tz_localize(None).astype("datetime64[us]")
    return dates, (dates.isna() & texts.notna()).to_numpy(dtype=bool)
