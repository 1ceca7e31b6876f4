"""What every column of a ledger may hold, and the rows that hold something else."""

import json
import re
from functools import lru_cache, partial

from ..errors import UserError
from .ledger_schema import column_names

_LISTED = 5
# What names a row of a table; those of the others have numbers.
_KEY = ("dataset", "method", "protocol", "split", "seed")
_KEYS = {"results": _KEY, "claims": _KEY, "datasets": ("dataset",)}


# No cell takes three centuries, and no measure, be it a number of bytes, is larger.
_AGES = 1e10
_LARGEST = 1e18
# What a cell that failed has not found.
_FOUND = ("accuracy", "balanced_accuracy", "measures")


class _Text(bytes):
    """A text as it stands in the file; bytes of another type are no text."""


def check_rows(database, path):
    """Raise a `UserError` that names the rows and columns of a ledger that cannot be read.

    Columns that an older ledger lacks are not looked at.

    Parameters
    ----------
    database : sqlite3.Connection
    path : path-like
        Where the ledger is, for the message.
    """
    present = column_names(database)
    # Python's own text would end at the first one that is not UTF-8.
    database.text_factory = _Text
    try:
        found = [
            line for table in _RULES for line in _damaged_rows(database, table, present[table])
        ]
    finally:
        database.text_factory = str
    if found:
        more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        raise UserError(
            f"The ledger {path} has damaged rows: {'; '.join(found[:_LISTED])}{more}. It was left "
            "as it is. Delete these rows with a tool for SQLite, and their cells run again, or "
            "name another ledger."
        )


def is_complete(maker):
    """Return whether a maker has the texts that the runner and the report read of it."""
    parts = {"method": ("name", "estimator"), "protocol": ("name", "tuning")}
    return all(
        isinstance(maker.get(part), dict)
        and all(isinstance(maker[part].get(name), str) for name in names)
        for part, names in parts.items()
    )


def _damaged_rows(database, table, present):
    """Yield a description of every damaged row of a table."""
    rules = {name: rule for name, rule in _RULES[table].items() if name in present}
    if table == "results":
        numbers = {number for (number,) in database.execute("SELECT id FROM makers")}
        rules["maker"] = partial(_known_maker, numbers=numbers)
    if not rules:
        return
    key = _KEYS.get(table, ("rowid",))
    names = ", ".join((*key, *rules))
    for row in database.execute(f"SELECT {names} FROM {table}"):
        values = row[len(key) :]
        reasons = (f"{name} {reason}" for name, reason in _reasons(rules, values))
        reason = next(reasons, None)
        if reason is not None:
            yield f"{_name_row(table, row[: len(key)])} ({reason})"


def _reasons(rules, values):
    """Yield (column, what is wrong with its value) for the values of a row."""
    for (column, rule), value in zip(rules.items(), values):
        reason = rule(value)
        if reason is not None:
            yield column, reason
    row = dict(zip(rules, values))
    if row.get("failure") is not None and any(
        row.get(name) not in (None, b"{}") for name in _FOUND
    ):
        yield "failure", "stands beside what was measured"


def _name_row(table, key):
    if table not in _KEYS:
        return f"row {key[0]} of the table {table}"
    shown = [
        part.decode("utf-8", "backslashreplace") if isinstance(part, bytes) else part
        for part in key
    ]
    words = ("", "", "", "split ", "seed ")
    return f"{table}: " + ", ".join(f"{word}{part}" for word, part in zip(words, shown))


# A rule returns what is wrong with a value, and None where nothing is.


@lru_cache(maxsize=4096, typed=True)
def _text(value):
    if not isinstance(value, _Text):
        return "is no text"
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8"
    return None


def _whole(value):
    return None if isinstance(value, int) else "is no whole number"


def _seconds(value):
    known = isinstance(value, float | int) and 0 <= value < _AGES
    return None if known else "is no number of seconds"


def _share(value):
    known = isinstance(value, float | int) and 0 <= value <= 1
    return None if known else "is no number between 0 and 1"


def _count(value):
    return None if isinstance(value, int) and value >= 0 else "is no whole number from 0"


def _rows(value):
    return None if isinstance(value, int) and value >= 1 else "is no number of rows"


def _name(value):
    """Check the name of a runner, which is part of the name of its lock file."""
    known = isinstance(value, _Text) and re.fullmatch(rb"[0-9a-z]{1,64}", value)
    return None if known else "is no name of a runner"


# Thousands of rows share a few parameters and makers.
@lru_cache(maxsize=4096, typed=True)
def _object(value):
    return "is no JSON object" if _parsed(value) is None else None


@lru_cache(maxsize=256, typed=True)
def _measures(value):
    measures = _parsed(value)
    if measures is None:
        return "is no JSON object"
    for name, number in measures.items():
        if name in _RULES["results"]:
            return f"has a measure with the name of the column {name}"
        if number is not None and not isinstance(number, float | int):
            return f"has no number for {name}"
        if number is not None and abs(number) > _LARGEST:
            return f"has no number for {name}"
    return None


def _parsed(value):
    """Return a JSON object, None if the value is none."""
    if _text(value) is not None:
        return None
    try:
        found = json.loads(value)
    # Brackets within brackets go deeper than Python does.
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _known_maker(value, numbers):
    return None if value in numbers else "is missing in the table makers"


def _or_nothing(rule):
    return lambda value: None if value is None else rule(value)


#: What names a cell.
_CELL = {
    "dataset": _text,
    "method": _text,
    "protocol": _text,
    "split": _text,
    "seed": _whole,
    "train_rows": _count,
}
_RULES = {
    "makers": {"content": _object},
    "results": {
        **_CELL,
        "accuracy": _or_nothing(_share),
        "balanced_accuracy": _or_nothing(_share),
        "n_train": _or_nothing(_rows),
        "n_test": _or_nothing(_rows),
        "data_digest": _or_nothing(_text),
        "choice": _or_nothing(_count),
        "params": _object,
        "measures": _measures,
        "failure": _or_nothing(_text),
        "tune_seconds": _or_nothing(_seconds),
        "fit_seconds": _or_nothing(_seconds),
        "predict_seconds": _or_nothing(_seconds),
        "finished": _text,
        "maker": _whole,
        "code": _or_nothing(_text),
    },
    "claims": {
        **_CELL,
        "runner": _name,
    },
    "datasets": {
        "dataset": _text,
        "data_digest": _or_nothing(_text),
        "n_rows": _count,
        "n_columns": _count,
        "n_classes": _count,
        "majority_share": _share,
        "minority_share": _share,
        "categorical_share": _share,
        "missing_share": _share,
    },
    "commands": {"started": _text, "command": _text, "environment": _object},
}
