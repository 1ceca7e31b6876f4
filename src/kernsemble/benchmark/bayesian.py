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

from .statistics import check_complete

# A sum of two differences that equals twice the rope on paper may be off in its last bit. Scores
# that really differ are never as close as this.
_TOLERANCE = 1e-9


class SignedRank(NamedTuple):
    """Posterior probabilities: the first is better, both are alike, the second is better."""

    first: float
    alike: float
    second: float


def bayesian_signed_rank(first, second, rope=0.01, *, prior=0.5, n_samples=5000, random_state=0):
    """Return how probable it is that one method is better than the other by more than `rope`.

    A Dirichlet process weighs the differences of the data sets and one pseudo-observation of 0
    with weight `prior`. Each of `n_samples` draws gives the shares of pairs of differences whose
    mean lies above, inside and below the rope. A mean on the edge of the rope counts half inside
    and half outside. The probabilities say how often each share is the largest.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        Scores in [0, 1] of the two methods on the same data sets. A missing score is an error:
        leave the data set out, or decide what a failure is worth, before the comparison.
    rope : float, default=0.01
        Differences of at most this size count as none (0.01 is one point of accuracy).
    prior : float, default=0.5
        Weight of the pseudo-observation.
    n_samples : int, default=5000
        Number of draws from the posterior.
    random_state : int, default=0
        Seed of the draws.
    """
    names = getattr(first, "index", None)
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            "first and second must hold one score for each data set, "
            f"got the shapes {first.shape} and {second.shape}."
        )
    check_complete(np.column_stack([first, second]), names)
    weights = _draw_weights(len(first), prior, n_samples, random_state)
    return _probabilities(first - second, rope, weights)


def probability_better(scores, rope=0.01, *, prior=0.5, n_samples=5000, random_state=0):
    """Return the probability that the row's method beats the column's by more than `rope`.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        Without missing scores; `statistics.complete` makes it so.
    rope, prior, n_samples, random_state
        See `bayesian_signed_rank`.
    """
    values = scores.to_numpy(dtype=float)
    check_complete(values, scores.index)
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
    z = np.r_[0.0, differences]
    sums = z[:, None] + z
    first = np.sum(weights @ _beyond(sums, 2 * rope) * weights, axis=1)
    second = np.sum(weights @ _beyond(-sums, 2 * rope) * weights, axis=1)
    shares = np.column_stack([first, 1.0 - first - second, second])
    if rope == 0.0:
        # The rope has no width: what the ties leave over is rounding, not a region.
        shares[:, 1] = 0.0
    winners = np.bincount(shares.argmax(axis=1), minlength=3) / len(weights)
    return SignedRank(*(float(share) for share in winners))


def _beyond(sums, edge):
    """Return 1 where a sum lies above the edge, 0 where it lies below, 1/2 where it is equal."""
    excess = sums - edge
    excess[np.abs(excess) <= _TOLERANCE] = 0.0
    return np.heaviside(excess, 0.5)
