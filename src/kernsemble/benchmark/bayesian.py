"""Bayesian signed-rank test with a region of practical equivalence (rope).

References
----------
.. [1] A. Benavoli, G. Corani, J. Demšar, M. Zaffalon, "Time for a change: a tutorial for comparing
   multiple classifiers through Bayesian analysis", JMLR 18, 2017.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from kernsemble.validation import check_count, check_real

__all__ = ["SignedRank", "bayesian_signed_rank", "probability_better"]


class SignedRank(NamedTuple):
    """Posterior probabilities that the first is better, both are alike, the second is better."""

    first: float
    alike: float
    second: float


def bayesian_signed_rank(first, second, rope=0.01, *, prior=0.5, n_samples=5000, random_state=0):
    """Return how probable it is that one method is better than the other by more than `rope`.

    A Dirichlet process weighs the data sets' differences and one pseudo-observation of 0 with
    weight `prior`. Each of `n_samples` draws gives the shares of pairs of differences whose mean
    lies above, inside and below the rope; the probabilities say how often each share is largest.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        Scores in [0, 1] of the two methods on the same data sets.
    rope : float, default=0.01
        Differences of up to this are practically nothing (one point of accuracy).
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    weights = _draw_weights(len(differences), prior, n_samples, random_state)
    return _probabilities(differences, rope, weights)


def probability_better(scores, rope=0.01, *, prior=0.5, n_samples=5000, random_state=0):
    """Return the probability that the row's method beats the column's by more than `rope`."""
    values = scores.to_numpy(dtype=float)
    k = values.shape[1]
    # One set of draws serves every pair: it depends on the number of data sets alone.
    weights = _draw_weights(len(values), prior, n_samples, random_state)
    better = np.full((k, k), np.nan)
    for i in range(k):
        for j in range(i + 1, k):
            result = _probabilities(values[:, i] - values[:, j], rope, weights)
            better[i, j], better[j, i] = result.first, result.second
    return pd.DataFrame(better, index=scores.columns, columns=scores.columns)


def _draw_weights(n_datasets, prior, n_samples, random_state):
    check_real(prior, "prior", low=0.0, open_low=True)
    check_count(n_samples, "n_samples")
    rng = np.random.RandomState(random_state)
    return rng.dirichlet(np.r_[prior, np.ones(n_datasets)], n_samples)


def _probabilities(differences, rope, weights):
    check_real(rope, "rope", low=0.0)
    z = np.r_[0.0, np.round(differences, 10)]
    sums = z[:, None] + z
    above = np.heaviside(sums - 2 * rope, 0.5)
    below = np.heaviside(-sums - 2 * rope, 0.5)
    first = np.sum(weights @ above * weights, axis=1)
    second = np.sum(weights @ below * weights, axis=1)
    shares = np.column_stack([first, 1.0 - first - second, second])
    if rope == 0.0:
        # The rope has no width: what the ties leave over is rounding, not a region.
        shares[:, 1] = 0.0
    winners = np.bincount(shares.argmax(axis=1), minlength=3) / len(weights)
    return SignedRank(*(float(share) for share in winners))
