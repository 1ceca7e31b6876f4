"""Random subsets of the training rows that hold every class where that is possible."""

import numpy as np
from sklearn.utils.random import sample_without_replacement

from .base import ClassRows, KnownCodes

__all__ = ["SUBSET_RULES", "SubsetSampler", "proportional_quotas"]

SUBSET_RULES = ("pair", "random", "stratified")


class SubsetSampler:
    """Draws subsets of the rows.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,) or ClassRows
        Classes 0, …, each with a row.
    rule : {"pair", "random", "stratified"}
        One row of each class; rows at random, where a class that came away empty takes the place
        of a row whose class has several; or classes in proportion to their size, at least one row
        each.
    size : int
        Rows of a subset; with fewer than there are classes some of them must stay out.
    """

    def __init__(self, codes, rule, size):
        self.classes = codes if isinstance(codes, ClassRows) else KnownCodes(codes)
        self.rule = rule
        self.size = size
        sizes = self.classes.sizes
        if rule == "stratified":
            self.quotas = proportional_quotas(sizes, size)
        elif rule == "pair":
            self.quotas = np.ones(len(sizes), dtype=int)

    def draw(self, n_subsets, rng):
        """Return row numbers, of shape (n_subsets, size)."""
        if self.rule == "random":
            return self._draw_at_random(n_subsets, rng)
        sizes, quotas = self.classes.sizes, self.quotas
        ranks = [
            np.concatenate([_choose(size, quota, rng) for size, quota in zip(sizes, quotas)])
            for _ in range(n_subsets)
        ]
        # Where the rows are is asked once for all subsets, since it may take a pass over them.
        codes = np.repeat(np.arange(len(quotas)), quotas)
        return self.classes.locate(np.broadcast_to(codes, (n_subsets, codes.size)), np.stack(ranks))

    def _draw_at_random(self, n_subsets, rng):
        n_rows, n_classes = self.classes.sizes.sum(), len(self.classes.sizes)
        subsets = np.stack([_choose(n_rows, self.size, rng) for _ in range(n_subsets)])
        if self.size < n_classes:
            return subsets
        codes = self.classes.codes_of(subsets.ravel()).reshape(subsets.shape)
        swaps = []
        for number, own in enumerate(codes):
            counts = np.bincount(own, minlength=n_classes)
            for missing in np.flatnonzero(counts == 0):
                # Some class has several rows, since the subset has at least as many as there are.
                spare = np.flatnonzero(counts[own] > 1)
                given_up = spare[rng.randint(spare.size)]
                counts[own[given_up]] -= 1
                counts[missing] += 1
                own[given_up] = missing
                swaps.append((number, given_up, missing, rng.randint(self.classes.sizes[missing])))
        if swaps:
            numbers, places, missing, ranks = np.array(swaps).T
            subsets[numbers, places] = self.classes.locate(missing, ranks)
        return subsets


def _choose(total, size, rng):
    # A permutation of all rows for every small subset would cost more than fitting its machine.
    return sample_without_replacement(total, size, random_state=rng)


def proportional_quotas(sizes, total):
    """Share `total` out in proportion to `sizes`, at least one each if there are enough."""
    at_least = int(total >= sizes.size)
    exact = sizes * (total / sizes.sum())
    quotas = np.maximum(np.floor(exact).astype(int), at_least)
    while quotas.sum() > total:
        quotas[np.argmax(np.where(quotas > at_least, quotas - exact, -np.inf))] -= 1
    while quotas.sum() < total:
        quotas[np.argmax(np.where(quotas < sizes, exact - quotas, -np.inf))] += 1
    return quotas
