"""Free text → a few components of its character n-grams, by skrub, which is optional."""

from typing import Any, NamedTuple

import numpy as np

from .cells import CATEGORY

#: Number of components of a text column.
N_COMPONENTS = 20
#: A column of strings is free text if most of its values are distinct and have this many words.
MIN_WORDS = 3.0


class Text(NamedTuple):
    """A column of free text.

    Attributes
    ----------
    encoder : skrub.StringEncoder
        Fitted: weighted character n-grams, of which the first singular directions are kept.
    n_components : int
    """

    name: Any
    encoder: Any
    n_components: int

    @property
    def kind(self):
        return CATEGORY

    @property
    def n_levels(self):
        return (0,) * self.n_components

    @property
    def names_out(self):
        return tuple(f"{self.name} {part}" for part in range(self.n_components))

    def __call__(self, cells):
        Z = np.full((len(cells.missing), self.n_components), np.nan)
        known = np.flatnonzero(~cells.missing)
        if known.size:
            Z[known] = np.asarray(self.encoder.transform(_series(cells, known)))
        return Z


def looks_like_text(values):
    """Return whether distinct strings are sentences rather than names.

    Examples
    --------
    >>> looks_like_text(["The engine was cold.", "A red light went on."])
    True
    >>> looks_like_text(["ID-1", "ID-2"])
    False
    """
    return bool(np.mean([1 + str(value).strip().count(" ") for value in values]) >= MIN_WORDS)


def fit_text(cells):
    """Return the codec of a column of free text."""
    try:
        from skrub import StringEncoder
    except ImportError:
        raise ImportError(
            f"Column {cells.name} holds free text, which needs the package skrub: install "
            "kernsemble[text], or leave the column out."
        ) from None
    known = np.flatnonzero(~cells.missing)
    n_components = min(N_COMPONENTS, len(known) - 1)
    encoder = StringEncoder(n_components=n_components, random_state=0)
    found = encoder.fit_transform(_series(cells, known))
    return Text(cells.name, encoder, np.asarray(found).shape[1])


def _series(cells, rows):
    import pandas as pd

    return pd.Series([cells.values[row] for row in rows], name=str(cells.name), dtype="str")
