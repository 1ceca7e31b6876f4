"""Free text → a few components of its character n-grams, found by skrub, which is optional.

A fitted codec holds what skrub found as plain arrays, so that a model file needs no type of skrub
and new rows need no skrub.
"""

from typing import Any, NamedTuple

import numpy as np

from .cells import CATEGORY

#: Number of components of a text column.
N_COMPONENTS = 20
#: A column of strings is free text if most of its values are distinct and have this many words.
MIN_WORDS = 3.0
# Lengths of the n-grams of `skrub.StringEncoder`, which do not cross the edges of words.
_LENGTHS = (3, 4)


class Text(NamedTuple):
    """A column of free text.

    Attributes
    ----------
    ngrams : ndarray of str of shape (n_ngrams,)
    weights : ndarray of shape (n_ngrams,)
        Their inverse document frequencies.
    directions : ndarray of shape (n_ngrams, n_components)
        The first singular directions of weighted counts, on one scale.
    """

    name: Any
    ngrams: Any
    weights: Any
    directions: Any

    @property
    def kind(self):
        return CATEGORY

    @property
    def n_levels(self):
        return (0,) * self.directions.shape[1]

    @property
    def names_out(self):
        return tuple(f"{self.name} {part}" for part in range(self.directions.shape[1]))

    def __call__(self, cells):
        Z = np.full((len(cells.missing), self.directions.shape[1]), np.nan)
        known = np.flatnonzero(~cells.missing)
        if known.size:
            Z[known] = _count(_texts(cells, known), self.ngrams, self.weights) @ self.directions
        return Z


def _count(texts, ngrams, weights):
    """Return the weighted counts of n-grams, every row of length one, as a sparse matrix."""
    # Imported here because few tables hold text.
    from sklearn.feature_extraction.text import TfidfVectorizer

    counter = TfidfVectorizer(
        analyzer="char_wb", ngram_range=_LENGTHS, vocabulary=ngrams.tolist(), dtype=np.float64
    )
    counter.idf_ = weights
    return counter.transform(texts)


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
    import pandas as pd

    texts = _texts(cells, np.flatnonzero(~cells.missing))
    encoder = StringEncoder(
        n_components=min(N_COMPONENTS, len(texts) - 1), ngram_range=_LENGTHS, random_state=0
    )
    found = np.asarray(encoder.fit_transform(pd.Series(texts, name="text", dtype="str")))
    ngrams = encoder.vectorizer_.get_feature_names_out().astype(str)
    weights = np.asarray(encoder.vectorizer_.idf_, dtype=float)
    directions = np.eye(len(ngrams), found.shape[1])
    if hasattr(encoder, "tsvd_"):
        directions = encoder.tsvd_.components_.T.astype(float)
    # skrub divides all components by one number, which has another name in each of its versions.
    unscaled = _count(texts, ngrams, weights) @ directions
    scale = np.linalg.norm(found) / np.linalg.norm(unscaled)
    return Text(cells.name, ngrams, weights, directions * scale)


def _texts(cells, rows):
    """Return the texts of some rows; arrays of texts cannot hold a NUL at the end of one."""
    return [str(cells.values[row]).replace("\0", " ") for row in rows]
