"""Say what is wrong with a ledger file, and what to do about it."""

import json
import shutil
import sqlite3
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from ..errors import UserError

#: How long a statement waits for another process that writes to the same ledger.
LOCK_SECONDS = 60

_FULL = ("written: the disk is full", "Make room and start again.")
_CAUSES = {
    "SQLITE_FULL": _FULL,
    "SQLITE_BUSY": (
        f"written: another program has kept it locked for {LOCK_SECONDS} s",
        "End that program, or wait for it, and start again.",
    ),
    "SQLITE_READONLY": (
        "written: the permissions of the file or of its folder forbid it",
        "Change them, or name another ledger.",
    ),
    "SQLITE_CANTOPEN": (
        "opened: the file or its folder cannot be read and written",
        "Check their permissions, or name another ledger.",
    ),
    "SQLITE_IOERR": (
        "read or written: the disk reported an error",
        "Check the disk and your quota on it, and start again.",
    ),
}
# What SQLite says of tables that are not as they were made.
_SIGNS_OF_DAMAGE = (
    "no such table",
    "no such column",
    "duplicate column name",
    "unsupported file format",
    "Could not decode",
)
_LISTED = 5
_FREE_BYTES = 2**20


@contextmanager
def explained(path):
    """Turn an error of SQLite into a message that names its cause and says what to do."""
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite quotes the damaged text of a table, which cannot be read.
        raise _damaged(path, "its text is not UTF-8") from error
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        # Queries name only tables and columns that every ledger has.
        if str(error).startswith(_SIGNS_OF_DAMAGE) or name.startswith(
            ("SQLITE_CORRUPT", "SQLITE_NOTADB")
        ):
            raise _damaged(path, error) from error
        cause = next((_CAUSES[start] for start in _CAUSES if name.startswith(start)), None)
        if cause is None:
            raise
        if name.startswith("SQLITE_IOERR") and _is_full(path):
            cause = _FULL
        raise UserError(
            f"The ledger {path} cannot be {cause[0]} (SQLite says: {error}). "
            f"The results that it holds are safe. {cause[1]}"
        ) from error


def _damaged(path, why):
    return UserError(
        f"{path} is no ledger or is damaged: {why}. It was left as it is; "
        "move it away, or name another ledger."
    )


def _is_full(path):
    try:
        return shutil.disk_usage(Path(path).resolve().parent).free < _FREE_BYTES
    except OSError:
        return False


# Text is checked as bytes, because SQLite returns no text that is not UTF-8.
_DAMAGED_RESULTS = """
SELECT CAST(dataset AS BLOB), CAST(method AS BLOB), CAST(protocol AS BLOB), CAST(split AS BLOB),
    CAST(seed AS BLOB),
    CASE
    WHEN NOT is_text(CAST(dataset || method || protocol || split || finished ||
        coalesce(failure, '') || coalesce(data_digest, '') AS BLOB)) THEN 'its text is not UTF-8'
    WHEN typeof(seed) <> 'integer' THEN 'its seed is not a whole number'
    WHEN typeof(choice) NOT IN ('integer', 'null') THEN 'its choice is not a whole number'
    WHEN typeof(accuracy) NOT IN ('real', 'null') OR typeof(balanced_accuracy) NOT IN
        ('real', 'null') THEN 'its accuracy is not a number'
    WHEN accuracy NOT BETWEEN 0 AND 1 OR balanced_accuracy NOT BETWEEN 0 AND 1
        THEN 'its accuracy is not between 0 and 1'
    WHEN typeof(n_train) NOT IN ('integer', 'null') OR typeof(n_test) NOT IN ('integer', 'null')
        THEN 'its number of rows is not a whole number'
    WHEN typeof(tune_seconds) NOT IN ('real', 'null') OR typeof(fit_seconds) NOT IN
        ('real', 'null') OR typeof(predict_seconds) NOT IN ('real', 'null')
        THEN 'a time is not a number'
    WHEN NOT is_object(CAST(params AS BLOB)) THEN 'its parameters are not JSON'
    WHEN content IS NULL THEN 'how it was made is missing'
    WHEN NOT is_object(CAST(content AS BLOB)) THEN 'how it was made is not JSON'
    END AS reason
FROM results LEFT JOIN makers ON makers.id = results.maker
WHERE reason IS NOT NULL
"""
_DAMAGED_COMMANDS = """
SELECT rowid FROM commands
WHERE NOT is_text(CAST(started || command AS BLOB)) OR NOT is_object(CAST(environment AS BLOB))
"""


def check_rows(database, path):
    """Raise a `UserError` that names the rows of a ledger that cannot be read."""
    database.create_function("is_text", 1, _is_text)
    database.create_function("is_object", 1, _is_object)
    found = [_describe(row) for row in database.execute(_DAMAGED_RESULTS)]
    found += [
        f"row {number} of the table commands (it is not text and JSON)"
        for (number,) in database.execute(_DAMAGED_COMMANDS)
    ]
    if found:
        more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        raise UserError(
            f"The ledger {path} has damaged rows: {'; '.join(found[:_LISTED])}{more}. It was left "
            "as it is. Delete these rows with a tool for SQLite, and their cells run again, or "
            "name another ledger."
        )


def _describe(row):
    *key, reason = row
    dataset, method, protocol, split, seed = (
        part.decode("utf-8", "backslashreplace") for part in key
    )
    return f"{dataset}, {method}, {protocol}, split {split}, seed {seed} ({reason})"


def _is_text(content):
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# Thousands of rows share a few parameters and makers.
@lru_cache(maxsize=256)
def _is_object(content):
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, TypeError):
        return False
