"""Data sets from a folder of csv.gz files.

``<name>.csv.gz`` has a header, columns of numeric features and the target as its last column. An
empty cell is a missing value. ``<name>.parts.csv.gz`` is optional. It has one line for each row of
the set and any of these columns:

* ``file``: 0 for the rows of the training file, 1 for the rows of the test file;
* ``tune``: 0 and 1 for the two halves with which parameters are chosen;
* ``s0``, ``s1``, …: 0 for the training rows and 1 for the test rows of a published split.

The files are in the folder itself or in its subfolders; each folder with files is a collection. An
optional ``manifest.csv`` beside the files or beside the collections describes the sets in its
columns ``name``, ``collection``, ``source``, ``licence`` and ``notes``.
"""

import csv
import gzip
import math
import os
import re
import zlib
from array import array
from pathlib import Path

import numpy as np

from .dataset import Dataset
from .flaws import FLAWED

#: Environment variable that names the folder if no argument does.
VARIABLE = "KERNSEMBLE_DATA"

_SET, _PARTS = ".csv.gz", ".parts.csv.gz"


def find_folder(data_folder=None):
    """Return the folder that the argument or the variable names, or None if neither does."""
    named_by, given = "data_folder", data_folder
    if given is None:
        named_by, given = VARIABLE, os.environ.get(VARIABLE) or None
    if given is None:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise ValueError(f"{named_by} must name an existing folder, got {str(given)!r}.")
    return folder


def find_sets(folder):
    """Return the path of each set in `folder` and its subfolders, by (collection, name)."""
    folder = folder.resolve()
    found = {}
    for place in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
        for path in sorted(place.glob(f"*{_SET}")):
            if not path.name.endswith(_PARTS):
                found[place.name, path.name.removesuffix(_SET)] = path
    return found


def load_set(path):
    """Return the set at `path`, with its splits and its description from the manifest."""
    stem, collection = path.name.removesuffix(_SET), path.parent.name
    header, X, targets = _read_table(path, n_text=1)
    if not X.shape[1]:
        raise ValueError(
            f"{path} must have feature columns before its target, got the columns {header}."
        )
    splits, tuning = _read_parts(path.with_name(stem + _PARTS), len(X))
    name = f"{collection}/{stem}"
    return Dataset(
        name=name,
        source="folder",
        X=X,
        y=_to_targets(targets, path),
        feature_names=tuple(header[:-1]),
        splits=splits,
        tuning=tuning,
        flaw=FLAWED.get(name),
        description=_describe(path.parent, collection, stem),
    )


def _read_table(path, n_text=0):
    """Return the header, the numbers as a matrix, and the cells of the last `n_text` columns.

    Each row is converted to numbers when it is read, because text needs many times the memory.
    """
    numbers, text, n_rows = array("d"), [], 0
    try:
        with gzip.open(path, "rt", newline="", encoding="utf-8") as stream:
            reader = csv.reader(stream)
            header = next(reader, [])
            width = len(header) - n_text
            for row in filter(None, reader):
                if len(row) != len(header):
                    raise ValueError(f"{len(row)} cells, expected {len(header)}")
                numbers.extend(_to_numbers(row[:width]))
                text += row[width:]
                n_rows += 1
    except (gzip.BadGzipFile, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as a csv.gz file: {error}.") from error
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}.") from error
    if not n_rows:
        raise ValueError(f"{path} has no rows.")
    return header, np.array(numbers).reshape(n_rows, width), text


def _to_numbers(row):
    """Return the cells of a row as floats; an empty cell is NaN."""
    try:
        return list(map(float, row))
    except ValueError:
        pass
    try:
        return [float(cell) if cell else math.nan for cell in row]
    except ValueError as error:
        raise ValueError(f"{error}; encode categories as numbers first") from error


def _to_targets(cells, path):
    """Return the targets as whole numbers if all of them are, otherwise as strings."""
    if "" in cells:
        raise ValueError(f"{path}: the target of row {cells.index('')} is missing.")
    targets = np.array(cells)
    try:
        return targets.astype(np.int64)
    except (ValueError, OverflowError):
        return targets


def _read_parts(path, n_rows):
    """Return the splits and the tuning halves in the file at `path`, or ((), None) without it."""
    if not path.is_file():
        return (), None
    header, marks, _ = _read_table(path)
    if len(marks) != n_rows:
        raise ValueError(f"{path} has {len(marks)} rows, but the set has {n_rows}.")
    parts = dict(zip(header, marks.T))
    for name, column in parts.items():
        if not np.isin(column[~np.isnan(column)], (0, 1)).all():
            raise ValueError(f"{path}: each cell of column {name!r} must be 0, 1 or empty.")

    def pair(column):
        return np.flatnonzero(column == 0), np.flatnonzero(column == 1)

    tuning = pair(parts["tune"]) if "tune" in parts else None
    if "file" in parts and (parts["file"] == 1).any():
        # If there is a test file, the splits divide the training file alone and are not used.
        return (pair(parts["file"]),), tuning
    numbered = sorted((name for name in parts if re.fullmatch(r"s\d+", name)), key=_split_number)
    return tuple(pair(parts[name]) for name in numbered), tuning


def _split_number(name):
    return int(name[1:])


def _describe(place, collection, stem):
    """Return the description of a set in the manifest beside its file or beside its collection."""
    for manifest in (place / "manifest.csv", place.parent / "manifest.csv"):
        if not manifest.is_file():
            continue
        with manifest.open(newline="", encoding="utf-8") as stream:
            for line in csv.DictReader(stream):
                if (line.get("name"), line.get("collection", collection)) == (stem, collection):
                    known = [(key, line.get(key)) for key in ("source", "licence", "notes")]
                    return "\n".join(f"{key}: {value}" for key, value in known if value)
    return ""
