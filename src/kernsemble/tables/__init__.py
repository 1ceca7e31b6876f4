"""Tables: rows in memory, in chunks or on a cluster, seen through one small interface."""

from .base import MemoryTable, Rows, Table, as_table, calibration_rows, draw_rows
from .dask_table import is_dask, lazily
from .opening import is_chunked, open_table
from .stream import RowChunks

__all__ = [
    "MemoryTable",
    "RowChunks",
    "Rows",
    "Table",
    "as_table",
    "calibration_rows",
    "draw_rows",
    "is_chunked",
    "is_dask",
    "lazily",
    "open_table",
]
