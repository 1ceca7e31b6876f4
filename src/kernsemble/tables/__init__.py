"""Tables: rows with classes and weights, in memory, in chunks or on a cluster."""

from .base import MemoryTable, Table, Whole
from .columns import Columns
from .dask_table import is_dask, lazily
from .opening import is_chunked, open_chunks, open_memory
from .rows import Rows
from .stream import RowChunks

__all__ = [
    "Columns",
    "MemoryTable",
    "RowChunks",
    "Rows",
    "Table",
    "Whole",
    "is_chunked",
    "is_dask",
    "lazily",
    "open_chunks",
    "open_memory",
]
