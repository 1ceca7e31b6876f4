"""Novelty: how unlike the training rows a row is, as a p-value.

A row is typical when its nearest training rows are close. Every training row gets the same measure
against all others, with itself left out, so a new row can be ranked among them: if it comes from
where they come from, every rank is equally likely.
"""

from typing import NamedTuple

import numpy as np

from ..maps.views import fit_scaled_view

# A few neighbours smooth the distance without hiding a small group of rows among many.
N_NEIGHBORS = 5
# Rows beyond this number would sharpen p-values that are already multiples of 1 / 4001.
MAX_REFERENCE = 4000


class MixedCoordinates(NamedTuple):
    """Rows with categories and missing values → coordinates that can be compared.

    Attributes
    ----------
    middle : ndarray of shape (n_columns,)
        What stands for a missing number.
    n_levels : ndarray of int of shape (n_columns,)
        Number of levels of every category; 0 for numbers.
    has_missing : ndarray of bool of shape (n_columns,)
        Columns that get an indicator of missing values.
    """

    middle: np.ndarray
    n_levels: np.ndarray
    has_missing: np.ndarray

    @classmethod
    def of(cls, reference, n_levels=None):
        """Return the coordinates for rows like the reference."""
        missing = np.isnan(reference)
        known = np.where(missing.all(axis=0), 0.0, reference)
        n_levels = np.zeros(reference.shape[1], dtype=int) if n_levels is None else n_levels
        return cls(np.nanmedian(known, axis=0), n_levels, missing.any(axis=0))

    def __call__(self, X):
        numbers = self.n_levels == 0
        parts = [np.where(np.isnan(X), self.middle, X)[:, numbers]]
        parts.append(np.isnan(X)[:, self.has_missing & numbers])
        for j in np.flatnonzero(self.n_levels):
            # A missing value, or an unknown level, is like no level.
            parts.append(X[:, [j]] == np.arange(self.n_levels[j]))
        return np.hstack(parts).astype(np.float64)


def novelty_p_values(rows, reference, n_levels=None):
    """Return a p-value for each of some new rows: small for rows unlike the reference.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        New rows, in the coordinates of the reference.
    reference : ndarray of shape (n_reference, n_columns)
        Training rows, or rows drawn evenly from them. Columns are scaled here.
    n_levels : ndarray of int of shape (n_columns,), default=None
        Number of levels of columns that hold codes of categories, 0 for numbers; None means
        numbers alone. NaN is a missing value.

    Returns
    -------
    p : ndarray of shape (n_rows,)
        The share of reference rows, and the row itself, that are at least as far from the others.
        Uniform for rows drawn like the reference.
    """
    compared = MixedCoordinates.of(reference, n_levels)
    rows, reference = compared(rows), compared(_some(reference))
    look = fit_scaled_view(reference)
    index, known = _leave_one_out(look(reference))
    n_neighbors = min(N_NEIGHBORS, len(reference))
    distances = index.kneighbors(look(rows), n_neighbors)[0].mean(axis=1)
    return _rank(distances, known)


def own_p_values(reference, n_levels=None):
    """Return the p-value of each training row among all of them, itself left out.

    Where the rows are many, each is compared with a sample.
    """
    sample = _some(reference)
    if len(sample) < len(reference):
        # A row of the sample would find itself at distance 0, so it is compared on its own.
        chosen = _chosen(len(reference))
        p = np.empty(len(reference))
        others = np.setdiff1d(np.arange(len(reference)), chosen)
        p[chosen] = own_p_values(sample, n_levels)
        p[others] = novelty_p_values(reference[others], sample, n_levels)
        return p
    Z = MixedCoordinates.of(reference, n_levels)(reference)
    distances = _leave_one_out(fit_scaled_view(Z)(Z))[1]
    # The row is one of the n that it is ranked among.
    below = np.searchsorted(np.sort(distances), distances, side="left")
    return (len(distances) - below) / len(distances)


def _leave_one_out(Z):
    """Return the search index of rows, and the mean distance of each to its nearest others."""
    # Only this question needs it, and the command line shall start at once.
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors().fit(Z)
    n_neighbors = min(N_NEIGHBORS, max(1, len(Z) - 1))
    if len(Z) == 1:
        return index, np.array([np.inf])
    return index, index.kneighbors(n_neighbors=n_neighbors)[0].mean(axis=1)


def _rank(distances, known):
    """Return the share of the known distances, and the own one, that are at least as large."""
    below = np.searchsorted(np.sort(known), distances, side="left")
    return (len(known) - below + 1.0) / (len(known) + 1.0)


def _chosen(n_rows):
    return np.sort(np.random.RandomState(0).choice(n_rows, MAX_REFERENCE, replace=False))


def _some(reference):
    if len(reference) <= MAX_REFERENCE:
        return reference
    return reference[_chosen(len(reference))]
