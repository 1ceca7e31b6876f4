"""The parameter `categorical_features` → which columns hold categories."""

from numbers import Integral

import numpy as np

from .cells import CATEGORY


def choose_categories(cells, categorical_features):
    """Return a mask of the columns that hold categories.

    Parameters
    ----------
    cells : list of Cells
    categorical_features : "from_dtype", array-like or None
        "from_dtype" means strings, categories and truth values. A list has the names or the
        positions of the categories, or a truth value for every column; None means that there are
        none.
    """
    found = np.array([own.kind == CATEGORY for own in cells])
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                "categorical_features must be 'from_dtype', None, or a list of names, positions "
                f"or truth values, got {categorical_features!r}."
            )
        return found
    chosen = _as_mask(cells, categorical_features)
    left = [str(own.name) for own, lost in zip(cells, found & ~chosen) if lost]
    if left:
        raise ValueError(
            f"Columns {', '.join(left)} hold no numbers and are not among categorical_features; "
            "add them, or leave them out of X."
        )
    return chosen


def _as_mask(cells, given):
    n, mask = len(cells), np.zeros(len(cells), dtype=bool)
    values = [] if given is None else list(np.asarray(given, dtype=object).ravel())
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        if len(values) != n:
            raise ValueError(
                f"categorical_features has {len(values)} truth values, but X has {n} columns."
            )
        return np.array(values, dtype=bool)
    names = {own.name: place for place, own in enumerate(cells)}
    for value in values:
        if value in names and not isinstance(value, (bool, np.bool_)):
            mask[names[value]] = True
        elif isinstance(value, Integral) and 0 <= int(value) < n:
            mask[int(value)] = True
        else:
            raise ValueError(
                f"categorical_features has {value!r}, which is no column of X: names are "
                f"{', '.join(map(str, list(names)[:20]))}, positions 0 to {n - 1}."
            )
    return mask
