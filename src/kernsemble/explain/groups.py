"""Columns by name and by number, alone and in groups."""

import numpy as np


def column_groups(groups, names, *, with_rest):
    """Return names and columns of groups.

    Parameters
    ----------
    groups : dict or None
        Name of a group → its columns, by name or by number; None means every column for itself.
    names : ndarray of str of shape (n_columns,)
    with_rest : bool
        Whether every column that is in no group is added as a group of its own.

    Returns
    -------
    group_names : ndarray of str of shape (n_groups,)
    columns : list of ndarray of int
    """
    if groups is None:
        return names, [np.array([j]) for j in range(len(names))]
    if not isinstance(groups, dict) or not groups:
        raise ValueError(
            f"groups must be a dict from names to lists of columns, or None, got {groups!r}."
        )
    places = {str(name): j for j, name in enumerate(names)}
    found = {str(name): _numbers(name, columns, places) for name, columns in groups.items()}
    taken = np.concatenate(list(found.values()))
    if with_rest:
        if len(np.unique(taken)) < len(taken):
            twice = names[np.flatnonzero(np.bincount(taken) > 1)].tolist()
            raise ValueError(f"groups must not share columns, but {twice} are in several.")
        rest = np.setdiff1d(np.arange(len(names)), taken)
        found |= {str(names[j]): np.array([j]) for j in rest}
    return np.array(list(found)), list(found.values())


def _numbers(group, columns, places):
    columns = [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)
    numbers = []
    for column in columns:
        number = places.get(column) if isinstance(column, str) else column
        if not isinstance(number, (int, np.integer)) or not 0 <= number < len(places):
            raise ValueError(
                f"groups[{group!r}] names the column {column!r}; known are "
                f"{', '.join(list(places)[:10])}{' …' if len(places) > 10 else ''}."
            )
        numbers.append(int(number))
    if not numbers:
        raise ValueError(f"groups[{group!r}] must name at least one column, got none.")
    return np.array(sorted(set(numbers)))
