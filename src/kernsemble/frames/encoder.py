"""A table with columns of any kind → the array of floats that the library works with.

Numbers stay numbers, categories become the codes of their levels, and a missing value or an
unknown level is NaN. Every column keeps the kind that it had in training.
"""

import json
import re
from typing import Any, NamedTuple

import numpy as np

from ..tables import Columns
from ..tables.columns import COMMON, LEVELS, SHARES
from ..validation import warn_user
from .categories import choose_categories
from .cells import CATEGORY, DATE, NUMBER, read_columns
from .class_shares import fit_class_shares
from .codecs import MOMENT, Calendar, LeftOut, Numbers, fit_calendar, fit_levels
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
    keeps_codes : bool
        Whether the codes stay all the same, for models that use either.

    Examples
    --------
    >>> X = np.array([[1.5, "red"], [None, "blue"], [2.5, "red"]], dtype=object)
    >>> encoder, Z, columns = fit_encoder(X)
    >>> Z
    array([[1.5, 1. ],
           [nan, 0. ],
           [2.5, 1. ]])
    >>> columns
    Columns(n_levels=array([0, 2]), has_missing=array([ True, False]), roles=None)
    >>> encoder(np.array([[0.5, "green"]], dtype=object))
    array([[0.5, nan]])
    """

    codecs: list
    class_shares: Any = ()
    keeps_codes: bool = False

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
        shares = () if self.keeps_codes else self.class_shares
        gone = [column for own in shares for column in own.columns]
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
            f"{self.codecs[owner].name} class share {part}"
            for shares, owner in zip(self.class_shares, self._owners())
            for part in range(shares.n_outputs)
        ]
        return self._replaced(np.array(names, dtype=object), np.array(more, dtype=object)).tolist()

    @property
    def roles(self):
        """Roles of the columns of the array; None if it has no levels beside class shares."""
        if not (self.keeps_codes and self.class_shares):
            return None
        codes = np.full(len(self._code_origins()), COMMON)
        for own in self.class_shares:
            codes[own.columns] = LEVELS
        n_more = sum(own.n_outputs for own in self.class_shares)
        return np.concatenate([codes, np.full(n_more, SHARES)])

    def columns(self, Z):
        """Return what the columns of an array of training rows hold."""
        return Columns(self.n_levels, np.isnan(Z).any(axis=0), self.roles)

    @property
    def origins(self):
        """Position of the user's column that every column of the array comes from."""
        more = [np.full(own.n_outputs, k) for own, k in zip(self.class_shares, self._owners())]
        return self._replaced(self._code_origins(), *more)

    def _code_origins(self):
        widths = [len(codec.n_levels) for codec in self.codecs]
        return np.repeat(np.arange(len(widths)), widths)

    def _owners(self):
        """Return the position of the user's column that class shares belong to, for each."""
        first = [own.columns[0] for own in self.class_shares]
        return self._code_origins()[np.array(first, dtype=np.intp)]

    def with_class_shares(self, Z, columns, y, sample_weight=None, *, keep_codes=False):
        """Return the encoder, rows and columns with the class shares of columns with many levels.

        The parameters are those of `fit_class_shares`, for rows that this encoder made, and
        whether the codes of these columns are kept.
        """
        # Without its days and hours a date would be nothing but its class shares.
        dates = self._moments() if keep_codes else ()
        found, training = fit_class_shares(Z, columns, y, sample_weight, dates)
        if not found:
            return self, Z, columns
        encoder = self._replace(class_shares=found, keeps_codes=keep_codes)
        Z = encoder._replaced(Z, training)
        return encoder, Z, encoder.columns(Z)

    def _moments(self):
        """Return for every date the columns that say together when it is."""
        ends = np.cumsum([len(codec.n_levels) for codec in self.codecs])
        return [
            [end - len(codec.parts) + k for k, part in enumerate(codec.parts) if part in MOMENT]
            for codec, end in zip(self.codecs, ends.tolist())
            if isinstance(codec, Calendar)
        ]


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
    return encoder, Z, encoder.columns(Z)


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
    # What has a type for categories is one, because the user says so; texts may be anything.
    if given or not cells.free or n_levels <= FEW_LEVELS or 2 * n_levels <= n_known:
        return codec
    if looks_like_text(codec.levels):
        return fit_text(cells)
    warn_user(
        f"Column {cells.name} has {n_levels} levels in {n_known} rows, so it identifies rows and "
        "is left out; if it shall be used, make it a category: astype('category') in Python, a "
        f'file with `[columns]` and `{_toml_name(cells.name)} = "category"` for --columns of the '
        "command line."
    )
    return LeftOut(cells.name)


def _toml_name(name):
    """Return the name of a column as a key in a TOML file."""
    text = str(name)
    bare = re.fullmatch(r"[A-Za-z0-9_-]+", text)
    return text if bare else json.dumps(text, ensure_ascii=False)


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
