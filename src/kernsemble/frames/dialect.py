"""How a text table is written: its encoding, its separator and its decimal sign.

Spreadsheets write tables in many ways. What is found here is shown to the user before a fit, and a
file of rules (`kernsemble.frames.rules`) can say otherwise.
"""

import codecs
import csv
import io
import re
from itertools import islice
from typing import NamedTuple

from ..errors import UserError

SEPARATORS = (",", ";", "\t", "|")
#: Words for a missing value among numbers and dates, in lower case. Numbers that are none, as some
#: programs print them, are among them.
MISSING_WORDS = frozenset(
    {"", "?", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none"}
    | {"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
)
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# Rows and bytes that are looked at.
_ROWS, _BYTES = 1000, 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DIGITS = r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)"
COMMA_NUMBER = re.compile(_DIGITS + r"(?:,\d+)?(?:[eE][+-]?\d+)?")


class Dialect(NamedTuple):
    """How a table is written.

    Attributes
    ----------
    encoding : str
    separator : str
    decimal : str
        "." or ",".
    """

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."

    def __str__(self):
        sign = "" if self.decimal == "." else ", decimal comma"
        encoding = {"utf-8-sig": "utf-8 with a mark", "cp1252": "Windows-1252"}
        return f"{encoding.get(self.encoding, self.encoding)}, {_NAMES[self.separator]}{sign}"


def to_utf8(content, path, encoding=None):
    """Return a text in UTF-8 without a byte-order mark, and the encoding it had.

    Parameters
    ----------
    content : bytes
    path : path-like
        For messages.
    encoding : str, default=None
        None means: what a byte-order mark says, else UTF-8, else Windows-1252.
    """
    if encoding is None:
        marked = [name for mark, name in _MARKS if content.startswith(mark)]
        encoding = marked[0] if marked else "utf-8"
        if b"\0" in content and encoding != "utf-16":
            raise UserError(
                f"{path} cannot be read as a table: it holds NUL bytes and is no text. Save it as "
                'UTF-8, or name its encoding in a file of rules (encoding = "utf-16-le").'
            )
        if not marked and not _is_utf8(content):
            encoding = "cp1252"
    try:
        text = content.decode(encoding)
    except LookupError:
        raise UserError(
            f"There is no encoding {encoding!r}; try utf-8, cp1252 or utf-16."
        ) from None
    except UnicodeError as error:
        raise UserError(
            f"{path} cannot be read as a table: it is no text in {encoding} ({error}). Save it as "
            "UTF-8, or name its encoding in a file of rules."
        ) from None
    if "\0" in text:
        raise UserError(f"{path} cannot be read as a table: it holds NUL characters.")
    return text.removeprefix("\ufeff").encode(), encoding


def _is_utf8(content):
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def find_separator(text, is_tsv=False):
    """Return the sign between the cells of a table.

    It is the one that splits the header into most names, of those that split the first rows alike
    if there are any.

    Parameters
    ----------
    text : bytes
        In UTF-8.
    is_tsv : bool, default=False
        Whether the name of the file says that it is a tab.
    """
    found = []
    for place, separator in enumerate(SEPARATORS):
        rows = _first_rows(text, separator)
        if rows and len(rows[0]) > 1:
            alike = all(len(row) == len(rows[0]) for row in rows)
            preferred = is_tsv and separator == "\t"
            found.append((preferred, alike, len(rows[0]), -place))
    return SEPARATORS[-max(found)[-1]] if found else "\t" if is_tsv else ","


def find_decimal(text, separator):
    """Return "," when numbers of a table are written with a decimal comma, else ".".

    In a table whose cells are separated by commas no number has one. Elsewhere a column must hold
    nothing but numbers, some of them with a comma.
    """
    if separator == ",":
        return "."
    for column in zip(*_even(_first_rows(text, separator)[1:])):
        cells = [cell.strip() for cell in column]
        known = [cell for cell in cells if cell.lower() not in MISSING_WORDS]
        if any("," in cell for cell in known) and all(map(COMMA_NUMBER.fullmatch, known)):
            return ","
    return "."


def _first_rows(text, separator):
    start = text[:_BYTES].decode(errors="replace")
    lines = io.StringIO(start, newline="")
    rows: list[list[str]] = []
    try:
        for row in islice(csv.reader(lines, delimiter=separator), _ROWS):
            if any(cell.strip() for cell in row):
                rows.append(row)
    except csv.Error:
        # What is wrong is said, with the line, when all rows are checked.
        pass
    # The last row may have been cut off.
    return rows[:-1] if len(text) > _BYTES and 1 < len(rows) < _ROWS else rows


def _even(rows):
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]
