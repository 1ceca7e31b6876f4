"""A model file as an archive: every size is read, and judged, before any content.

skops writes a zip file of arrays in .npy format and of one text, schema.json, that says how they
belong together. `kernsemble fit` stores them uncompressed, so a file that was made to be small on
disk and large in memory is no file of ours.
"""

import json
import os
import struct
import zipfile
from contextlib import contextmanager
from math import prod

import numpy as np

SCHEMA = "schema.json"

# A text becomes some twenty times as many bytes of Python objects, and so does the directory.
_BYTES_PER_TEXT_BYTE = 20

_END = struct.Struct("<4s4H2LH")
_LOCATOR_SIZE = 20
_END64 = struct.Struct("<4sQ2H2L4Q")


class NotAModelError(ValueError):
    """The file is damaged, or is no model that kernsemble wrote."""


class TooLargeError(ValueError):
    """The file takes more memory than the limit allows.

    Parameters
    ----------
    n_bytes : int
        What it takes.
    """

    def __init__(self, n_bytes):
        super().__init__(f"it takes {n_bytes / 1e9:.1f} GB of memory")
        self.n_bytes = n_bytes


@contextmanager
def open_archive(file, max_bytes):
    """Give the archive in an open file once its sizes are within the limit.

    Parameters
    ----------
    file : binary file
    max_bytes : int

    Yields
    ------
    archive : ZipFile
        All of its entries are stored uncompressed, and no two have the same name.
    """
    size = file.seek(0, os.SEEK_END)
    _limit(size, max_bytes)
    _limit(_directory_size(file, size) * _BYTES_PER_TEXT_BYTE, max_bytes)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise NotAModelError(f"its directory cannot be read ({error})") from None
    with archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        if len(entries) < len(archive.infolist()):
            raise NotAModelError("two of its entries have the same name")
        for entry in entries.values():
            if set(entry.filename) & set("/\\:"):
                raise NotAModelError(f"its entry {entry.filename} leads out of the file")
            if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
                raise NotAModelError(f"its entry {entry.filename} is compressed")
        if SCHEMA not in entries:
            raise NotAModelError(f"it has no entry {SCHEMA}")
        _limit(entries[SCHEMA].file_size * _BYTES_PER_TEXT_BYTE, max_bytes)
        _limit(sum(entry.file_size for entry in entries.values()), max_bytes)
        yield archive


def _limit(n_bytes, max_bytes):
    if n_bytes > max_bytes:
        raise TooLargeError(n_bytes)


def _directory_size(file, size):
    """Return the bytes of the archive's directory, as its last record has them."""
    length = min(size, _END.size + _LOCATOR_SIZE + _END64.size)
    file.seek(-length, os.SEEK_END)
    tail = file.read(length)
    if length < _END.size or tail[-_END.size :][:4] != b"PK\5\6":
        raise NotAModelError("it is cut off, or is no zip file")
    n_bytes = _END.unpack(tail[-_END.size :])[5]
    wide, locator = tail[: _END64.size], tail[_END64.size : _END64.size + 4]
    if locator == b"PK\6\7" and wide[:4] == b"PK\6\6":
        # Large archives have a wider record before the last one, and zipfile prefers it.
        n_bytes = max(n_bytes, _END64.unpack(wide)[8])
    return n_bytes


def read_schema(archive):
    """Return the JSON values of schema.json."""
    try:
        schema = json.loads(archive.read(SCHEMA))
    except (ValueError, RecursionError, NotImplementedError, zipfile.BadZipFile) as error:
        raise NotAModelError(f"its entry {SCHEMA} cannot be read ({error})") from None
    if not isinstance(schema, dict):
        raise NotAModelError(f"its entry {SCHEMA} describes no object")
    return schema


def checked_array(archive, name):
    """Return shape and bytes of an array, after its header was found to tell the truth.

    Parameters
    ----------
    archive : ZipFile
    name : str
        Name of an entry, a .npy file without Python objects.

    Returns
    -------
    shape : tuple of int
    n_bytes : int
        Size of the entry.
    """
    try:
        n_bytes = archive.getinfo(name).file_size
        with archive.open(name) as entry:
            version = np.lib.format.read_magic(entry)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            shape, _, dtype = read(entry)
            header = entry.tell()
    except Exception as error:  # a damaged header shows itself in many ways
        raise NotAModelError(f"its entry {name} is no array ({error})") from None
    if dtype.hasobject:
        raise NotAModelError(f"its entry {name} holds Python objects")
    # An itemsize of 0 would let a header promise any number of elements.
    if min(shape, default=0) < 0 or header + prod(shape) * max(dtype.itemsize, 1) != n_bytes:
        raise NotAModelError(f"its entry {name} is not as large as its header says")
    return shape, n_bytes
