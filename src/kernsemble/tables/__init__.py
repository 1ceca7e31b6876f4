"""Tables: rows in memory, in chunks or on a cluster, seen through one small interface."""

from .base import MemoryTable, Rows, Table, as_table, draw_rows
from .opening import is_chunked, open_table
from .stream import RowChunks

__all__ = [
    "MemoryTable",
    "RowChunks",
    "Rows",
    "Table",
    "as_table",
    "draw_rows",
    "is_chunked",
    "open_table",
]
