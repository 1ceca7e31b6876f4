"""Random draws of rows: from all rows, by class, in subsets and in folds."""

import warnings

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.random import sample_without_replacement

from ..seeds import draw_seed

SUBSET_RULES = ("pair", "random", "stratified")
#: Largest number of rows used to calibrate probabilities; one temperature needs no more.
CALIBRATION_ROWS = 20_000
#: Largest number of their scores, where classes are many.
CALIBRATION_SCORES = 1 << 26
# Up to this many rows, a permutation of all rows is fast enough.
PERMUTED_ROWS = 1 << 24


def draw_rows(n_rows, size, rng):
    """Return the numbers of `size` different rows, in no particular order."""
    if n_rows <= PERMUTED_ROWS:
        return rng.choice(n_rows, size, replace=False)
    return sample_without_replacement(n_rows, size, random_state=rng)


def calibration_rows(n_rows, n_scores=1):
    """Return the numbers of the rows that calibrate probabilities.

    These are all rows or, if there are many, or many scores of each, a sample. The sample is the
    same for every seed of the estimator, because no part of the fitted model depends on it.
    """
    most = min(CALIBRATION_ROWS, CALIBRATION_SCORES // n_scores)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(draw_rows(n_rows, most, np.random.RandomState(0)))


def proportional_quotas(sizes, total):
    """Divide `total` in proportion to `sizes`, with at least 1 for each if that is possible."""
    at_least = int(total >= sizes.size)
    exact = sizes * (total / sizes.sum())
    quotas = np.maximum(np.floor(exact).astype(int), at_least)
    while quotas.sum() > total:
        quotas[np.argmax(np.where(quotas > at_least, quotas - exact, -np.inf))] -= 1
    while quotas.sum() < total:
        quotas[np.argmax(np.where(quotas < sizes, exact - quotas, -np.inf))] += 1
    return quotas


def draw_by_class(class_rows, quotas, rng, *, n_draws=1, draw=draw_rows):
    """Return row numbers of shape (n_draws, sum of quotas), drawn within each class.

    Parameters
    ----------
    class_rows : ClassRows
    quotas : ndarray of int of shape (n_classes,)
        Number of rows to draw from each class.
    rng : RandomState
    n_draws : int, default=1
        Number of independent draws. Their rows are located together, because that may take a pass
        over the data.
    draw : callable, default=draw_rows
    """
    ranks = [
        np.concatenate([draw(size, quota, rng) for size, quota in zip(class_rows.sizes, quotas)])
        for _ in range(n_draws)
    ]
    codes = np.repeat(np.arange(len(quotas)), quotas)
    return class_rows.locate(np.broadcast_to(codes, (n_draws, codes.size)), np.stack(ranks))


def shuffle_by_class(codes, rng):
    """Return row numbers sorted by class, in random order within each class."""
    shuffled = rng.permutation(len(codes))
    return shuffled[np.argsort(codes[shuffled], kind="stable")]


def spread_classes(codes, rng):
    """Return a random order of the rows in which every section has the classes in proportion."""
    by_class = shuffle_by_class(codes, rng)
    sizes = np.bincount(codes)
    place = np.concatenate([(np.arange(n) + rng.rand()) / n for n in sizes if n])
    return by_class[np.argsort(place, kind="stable")]


def draw_typical_rows(codes, size, rng):
    """Return about `size` row numbers with the classes in proportion, at least one row of each."""
    by_class = shuffle_by_class(codes, rng)
    spread = by_class[np.linspace(0, len(codes) - 1, size).round().astype(int)]
    _, first = np.unique(codes, return_index=True)
    return np.union1d(spread, first)


def copies_in_folds(rows, n_folds, rng):
    """Return how many copies of each row every fold has, of shape (n_folds, n_rows).

    The copies of a row are dealt out to the folds, each of which has the classes in proportion.
    """
    order = shuffle_by_class(rows.codes, rng)
    copies = np.ones(rows.n_rows) if rows.copies is None else rows.copies
    stop = np.cumsum(copies[order])
    edges = np.stack([stop - copies[order], stop])
    # Copy number k is in fold k modulo n_folds; so many copies below an edge are in each fold.
    below = np.ceil((edges[:, None] - np.arange(n_folds)[:, None]) / n_folds)
    folds = np.empty(below.shape[1:])
    folds[:, order] = below[1] - below[0]
    return folds


def inner_folds(codes, n_folds, rng):
    """Return pairs (rest, fold) of row numbers, stratified if the classes are large enough."""
    n_folds = min(n_folds, len(codes))
    frequent = np.bincount(codes).max() >= n_folds
    splitter = StratifiedKFold if frequent else KFold
    with warnings.catch_warnings():
        # scikit-learn warns about classes with fewer rows than folds, which are allowed here.
        warnings.simplefilter("ignore", UserWarning)
        splits = splitter(n_folds, shuffle=True, random_state=draw_seed(rng)).split(codes, codes)
        return list(splits)


def draw_subsets(class_rows, rule, size, n_subsets, rng):
    """Return subsets of the rows that contain every class if that is possible.

    Parameters
    ----------
    class_rows : ClassRows
        Every class has at least one row.
    rule : {"pair", "random", "stratified"}
        "pair" draws one row of each class. "random" draws from all rows; a row of a missing class
        then replaces a row whose class has several. "stratified" draws from each class in
        proportion to its size, at least one row each.
    size : int
        Number of rows of a subset. If it is below the number of classes, some classes are missing.
    n_subsets : int
    rng : RandomState

    Returns
    -------
    ndarray of int of shape (n_subsets, size)
    """
    if rule == "random":
        return _draw_at_random(class_rows, size, n_subsets, rng)
    quotas = np.ones(len(class_rows.sizes), dtype=int)
    if rule == "stratified":
        quotas = proportional_quotas(class_rows.sizes, size)
    return draw_by_class(class_rows, quotas, rng, n_draws=n_subsets, draw=_draw_few)


def _draw_few(n_rows, size, rng):
    # A permutation of all rows for every small subset would take longer than fitting its machine.
    return sample_without_replacement(n_rows, size, random_state=rng)


def _draw_at_random(class_rows, size, n_subsets, rng):
    n_rows, n_classes = class_rows.sizes.sum(), len(class_rows.sizes)
    subsets = np.stack([_draw_few(n_rows, size, rng) for _ in range(n_subsets)])
    if size < n_classes:
        return subsets
    codes = class_rows.codes_of(subsets.ravel()).reshape(subsets.shape)
    swaps = []
    for number, own in enumerate(codes):
        counts = np.bincount(own, minlength=n_classes)
        for missing in np.flatnonzero(counts == 0):
            # Some class has several rows, because the subset has at least as many rows as classes.
            spare = np.flatnonzero(counts[own] > 1)
            given_up = spare[rng.randint(spare.size)]
            counts[own[given_up]] -= 1
            counts[missing] += 1
            own[given_up] = missing
            swaps.append((number, given_up, missing, rng.randint(class_rows.sizes[missing])))
    if swaps:
        numbers, places, missing, ranks = np.array(swaps).T
        subsets[numbers, places] = class_rows.locate(missing, ranks)
    return subsets
