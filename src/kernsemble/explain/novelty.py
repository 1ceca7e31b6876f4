"""Novelty: how unlike the training rows a row is, as a p-value.

A row is typical when its nearest training rows are close. Every training row gets the same measure
against all others, with itself left out, so a new row can be ranked among them: if it comes from
where they come from, every rank is equally likely.
"""

import numpy as np

from ..maps.views import fit_scaled_view

# A few neighbours smooth the distance without hiding a small group of rows among many.
N_NEIGHBORS = 5
# Rows beyond this number would sharpen p-values that are already multiples of 1 / 4001.
MAX_REFERENCE = 4000


def novelty_p_values(rows, reference):
    """Return a p-value for each of some new rows: small for rows unlike the reference.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        New rows, in the coordinates of the reference.
    reference : ndarray of shape (n_reference, n_columns)
        Training rows, or rows drawn evenly from them. Columns are scaled here.

    Returns
    -------
    p : ndarray of shape (n_rows,)
        The share of reference rows, and the row itself, that are at least as far from the others.
        Uniform for rows drawn like the reference.
    """
    reference = _some(reference)
    look = fit_scaled_view(reference)
    index, known = _leave_one_out(look(reference))
    n_neighbors = min(N_NEIGHBORS, len(reference))
    distances = index.kneighbors(look(rows), n_neighbors)[0].mean(axis=1)
    return _rank(distances, known)


def own_p_values(reference):
    """Return the p-value of each training row among all of them, itself left out.

    Where the rows are many, each is compared with a sample.
    """
    sample = _some(reference)
    if len(sample) < len(reference):
        # A row of the sample would find itself at distance 0, so it is compared on its own.
        chosen = _chosen(len(reference))
        p = np.empty(len(reference))
        others = np.setdiff1d(np.arange(len(reference)), chosen)
        p[chosen], p[others] = own_p_values(sample), novelty_p_values(reference[others], sample)
        return p
    distances = _leave_one_out(fit_scaled_view(reference)(reference))[1]
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
