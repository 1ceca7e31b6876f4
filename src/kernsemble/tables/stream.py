"""Tables that are read as a stream of chunks, and arrays as chunks."""

from typing import Any

import numpy as np

from .base import add
from .chunks import ChunkedTable, find_facts


class RowChunks:
    """Arrays, such as memory-mapped files, as an iterable of (X, y) chunks.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), default=None
        Their weights; None means that every row has weight 1.
    size : int, default=65536
        Number of rows of a chunk.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble import RVFLClassifier
    >>> from kernsemble.tables import RowChunks
    >>> X = np.random.RandomState(0).randn(1000, 3)
    >>> chunks = RowChunks(X, X[:, 0] > X[:, 1], size=300)
    >>> bool(RVFLClassifier(random_state=0).fit(chunks).score(X, X[:, 0] > X[:, 1]) > 0.9)
    True
    """

    def __init__(self, X, y, sample_weight=None, size=65_536):
        self.X = X
        self.y = y
        self.sample_weight = sample_weight
        self.size = size

    def __len__(self):
        return -(-len(self.X) // self.size)

    def __iter__(self):
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number):
        if not 0 <= number < len(self):
            raise IndexError(number)
        rows = slice(number * self.size, (number + 1) * self.size)
        # The memory of a copy can be freed after use, unlike the pages of a mapped file.
        chunk = [np.array(self.X[rows]), np.asarray(self.y[rows])]
        if self.sample_weight is not None:
            chunk.append(np.asarray(self.sample_weight[rows]))
        return tuple(chunk)


class StreamTable(ChunkedTable):
    """A table of chunks (X, y) or (X, y, sample_weight), which are read once per pass.

    The states of a scan are kept in memory.
    """

    def __init__(self, chunks, class_weight, accept_sparse):
        self.chunks = chunks
        self.random_access = hasattr(chunks, "__getitem__") and hasattr(chunks, "__len__")
        facts = [find_facts(X, y, w, accept_sparse) for X, y, w in map(_three, chunks)]
        super().__init__(facts, class_weight, accept_sparse)

    def _read(self, wanted=None):
        """Yield the rows of all parts, or of the wanted ones."""
        wanted = range(len(self.places)) if wanted is None else wanted
        place_of = {self.places[part]: part for part in wanted}
        last = max(place_of, default=-1)
        chunks: Any
        if self.random_access:
            chunks = ((place, self.chunks[place]) for place in place_of)
        else:
            chunks = enumerate(self.chunks)
        for place, chunk in chunks:
            if place in place_of:
                rows = self.reader(int(self.starts[place_of[place]]), *_three(chunk))
                if rows.n_rows != self.sizes[place_of[place]]:
                    raise ValueError(
                        f"Chunk {place} has {rows.n_rows} rows, but in the first pass it had "
                        f"{self.sizes[place_of[place]]}; every pass must yield the same chunks."
                    )
                yield rows
            if place >= last:
                return

    def total(self, function, *args):
        result = None
        for rows in self._read():
            term = function(rows, *args)
            result = term if result is None else add(result, term)
        return result

    def scan(self, function, states, *args):
        states = [None] * len(self.places) if states is None else list(states)
        result = None
        for part, rows in enumerate(self._read()):
            term, states[part] = function(rows, states[part], *args)
            result = term if result is None else add(result, term)
        return result, states

    def gather(self, function, *args, finish=None, places=None):
        parts = [function(rows, *args) for rows in self._read(places)]
        return parts if finish is None else finish(parts)


def _three(chunk):
    if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
        raise TypeError(f"A chunk must be (X, y) or (X, y, sample_weight), got {type(chunk)}.")
    return (*chunk, None) if len(chunk) == 2 else tuple(chunk)
