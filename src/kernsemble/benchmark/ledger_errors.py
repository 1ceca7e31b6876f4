"""Say what is wrong with a ledger file, and what to do about it."""

import shutil
import sqlite3
from contextlib import contextmanager
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
# What SQLite says when a file is not as it was made: our statements fit every ledger.
_SIGNS_OF_DAMAGE = (
    "SQLITE_CORRUPT",
    "SQLITE_NOTADB",
    "SQLITE_ERROR",
    "SQLITE_CONSTRAINT",
    "SQLITE_MISMATCH",
    "SQLITE_TOOBIG",
)
_FREE_BYTES = 2**20


@contextmanager
def explained(path):
    """Turn an error of SQLite into a message that names its cause and says what to do."""
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite quotes the damaged text of a table, which cannot be read.
        raise damaged(path, "its text is not UTF-8") from error
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        # Text that Python cannot read is an error without a name.
        if name.startswith(_SIGNS_OF_DAMAGE) or str(error).startswith("Could not decode"):
            raise damaged(path, error) from error
        cause = next((_CAUSES[start] for start in _CAUSES if name.startswith(start)), None)
        if cause is None:
            raise
        if name.startswith("SQLITE_IOERR") and _is_full(path):
            cause = _FULL
        raise UserError(
            f"The ledger {path} cannot be {cause[0]} (SQLite says: {error}). "
            f"The results that it holds are safe. {cause[1]}"
        ) from error


def damaged(path, why):
    """Return the error for a file that is not as it was made."""
    return UserError(
        f"{path} is no ledger or is damaged: {why}. It was left as it is; "
        "move it away, or name another ledger."
    )


def _is_full(path):
    try:
        return shutil.disk_usage(Path(path).resolve().parent).free < _FREE_BYTES
    except OSError:
        return False
