"""Sets from a folder of csv.gz files.

``<name>.csv.gz`` holds a header, numeric feature columns and the target as its last column; an
empty cell is a missing value. ``<name>.parts.csv.gz``, when present, has one line per row of the
set and any of the columns

* ``file``: 0 in the training file, 1 in the test file;
* ``tune``: 0 and 1, the two halves for parameter choice;
* ``s0``, ``s1``, …: 0 training, 1 test row of a published split.

The files lie in the folder itself or in its subfolders; each folder of files is a collection. A
``manifest.csv`` with columns ``name``, ``collection``, ``source``, ``licence`` and ``notes`` may
lie beside the files or the collections and fills the descriptions.
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

__all__ = ["VARIABLE", "find_folder", "find_sets", "load_set"]

#: Environment variable that names the folder when no argument does.
VARIABLE = "KERNSEMBLE_DATA"

_SET, _PARTS = ".csv.gz", ".parts.csv.gz"


def find_folder(data_folder=None):
    """Return the folder named by the argument or the variable, None when neither names one."""
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
    """Return {(collection, name): path} of the sets in `folder` and its subfolders."""
    folder = folder.resolve()
    found = {}
    for place in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
        for path in sorted(place.glob(f"*{_SET}")):
            if not path.name.endswith(_PARTS):
                found[place.name, path.name.removesuffix(_SET)] = path
    return found


def load_set(path):
    """Read the set at `path`, its partitions and its line of the manifest."""
    stem, collection = path.name.removesuffix(_SET), path.parent.name
    header, X, targets = _read_table(path, n_text=1)
    if not X.shape[1]:
        raise ValueError(f"{path} must have feature columns before its target, got {header}.")
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

    Rows are turned into numbers as they are read, since text takes many times the memory.
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
        raise ValueError(f"{path} holds no rows.")
    return header, np.array(numbers).reshape(n_rows, width), text


def _to_numbers(row):
    """Return the cells of a row as floats, NaN where a cell is empty."""
    try:
        return list(map(float, row))
    except ValueError:
        pass
    try:
        return [float(cell) if cell else math.nan for cell in row]
    except ValueError as error:
        raise ValueError(f"{error}; encode categories as numbers first") from error


def _to_targets(cells, path):
    """Return whole numbers when every target is one, else strings."""
    if "" in cells:
        raise ValueError(f"{path}: the target of row {cells.index('')} is missing.")
    targets = np.array(cells)
    try:
        return targets.astype(np.int64)
    except (ValueError, OverflowError):
        return targets


def _read_parts(path, n_rows):
    """Return (splits, tuning) of the parts file at `path`; ((), None) when there is none."""
    if not path.is_file():
        return (), None
    header, marks, _ = _read_table(path)
    if len(marks) != n_rows:
        raise ValueError(f"{path} has {len(marks)} rows, the set has {n_rows}.")
    parts = dict(zip(header, marks.T))
    for name, column in parts.items():
        if not np.isin(column[~np.isnan(column)], (0, 1)).all():
            raise ValueError(f"{path}: column {name!r} must hold 0, 1 or nothing.")

    def pair(column):
        return np.flatnonzero(column == 0), np.flatnonzero(column == 1)

    tuning = pair(parts["tune"]) if "tune" in parts else None
    if "file" in parts and (parts["file"] == 1).any():
        # A test file of its own outranks splits, which then only cut the training file.
        return (pair(parts["file"]),), tuning
    numbered = sorted((name for name in parts if re.fullmatch(r"s\d+", name)), key=_split_number)
    return tuple(pair(parts[name]) for name in numbered), tuning


def _split_number(name):
    return int(name[1:])


def _describe(place, collection, stem):
    """Return what a manifest beside the files, or beside their collection, tells of a set."""
    for manifest in (place / "manifest.csv", place.parent / "manifest.csv"):
        if not manifest.is_file():
            continue
        with manifest.open(newline="", encoding="utf-8") as stream:
            for line in csv.DictReader(stream):
                if (line.get("name"), line.get("collection", collection)) == (stem, collection):
                    told = [(key, line.get(key)) for key in ("source", "licence", "notes")]
                    return "\n".join(f"{key}: {value}" for key, value in told if value)
    return ""
