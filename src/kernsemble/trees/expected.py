"""What a missing number is expected to be, given the other numbers of its row.

The numeric columns are taken as jointly normal. For a row with the present values o and the missing
ones m, the expectation is mean_m - P_mm^-1 P_mo (x_o - mean_o), where P is the inverse covariance.
Mean and covariance are fitted to the training rows by the EM algorithm. Regression trees then learn
where these expectations are wrong, see `corrections`. Classes play no part.
"""

from typing import NamedTuple

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from .corrections import Corrections, fit_corrections

# The distribution is fitted to at most this many rows.
_MAX_ROWS = 20_000
# With more numeric columns a missing value is expected to be the mean of its column, because the
# system of a row would take longer than the trees.
_MAX_COLUMNS = 500
# EM ends when no correlation moves by more than _TOL, or after _MAX_STEPS.
_TOL, _MAX_STEPS = 1e-3, 30


class Expectation(NamedTuple):
    """The joint normal distribution of numeric columns, in the units of a `Frame`.

    Attributes
    ----------
    columns : ndarray of int of shape (n_numeric,)
        Positions of the numeric columns.
    mean : ndarray of shape (n_numeric,)
    precision : ndarray of shape (n_numeric, n_numeric)
        Inverse of the covariance.
    low, high : ndarray of shape (n_numeric,)
        Range of the values seen in training, which no expectation leaves.
    corrections : Corrections or None
        What regression trees add; None means nothing.
    """

    columns: np.ndarray
    mean: np.ndarray
    precision: np.ndarray
    low: np.ndarray
    high: np.ndarray
    corrections: Corrections | None = None

    def fill(self, Z, missing):
        """Replace the missing values of Z, an array of shape (n_features, n_rows), in place."""
        from .conditional import correct_expected, fill_expected

        # One compiled function serves expectations with and without corrections.
        normal = self._replace(corrections=None)
        fill_expected(Z, missing, normal)
        if self.corrections is not None:
            correct_expected(Z, missing, normal, self.corrections)


def fit_expectation(Z, missing, columns, sample_weight=None):
    """Fit the distribution by EM.

    Parameters
    ----------
    Z : ndarray of shape (n_features, n_rows)
        Rows with 0, the mean, in place of missing values.
    missing : ndarray of bool of shape (n_features, n_rows)
    columns : ndarray of int
        Positions of the numeric columns.
    sample_weight : ndarray of shape (n_rows,), default=None

    Returns
    -------
    Expectation or None
        None means that the mean of the column is as good: there are too few or too many columns.
    """
    if not 1 < len(columns) <= _MAX_COLUMNS:
        return None
    from .conditional import conditional_scatter

    rows = np.unique(np.linspace(0, Z.shape[1] - 1, min(Z.shape[1], _MAX_ROWS)).astype(int))
    part = np.ix_(columns, rows)
    X, gaps = Z[part], missing[part]
    weights = np.ones(len(rows)) if sample_weight is None else sample_weight[rows]
    weights = weights / weights.sum()
    low, high = _ranges(X, gaps)
    shrinkage = ledoit_wolf_shrinkage(X.T)
    here = np.arange(len(columns))
    mean, covariance = np.zeros(len(columns)), None
    scatter = np.zeros((len(columns), len(columns)))
    for _ in range(_MAX_STEPS):
        previous, covariance = covariance, _covariance(X, weights, scatter, mean, shrinkage)
        precision = np.linalg.inv(covariance)
        found = Expectation(here, mean, precision, low, high)
        found.fill(X, gaps)
        scatter = conditional_scatter(gaps, weights, precision)
        mean = X @ weights
        if previous is not None and np.abs(covariance - previous).max() < _TOL:
            break
    corrections = fit_corrections(X, gaps, weights, found)
    if corrections is not None:
        corrections = corrections.reading(columns)
    return found._replace(columns=columns, corrections=corrections)


def _covariance(X, weights, scatter, mean, shrinkage):
    """Return the covariance, drawn towards equal variances without correlation (Ledoit, Wolf)."""
    centred = X - mean[:, None]
    covariance = (centred * weights) @ centred.T + scatter
    size = np.trace(covariance) / len(covariance)
    covariance *= 1.0 - shrinkage
    # A trace keeps the matrix regular when columns determine each other.
    covariance[np.diag_indices_from(covariance)] += shrinkage * size + 1e-8 * max(size, 1e-8)
    return covariance


def _ranges(X, gaps):
    low = np.where(gaps, np.inf, X).min(axis=1)
    high = np.where(gaps, -np.inf, X).max(axis=1)
    # A column without a single value is expected to be at its centre.
    return np.where(low > high, 0.0, low), np.where(low > high, 0.0, high)
