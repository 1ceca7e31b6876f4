"""Import the 121-set study from the files that its authors distribute.

Each set is a folder with ``NAME_R.dat``, or with ``NAME_train_R.dat`` and ``NAME_test_R.dat``. The
columns of these files are separated by tabs, and the header of the last one is ``clase``.
``conxuntos.dat`` has two lines of row numbers, the halves for tuning. ``conxuntos_kfold.dat`` has
eight lines, the training and the test rows of four splits. `kernsemble.datasets.load` reads the
files that are written (see `folder`).
"""

import csv
import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np

_TARGET = "clase"


class Imported(NamedTuple):
    """The result of importing one set.

    Parameters
    ----------
    name : str
        Name of the set.
    n_rows, n_splits : int
        Number of rows and of published splits; 0 if the set was left out.
    problem : str or None
        Reason why the set was left out, if it was.

    Examples
    --------
    >>> from kernsemble.datasets import Imported
    >>> Imported("iris", 150, 4, None).n_rows
    150
    """

    name: str
    n_rows: int
    n_splits: int
    problem: str | None


def import_study(source, destination):
    """Import every set below `source`.

    A set that cannot be read is left out; the others are imported.

    Parameters
    ----------
    source : path
        Folder that has one folder for each set.
    destination : path
        Folder for ``NAME.csv.gz`` and ``NAME.parts.csv.gz``. It is created if it does not exist.

    Returns
    -------
    results : list of Imported
        What was found of each set, in the order of their folders.
    """
    source, destination = Path(source), Path(destination)
    if not source.is_dir():
        raise ValueError(f"There is no folder {str(source)!r} to import the study from.")
    folders = sorted({path.parent for path in source.rglob("*_R.dat")})
    if not folders:
        raise ValueError(f"The folder {str(source)!r} has no file that ends in _R.dat.")
    destination.mkdir(parents=True, exist_ok=True)
    return [_import_set(folder, destination) for folder in folders]


def _import_set(folder, destination):
    """Write the files of one set, unless it cannot be read."""
    name = folder.name
    try:
        header, rows, n_train = _read_files(folder, name)
        parts = _read_parts(folder, len(rows), n_train)
    except (ValueError, OSError, UnicodeDecodeError) as error:
        return Imported(name, 0, 0, str(error))
    features = [f"f{number}" for number in range(len(header) - 1)]
    _write(destination / f"{name}.csv.gz", [*features, "target"], rows)
    path = destination / f"{name}.parts.csv.gz"
    path.unlink(missing_ok=True)
    if parts:
        columns = [_marks(parts[mark], len(rows)) for mark in parts]
        _write(path, list(parts), zip(*columns))
    n_splits = 1 if "file" in parts else sum(mark != "tune" for mark in parts)
    return Imported(name, len(rows), n_splits, None)


def _read_files(folder, name):
    """Return the header, the rows as text, and the number of rows in the training file.

    This number is None if the set has only one file.
    """
    train, test = folder / f"{name}_train_R.dat", folder / f"{name}_test_R.dat"
    if not train.is_file() and not test.is_file():
        return *_read_table(folder / f"{name}_R.dat"), None
    header, rows = _read_table(train)
    other, more = _read_table(test)
    if len(other) != len(header):
        raise ValueError(
            f"{test.name} has {len(other)} columns, but {train.name} has {len(header)}"
        )
    return header, rows + more, len(rows)


def _read_table(path):
    if not path.is_file():
        raise ValueError(f"{path.name} is missing")
    with path.open(newline="", encoding="utf-8") as stream:
        lines = [line for line in csv.reader(stream, delimiter="\t") if line]
    if len(lines) < 2:
        raise ValueError(f"{path.name} has no rows")
    header, rows = lines[0], lines[1:]
    # R writes row numbers in the first column, with an empty name or without a name.
    numbered = header[0].strip() == "" or len(rows[0]) == len(header) + 1
    header = [name for name in header if name.strip()]
    rows = [row[1:] if numbered else row for row in rows]
    if header[-1].strip('"') != _TARGET:
        raise ValueError(f"the last column of {path.name} must be {_TARGET!r}, got {header[-1]!r}")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ValueError(
                f"{path.name}, line {number} must have {len(header)} cells, got {len(row)}"
            )
        for place, cell in enumerate(row[:-1]):
            row[place] = _cell(cell, path, number)
    return header, rows


def _cell(text, path, number):
    """Return the text of a cell, empty if the value is missing."""
    text = text.strip()
    if text in ("", "NA", "NaN", "?"):
        return ""
    try:
        float(text)
    except ValueError:
        raise ValueError(f"{path.name}, line {number}: {text!r} is not a number") from None
    return text


def _read_parts(folder, n_rows, n_train):
    """Return the rows marked 0 and the rows marked 1 in each column of the parts file."""
    parts = {}
    if n_train is not None:
        parts["file"] = (np.arange(n_train), np.arange(n_train, n_rows))
    limit = n_rows if n_train is None else n_train
    for file, count in (("conxuntos.dat", 2), ("conxuntos_kfold.dat", 8)):
        if not (folder / file).is_file():
            continue
        lines = _read_numbers(folder / file, count, limit)
        for number, pair in enumerate(zip(lines[::2], lines[1::2])):
            parts["tune" if count == 2 else f"s{number}"] = pair
    return parts


def _read_numbers(path, count, n_rows):
    text = path.read_text(encoding="utf-8")
    try:
        lines = [np.array(line.split(), dtype=int) for line in text.splitlines() if line.strip()]
    except ValueError:
        raise ValueError(f"{path.name} must contain only row numbers") from None
    if len(lines) != count:
        raise ValueError(f"{path.name} must have {count} lines, got {len(lines)}")
    numbers = np.concatenate(lines)
    # Most sets count rows from 0. If row n occurs, the set counts them from 1.
    first = 1 if numbers.max() == n_rows and numbers.min() > 0 else 0
    if numbers.min() < first or numbers.max() >= n_rows + first:
        raise ValueError(
            f"{path.name} has the row numbers {numbers.min()} to {numbers.max()}, but the set has "
            f"{n_rows} rows"
        )
    return [line - first for line in lines]


def _marks(pair, n_rows):
    """Return a column of the parts file."""
    marks = np.full(n_rows, "", dtype=object)
    for mark, rows in enumerate(pair):
        marks[rows] = str(mark)
    return marks


def _write(path, header, rows):
    with gzip.open(path, "wt", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
