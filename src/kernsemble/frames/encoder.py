"""A table with columns of any kind → the array of floats that the library works with.

Numbers stay numbers, categories become the codes of their levels, and a missing value or an
unknown level is NaN. Every column keeps the kind that it had in training.
"""

from typing import Any, NamedTuple

import numpy as np

from ..tables import Columns
from ..validation import warn_user
from .categories import choose_categories
from .cells import CATEGORY, DATE, NUMBER, read_columns
from .class_shares import fit_class_shares
from .codecs import LeftOut, Numbers, fit_calendar, fit_levels
from .text import Text, fit_text, looks_like_text

#: A category with more levels than this, most of them in one row alone, is an identifier or a text.
FEW_LEVELS = 50


class Encoder(NamedTuple):
    """A fitted function from tables of any library to arrays of floats.

    Attributes
    ----------
    codecs : list
        One for every column of the training table; see `kernsemble.frames.codecs`.
    class_shares : list of ClassShares
        What columns with many levels say about the classes, at the end and in place of their codes.

    Examples
    --------
    >>> X = np.array([[1.5, "red"], [None, "blue"], [2.5, "red"]], dtype=object)
    >>> encoder, Z, columns = fit_encoder(X)
    >>> Z
    array([[1.5, 1. ],
           [nan, 0. ],
           [2.5, 1. ]])
    >>> columns
    Columns(n_levels=array([0, 2]), has_missing=array([ True, False]))
    >>> encoder(np.array([[0.5, "green"]], dtype=object))
    array([[0.5, nan]])
    """

    codecs: list
    class_shares: Any = ()

    def __call__(self, X):
        cells = read_columns(X)
        wrong = [
            f"{codec.name} (holds {own.kind}, held {codec.kind} in training)"
            for codec, own in zip(self.codecs, cells)
            if own.kind is not None and not _fits(codec, own)
        ]
        if wrong:
            raise ValueError(
                f"Columns of X are of another kind than in training: {', '.join(wrong)}; "
                "convert them, or make values that are not known missing."
            )
        Z = np.hstack([codec(own) for codec, own in zip(self.codecs, cells)])
        return self._replaced(Z, *(shares(Z) for shares in self.class_shares))

    def _replaced(self, values, *more):
        """Return columns, or what is known of each, without those that class shares replace."""
        gone = [shares.column for shares in self.class_shares]
        return np.concatenate([np.delete(values, gone, axis=-1), *more], axis=-1)

    @property
    def n_levels(self):
        """Number of levels of every column of the array; 0 for numbers."""
        n_levels = [n for codec in self.codecs for n in codec.n_levels]
        n_more = sum(shares.n_outputs for shares in self.class_shares)
        return self._replaced(np.array(n_levels, dtype=np.intp), np.zeros(n_more, dtype=np.intp))

    @property
    def names_out(self):
        """Names of the columns of the array."""
        names = [name for codec in self.codecs for name in codec.names_out]
        more = [
            f"{names[shares.column]} class share {part}"
            for shares in self.class_shares
            for part in range(shares.n_outputs)
        ]
        return self._replaced(np.array(names, dtype=object), np.array(more, dtype=object)).tolist()

    def with_class_shares(self, Z, columns, y, sample_weight=None):
        """Return the encoder, rows and columns with the class shares of columns with many levels.

        The parameters are those of `fit_class_shares`, for rows that this encoder made.
        """
        found, training = fit_class_shares(Z, columns, y, sample_weight)
        if not found:
            return self, Z, columns
        encoder = self._replace(class_shares=found)
        known = np.zeros(training.shape[1], dtype=bool)
        has_missing = encoder._replaced(columns.has_missing, known)
        return encoder, encoder._replaced(Z, training), Columns(encoder.n_levels, has_missing)


def _fits(codec, cells):
    if codec.kind is None:
        return True
    if codec.kind != CATEGORY:
        return cells.kind == codec.kind
    if isinstance(codec, Text):
        return cells.kind == CATEGORY and isinstance(_first(cells), str)
    # Levels that are numbers may come as numbers or as categories.
    of_texts = codec.levels.dtype.kind == "U"
    return cells.kind in (CATEGORY, NUMBER) and isinstance(_first(cells), str) == of_texts


def _first(cells):
    return cells.values[int(np.argmin(cells.missing))]


def fit_encoder(X, categorical_features="from_dtype"):
    """Fit an encoder to the training rows.

    Parameters
    ----------
    X : data frame or array of objects of shape (n_samples, n_features)
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        The columns that hold categories; see `kernsemble.frames.categories`.

    Returns
    -------
    encoder : Encoder
    Z : ndarray of shape (n_samples, n_columns)
    columns : Columns
        What the columns of `Z` hold.
    """
    cells = read_columns(X)
    chosen = choose_categories(cells, categorical_features)
    given = not isinstance(categorical_features, str)
    encoder = Encoder([_fit_codec(own, is_one, given) for own, is_one in zip(cells, chosen)])
    Z = np.hstack([codec(own) for codec, own in zip(encoder.codecs, cells)])
    if not Z.shape[1]:
        raise ValueError("X has no column left that can be used: all values are missing (NaN).")
    return encoder, Z, Columns(encoder.n_levels, np.isnan(Z).any(axis=0))


def _fit_codec(cells, is_category, given):
    """Return the codec of one column; `given` says that the user chose the categories."""
    if cells.kind is None:
        warn_user(f"Column {cells.name} has no known value in training and is left out.")
        return LeftOut(cells.name)
    if not is_category:
        return fit_calendar(cells) if cells.kind == DATE else Numbers(cells.name)
    codec = fit_levels(cells)
    if codec.levels.dtype.kind == "U":
        _warn_of_alike(codec)
    n_levels, n_known = len(codec.levels), int(np.sum(~cells.missing))
    if given or n_levels <= FEW_LEVELS or 2 * n_levels <= n_known:
        return codec
    if cells.free and looks_like_text(codec.levels):
        return fit_text(cells)
    warn_user(
        f"Column {cells.name} has {n_levels} levels in {n_known} rows, so it identifies rows and "
        "is left out; name it in categorical_features if it shall be used."
    )
    return LeftOut(cells.name)


def _warn_of_alike(codec):
    """Warn when levels differ in case or in spaces only."""
    seen: dict[str, Any] = {}
    for level in codec.levels.tolist():
        same = seen.setdefault(" ".join(level.split()).casefold(), level)
        if same != level:
            warn_user(
                f"Column {codec.name} has levels that differ in case or spaces only, such as "
                f"{same!r} and {level!r}; they count as different levels."
            )
            return
