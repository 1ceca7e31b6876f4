"""Files written whole or not at all, and texts that neither a terminal nor a spreadsheet runs."""

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

# A spreadsheet reads a cell that starts like this as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@contextmanager
def write_beside(path):
    """Give a binary file that takes the place of `path` once all is written.

    It lies in the same folder under another name until then. When something goes wrong, an
    interruption included, it is deleted and `path` is as it was.
    """
    # A link stays one; the file it leads to is replaced.
    path = Path(os.path.realpath(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def printable(text, longest=None):
    """Return text that came from a file for a message: without control characters, not too long."""
    text = str(text)
    shown = "".join(sign if sign.isprintable() else "�" for sign in text[:longest])
    return shown if len(shown) == len(text) else f"{shown}…"


def write_predictions(predicted, path=None, safe=False):
    """Write predictions as CSV to a file, or to standard output.

    Parameters
    ----------
    predicted : DataFrame
    path : path-like, default=None
    safe : bool, default=False
        Whether to put a single quote before texts and column names that a spreadsheet would take
        for a formula: those that start with =, +, -, @, a tab or a carriage return and are no
        numbers. Classes are then not written as they were in the training table.
    """
    if safe:
        predicted = _neutralised(predicted)
    if path is None:
        predicted.to_csv(sys.stdout, index=False)
    elif Path(path).exists() and not Path(path).is_file():
        # A pipe or a device has no place beside it.
        predicted.to_csv(path, index=False)
    else:
        with write_beside(path) as file:
            predicted.to_csv(file, index=False)


def _neutralised(frame):
    # Who prints a message needs no pandas.
    from pandas.api.types import is_numeric_dtype

    frame = frame.rename(columns=_quoted)
    for column in frame:
        if not is_numeric_dtype(frame[column]):
            frame[column] = [_quoted(cell) for cell in frame[column]]
    return frame


def _quoted(cell):
    """Return a cell with a quote before it where it would be a formula."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
