"""Compiled sums over rows with missing values: conditional means and covariances."""

import numpy as np

from ..compiled import compiled
from .regression import mean_value
from .small_eigen import cholesky, solve_lower, solve_upper


@compiled(entry=True)
def fill_expected(Z, missing, expectation):
    """Replace the missing values of each row by their conditional means.

    Parameters
    ----------
    Z : ndarray of shape (n_features, n_rows)
    missing : ndarray of bool of shape (n_features, n_rows)
    expectation : Expectation
    """
    columns, mean, precision = expectation.columns, expectation.mean, expectation.precision
    low, high = expectation.low, expectation.high
    n_columns = columns.shape[0]
    own, L = np.empty((n_columns, n_columns)), np.empty((n_columns, n_columns))
    gaps, pull = np.empty(n_columns, dtype=np.int64), np.empty(n_columns)
    zeros = np.zeros(n_columns)
    for i in range(Z.shape[1]):
        n_gaps = _find_gaps(missing, columns, i, gaps)
        if n_gaps == 0:
            continue
        for a in range(n_gaps):
            total = 0.0
            for b in range(n_columns):
                if not missing[columns[b], i]:
                    total += precision[gaps[a], b] * (Z[columns[b], i] - mean[b])
            pull[a] = total
            for b in range(n_gaps):
                own[a, b] = precision[gaps[a], gaps[b]]
        if cholesky(own, n_gaps, zeros, 0.0, L):
            solve_lower(L, n_gaps, pull)
            solve_upper(L, n_gaps, pull)
        else:
            pull[:n_gaps] = 0.0
        for a in range(n_gaps):
            b = gaps[a]
            Z[columns[b], i] = min(max(mean[b] - pull[a], low[b]), high[b])


@compiled(entry=True)
def correct_expected(Z, missing, expectation, corrections):
    """Add corrections to the conditional means given all other numbers, column after column.

    Parameters
    ----------
    Z : ndarray of shape (n_features, n_rows)
        It has a number in the place of every missing value, and is changed in place.
    missing : ndarray of bool of shape (n_features, n_rows)
    expectation : Expectation
    corrections : Corrections
    """
    columns, mean, precision = expectation.columns, expectation.mean, expectation.precision
    roots, nodes = corrections.roots, corrections.nodes
    for step in range(roots.shape[0]):
        j = corrections.columns[step]
        own = columns[j]
        for i in range(Z.shape[1]):
            if not missing[own, i]:
                continue
            pull = 0.0
            for b in range(columns.shape[0]):
                if b != j:
                    pull += precision[j, b] * (Z[columns[b], i] - mean[b])
            Z[own, i] = mean[j] - pull / precision[j, j]
            Z[own, i] = mean_value(Z, i, nodes, roots[step])


@compiled(entry=True)
def conditional_scatter(missing, weights, precision):
    """Return the weighted sum of the conditional covariances of the missing values of each row.

    Parameters
    ----------
    missing : ndarray of bool of shape (n_columns, n_rows)
    weights : ndarray of shape (n_rows,)
    precision : ndarray of shape (n_columns, n_columns)
    """
    n_columns, n_rows = missing.shape
    total = np.zeros((n_columns, n_columns))
    columns = np.arange(n_columns)
    own, L = np.empty((n_columns, n_columns)), np.empty((n_columns, n_columns))
    gaps, unit = np.empty(n_columns, dtype=np.int64), np.empty(n_columns)
    zeros = np.zeros(n_columns)
    for i in range(n_rows):
        n_gaps = _find_gaps(missing, columns, i, gaps)
        for a in range(n_gaps):
            for b in range(n_gaps):
                own[a, b] = precision[gaps[a], gaps[b]]
        if n_gaps == 0 or not cholesky(own, n_gaps, zeros, 0.0, L):
            continue
        for a in range(n_gaps):
            unit[:n_gaps] = 0.0
            unit[a] = 1.0
            solve_lower(L, n_gaps, unit)
            solve_upper(L, n_gaps, unit)
            for b in range(n_gaps):
                total[gaps[a], gaps[b]] += weights[i] * unit[b]
    return total


@compiled
def _find_gaps(missing, columns, i, gaps):
    """Write the positions in `columns` of the missing values of row i; return their number."""
    n_gaps = 0
    for b in range(columns.shape[0]):
        gaps[n_gaps] = b
        n_gaps += missing[columns[b], i]
    return n_gaps
