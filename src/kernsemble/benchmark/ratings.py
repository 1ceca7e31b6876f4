"""How good methods are in a pool: Elo, improvability and normalised scores, with intervals.

All of them are functions of one table with a row per data set and a column per method. Intervals
are percentile intervals of the bootstrap over data sets.

References
----------
.. [1] R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39,
   1952.
.. [2] N. Erickson et al., "TabArena: a living benchmark for machine learning on tabular data",
   2025.
"""

import numpy as np
import pandas as pd
from scipy.special import expit

from ..errors import UserError
from .statistics import check_complete

#: Rating of the method at which a scale is anchored.
ANCHOR = 1000.0
#: A method with this many points more wins ten times as often as it loses.
POINTS_PER_TENFOLD = 400.0
# A method that wins everything would be infinitely good; this is far below a printed digit.
_RIDGE = 1e-6
_MAX_STEPS, _TOL = 100, 1e-10


def elo(scores, anchor=None):
    """Return the Elo rating of each method, best first.

    On every data set each method meets each other one; equal scores are half a win for both. The
    ratings maximise the likelihood that i beats j with probability 1 / (1 + 10^((R_j - R_i)/400))
    [1]_. They hold for this pool: another set of methods or data sets has other ratings.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        Larger is better; no cell may be empty.
    anchor : str, default=None
        Method whose rating is 1000; None means that the mean is.

    Examples
    --------
    >>> import pandas as pd
    >>> elo(pd.DataFrame({"a": [1, 1, 1, 0], "b": [0, 0, 0, 1]}), anchor="b").round(1).to_dict()
    {'a': 1190.8, 'b': 1000.0}
    """
    values = _values(scores, anchor)
    ratings = _anchored(_bradley_terry(_wins(values).sum(axis=0)), scores, anchor)
    return pd.Series(ratings, index=scores.columns).sort_values(ascending=False, kind="stable")


def elo_intervals(scores, anchor=None, n_draws=200, coverage=0.95, random_state=0):
    """Return Elo ratings with their bootstrap intervals: columns elo, low and high, best first."""
    values = _values(scores, anchor)
    wins = _wins(values)
    drawn = _bootstrap(len(values), n_draws, random_state)
    counts = np.array([np.bincount(rows, minlength=len(values)) for rows in drawn])
    draws = _anchored(_bradley_terry(np.tensordot(counts, wins, axes=1)), scores, anchor)
    return _with_interval(elo(scores, anchor), "elo", draws, scores.columns, coverage)


def improvability(errors, n_draws=200, coverage=0.95, random_state=0):
    """Return by how many percent the best method of a data set has fewer errors, on average.

    On each data set it is 100 (1 - best / own), and 0 for the best method [2]_.

    Parameters
    ----------
    errors : DataFrame of shape (n_datasets, n_methods)
        Not negative, and smaller is better: one minus accuracy or AUC, or log-loss.

    Returns
    -------
    DataFrame
        Columns improvability, low and high, best first.
    """
    values = _values(errors)
    if values.min() < 0:
        raise ValueError(f"Errors must not be negative, got {values.min()}.")
    best = values.min(axis=1, keepdims=True)
    own = np.divide(best, values, out=np.ones_like(values), where=values > 0)
    percent = 100 * (1 - own)
    draws = [percent[rows].mean(axis=0) for rows in _bootstrap(len(values), n_draws, random_state)]
    mean = pd.Series(percent.mean(axis=0), index=errors.columns).sort_values(kind="stable")
    return _with_interval(mean, "improvability", draws, errors.columns, coverage)


def normalised_score(scores):
    """Return the mean of scores scaled to 1 for the best and 0 for the median method of a data set.

    Methods below the median count as 0, and a data set on which all are alike gives 1 to all.
    """
    values = _values(scores)
    best, median = values.max(axis=1, keepdims=True), np.median(values, axis=1, keepdims=True)
    spread = best - median
    scaled = np.divide(values - median, spread, out=np.ones_like(values), where=spread > 0)
    scaled = np.where((spread == 0) & (values < best), 0.0, np.clip(scaled, 0.0, 1.0))
    means = pd.Series(scaled.mean(axis=0), index=scores.columns)
    return means.sort_values(ascending=False, kind="stable")


def _values(table, anchor=None):
    if anchor is not None and anchor not in table.columns:
        raise UserError(
            f"There is no method {anchor} to anchor the ratings at; choose one of "
            f"{', '.join(map(str, table.columns))}."
        )
    values = table.to_numpy(dtype=float)
    check_complete(values, table.index)
    return values


def _bootstrap(n_datasets, n_draws, random_state):
    rng = np.random.RandomState(random_state)
    return rng.randint(n_datasets, size=(n_draws, n_datasets))


def _wins(values):
    """Return which method beats which on each data set, of shape (n_datasets, n, n)."""
    rounded = np.round(values, 10)
    first, second = rounded[:, :, None], rounded[:, None, :]
    wins = (first > second) + 0.5 * (first == second)
    wins[:, range(wins.shape[1]), range(wins.shape[1])] = 0.0
    return wins


def _bradley_terry(wins):
    """Return the log-strengths of greatest likelihood, which sum to 0, by Newton's method.

    Parameters
    ----------
    wins : ndarray of shape (..., n_methods, n_methods)
        Wins of one pool, or of several, which are solved together.
    """
    meetings = wins + np.swapaxes(wins, -1, -2)
    strength = np.zeros(wins.shape[:-1])
    diagonal = np.arange(wins.shape[-1])
    for _ in range(_MAX_STEPS):
        chance = expit(strength[..., :, None] - strength[..., None, :])
        gradient = (wins - meetings * chance).sum(axis=-1) - _RIDGE * strength
        hessian = -meetings * chance * np.swapaxes(chance, -1, -2)
        hessian[..., diagonal, diagonal] -= hessian.sum(axis=-1) - _RIDGE
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        # A method that wins everything moves far at first, where Newton's step is too long.
        strength = strength + step / np.maximum(1.0, longest)
        if longest.max() < _TOL:
            break
    return strength - strength.mean(axis=-1, keepdims=True)


def _anchored(strength, scores, anchor):
    ratings = POINTS_PER_TENFOLD / np.log(10) * strength + ANCHOR
    if anchor is None:
        return ratings
    place = scores.columns.get_loc(anchor)
    return ratings + ANCHOR - ratings[..., place : place + 1]


def _with_interval(values, name, draws, columns, coverage):
    tail = 50 * (1 - coverage)
    low, high = np.percentile(draws, [tail, 100 - tail], axis=0)
    table = pd.DataFrame({"low": low, "high": high}, index=columns)
    table.insert(0, name, values)
    return table.loc[values.index]
