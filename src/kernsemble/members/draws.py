"""Random subsets of the training rows that hold every class where that is possible."""

import numpy as np
from sklearn.utils.random import sample_without_replacement

from ..maps.landmarks import proportional_quotas

__all__ = ["SUBSET_RULES", "SubsetSampler"]

SUBSET_RULES = ("pair", "random", "stratified")


class SubsetSampler:
    """Draws subsets of the rows.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,)
        Classes 0, …, each with a row.
    rule : {"pair", "random", "stratified"}
        One row of each class; rows at random, where a class that came away empty takes the place
        of a row whose class has several; or classes in proportion to their size, at least one row
        each.
    size : int
        Rows of a subset; with fewer than there are classes some of them must stay out.
    """

    def __init__(self, codes, rule, size):
        self.codes = codes
        self.rule = rule
        self.size = size
        order = np.argsort(codes, kind="stable")
        sizes = np.bincount(codes)
        self.by_class = np.split(order, np.cumsum(sizes)[:-1])
        if rule == "stratified":
            self.quotas = proportional_quotas(sizes, size)
        elif rule == "pair":
            self.quotas = np.ones(len(sizes), dtype=int)

    def draw(self, n_subsets, rng):
        """Return row numbers, of shape (n_subsets, size)."""
        draw_one = self._random if self.rule == "random" else self._by_quota
        return np.stack([draw_one(rng) for _ in range(n_subsets)])

    def _by_quota(self, rng):
        return np.concatenate(
            [
                rows[_choose(rows.size, quota, rng)]
                for rows, quota in zip(self.by_class, self.quotas)
            ]
        )

    def _random(self, rng):
        subset = _choose(self.codes.size, self.size, rng)
        n_classes = len(self.by_class)
        if self.size < n_classes:
            return subset
        counts = np.bincount(self.codes[subset], minlength=n_classes)
        for missing in np.flatnonzero(counts == 0):
            # Some class has several rows, since the subset has at least as many as there are.
            spare = np.flatnonzero(counts[self.codes[subset]] > 1)
            given_up = spare[rng.randint(spare.size)]
            counts[self.codes[subset[given_up]]] -= 1
            rows = self.by_class[missing]
            subset[given_up] = rows[rng.randint(rows.size)]
            counts[missing] += 1
        return subset


def _choose(total, size, rng):
    # A permutation of all rows for every small subset would cost more than fitting its machine.
    return sample_without_replacement(total, size, random_state=rng)
