"""Text tables before they are parsed: whether every row has the cells that the header names.

pandas takes a first column without a name for an index, fills short rows with missing values and
renames columns that occur twice. Each of these would give a model other columns than the file has,
so such files are refused here, with the line.
"""

import csv
import gzip
import io
import re
import sys
import unicodedata
import zlib
from itertools import chain

from ..errors import UserError
from .dialect import Dialect, find_decimal, find_separator, to_utf8
from .limits import MAX_COLUMNS

#: What stands for standard input in the place of a path.
STANDARD_INPUT = "standard input"
_BLOCK = 1 << 24
_MARK_OF_ORDER = "\ufeff".encode()
_UNNAMED = re.compile(r"Unnamed: \d+")


def read_text(path, max_bytes, rules):
    """Return the bytes of a text table, the names of its columns and how it is written.

    Parameters
    ----------
    path : Path, or STANDARD_INPUT
        CSV or TSV; .gz files are unpacked.
    max_bytes : int
        Limit of what a .gz file may unpack to, and of standard input.
    rules : Rules
        What the user says about the file.

    Returns
    -------
    text : bytes
        In UTF-8. Every row has as many cells as there are names. Empty lines are no rows.
    names : list of str
    dialect : Dialect
    """
    name = str(path).lower()
    if path == STANDARD_INPUT:
        content = _read_input(max_bytes)
    else:
        content = _unpack(path, max_bytes) if name.endswith(".gz") else path.read_bytes()
    text, encoding = to_utf8(content, path, rules.encoding)
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    separator = rules.separator or find_separator(text, name.endswith((".tsv", ".tsv.gz")))
    names = _check_rows(text, separator, path)
    decimal = rules.decimal or find_decimal(text, separator)
    return text, names, Dialect(encoding, separator, decimal)


def _read_input(max_bytes):
    content = sys.stdin.buffer.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise UserError(
            f"{STANDARD_INPUT} has more than {max_bytes / 1e9:g} GB; raise the limit with "
            "--max-size."
        )
    return content


def _unpack(path, max_bytes):
    blocks, size = [], 0
    try:
        with gzip.open(path) as file:
            while block := file.read(_BLOCK):
                blocks.append(block)
                size += len(block)
                if size > max_bytes:
                    raise UserError(
                        f"{path} unpacks to more than {max_bytes / 1e9:g} GB. Unpack it yourself "
                        "if you know where it is from, or raise the limit with --max-size."
                    )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(
            f"{path} is cut off or no gzip file ({error}); get it again, or unpack it."
        ) from None
    return b"".join(blocks)


def _check_rows(text, separator, path):
    """Return the names in the header once every row is found to have as many cells."""
    mark, has_quotes = separator.encode(), b'"' in text
    sign = re.escape(mark)
    has_returns = text.count(b"\r") > text.count(b"\r\n")
    quoted = re.compile(rb'"(?<![^%b]")[^"\r\n]*"(?=[%b\r\n]|$)' % (sign, sign))
    blank = b" \r\n" if separator == "\t" else b" \t\r\n"
    lines = enumerate(io.BytesIO(text), 1)
    names: list[str] = []
    header = None
    for number, line in lines:
        if header is not None and line.rstrip(b"\r\n").removeprefix(_MARK_OF_ORDER) == header:
            raise UserError(
                f"{path}, line {number}: the header again. Are these two tables, one behind the "
                "other? Remove the second header."
            )
        # A cell that is quoted from end to end, on one line, is one cell whatever is in it.
        bare = quoted.sub(b".", line) if has_quotes else line
        is_plain = not (has_quotes and b'"' in bare)
        if has_returns and is_plain and b"\r" in bare.rstrip(b"\r\n"):
            raise UserError(f"{path}, line {number}: a carriage return outside quotes.")
        n_cells = bare.count(mark) + 1
        if (is_plain and n_cells == len(names)) or not line.strip(blank):
            continue
        if not names and n_cells > MAX_COLUMNS:
            raise _too_wide(path, n_cells)
        if not (is_plain and names):
            cells = _read_row(line, lines, number, separator, path)
            n_cells = len(cells)
            if not names:
                names = check_names(cells, f"{path}, line {number}")
                # The only cell of a row may well be the name of its column.
                header = line.rstrip(b"\r\n") if len(names) > 1 else None
        if n_cells != len(names):
            raise UserError(_ragged(path, number, n_cells, len(names), separator))
    return names


def _read_row(line, lines, number, separator, path):
    """Return the cells of a row; one in quotes may hold separators, and even ends of lines."""
    rest = chain([line], (more for _, more in lines))
    decoded = (part.decode() for part in rest)
    try:
        return next(csv.reader(decoded, delimiter=separator))
    except csv.Error as error:
        raise UserError(f"{path}, line {number}: {error}.") from None


def _ragged(path, line, n_cells, n_names, separator):
    reason = f"Cells that hold the separator {separator!r} must be in quotes."
    if n_cells == n_names + 1:
        reason = (
            "Is the first column a row index without a name? Give it a name or leave it out. "
            + reason
        )
    return f"{path}, line {line}: {n_cells} cells, but the header names {n_names}. {reason}"


def check_names(names, place):
    """Return the names of columns once each column has one of its own.

    Parameters
    ----------
    names : list of str
    place : str
        Where they stand, for messages.
    """
    if len(names) > MAX_COLUMNS:
        raise _too_wide(place, len(names))
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name.strip() or _UNNAMED.fullmatch(name):
            guess = "a row index that was saved with the table" if number == 1 else "one too many"
            raise UserError(
                f"{place}: column {number} has no name ({name!r}). Is it {guess}? "
                "Give it a name or leave it out."
            )
        # Spaces around a name and the two ways to write an accent cannot be seen.
        look = unicodedata.normalize("NFC", name).strip()
        if look in seen:
            raise UserError(
                f"{place}: columns {seen[look]} and {number} are both called {look!r}; "
                "every column needs a name of its own."
            )
        seen[look] = number
    return list(names)


def _too_wide(place, n_columns):
    return UserError(
        f"{place}: {n_columns} columns, and at most {MAX_COLUMNS} are taken. Choose among them "
        "first; if they are the rows, transpose the table."
    )
