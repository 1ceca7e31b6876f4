"""Combination: the class scores of members → one class score.

Every rule is called with an array of shape (n_members, n_samples, n_outputs). `Weighted`, `Stacked`
and `Pooled` are fitted, on scores of rows that the members did not see.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from .calibration import (
    fit_class_bias,
    fit_temperature,
    log_odds,
    mean_probabilities,
    probabilities,
)
from .solvers.mixture import solve_mixture_weights
from .solvers.ridge import solve_ridge
from .tables.draws import calibration_rows
from .targets import with_tie_break

#: Rules that learn from honest scores.
FITTED_RULES = ("weighted", "stacked")
RULES = ("mean", "vote", *FITTED_RULES)
# How often the prior of a pool counts the members, together: this times the square root of the
# number of rows in doubt, and this divided by the number of rows. The second matters to a few dozen
# rows, where the member of least loss is so by luck.
PRIOR_SHARE, PRIOR_OF_FEW = 0.1, 100.0
# Pooled log-odds count at least this much beside the biases of classes. On ten rows members often
# seem worthless by bad luck, and the most common class would win everywhere.
MIN_SCALE = 0.3
# What the squared biases of classes cost, see `fit_class_bias`. Pooled log-odds have a known scale,
# so that their prior need not grow with the rows.
BIAS_COST = 3.0
# Errors that the temperature of a pool expects beyond those that the rows show: the first number
# and the second divided by the number of rows, at most 1. The members have doubted for themselves,
# and with a second full doubt their mean would be less sure than it is right; but what a few dozen
# rows say may be luck.
POOL_DOUBT, DOUBT_OF_FEW = 0.25, 10.0


class Mean(NamedTuple):
    """The mean score of the members."""

    def __call__(self, S):
        return S.mean(axis=0)


class Largest(NamedTuple):
    """The largest score of the members."""

    def __call__(self, S):
        return S.max(axis=0)


class Vote(NamedTuple):
    """The share of members for each class, with ties broken by their mean score.

    With one column, a margin, it is the share for class 1 minus the share for class 0.
    """

    def __call__(self, S):
        if S.shape[2] == 1:
            votes, step = np.sign(S), 1.0 / S.shape[0]
        else:
            votes, step = S.max(axis=2, keepdims=True) == S, 0.5 / S.shape[0]
        return with_tie_break(votes.mean(axis=0), S.mean(axis=0), step=step)


class Weighted(NamedTuple):
    """A weighted mean of the members' scores.

    Attributes
    ----------
    weights : ndarray of shape (n_members,)
        Weights that are not negative and have sum 1.
    """

    weights: np.ndarray

    def __call__(self, S):
        return np.tensordot(self.weights, S, axes=1)


class ClassWeighted(NamedTuple):
    """A weighted sum of the members' scores with own weights for every class, plus a bias.

    Attributes
    ----------
    weights : ndarray of shape (n_outputs, n_members)
    bias : ndarray of shape (n_outputs,)
    """

    weights: np.ndarray
    bias: np.ndarray

    def __call__(self, S):
        return np.einsum("cm,mnc->nc", self.weights, S) + self.bias


class Stacked(NamedTuple):
    """A linear model on the scores of all members.

    Attributes
    ----------
    coefs : ndarray of shape (n_members * n_outputs + 1, n_outputs)
        The last row is the bias.
    """

    coefs: np.ndarray

    def __call__(self, S):
        return _as_features(S) @ self.coefs


class Pooled(NamedTuple):
    """The weighted mean of the members' probabilities, as log-odds with a bias for every class.

    Attributes
    ----------
    weights : ndarray of shape (n_members,)
        Weights that are not negative and have sum 1.
    temperatures : ndarray of shape (n_members,)
        What turns the scores of each member into probabilities.
    bias : ndarray of shape (n_outputs,) or 0
        What is added to the log-odds.
    """

    weights: np.ndarray
    temperatures: np.ndarray
    bias: np.ndarray | float = 0.0

    def __call__(self, S):
        return log_odds(self.probabilities(S)) + self.bias

    def probabilities(self, S):
        """Return the pooled class probabilities."""
        return mean_probabilities(np.asarray(S), self.temperatures, self.weights)

    def needed(self, S, max_change):
        """Return the members without which a probability would change by more than `max_change`.

        Members are left out one after the other, the one of least weight first.
        """
        left, P = self.weights.copy(), self.probabilities(S)
        rest = P
        for k in np.argsort(self.weights, kind="stable")[:-1]:
            without = rest - self.weights[k] * probabilities(S[k], self.temperatures[k])
            total = left.sum() - left[k]
            if np.abs(without / total - P).max() > max_change:
                break
            rest, left[k] = without, 0.0
        return np.flatnonzero(left)

    def keep(self, members):
        """Return the pool of some of the members."""
        weights = self.weights[members]
        return Pooled(weights / weights.sum(), self.temperatures[members], self.bias)

    def balanced(self, honest, codes, sample_weight=None):
        """Return the pool with the bias of least log-loss on honest scores."""
        options = {"min_scale": MIN_SCALE, "cost": BIAS_COST}
        bias = fit_class_bias(self(honest), codes, sample_weight, **options)
        return self._replace(bias=bias)


def fit_pool(honest, codes, sample_weight=None):
    """Return the `Pooled` combination of least log-loss on honest scores.

    Every member gets a temperature of its own, and then its weight. A Dirichlet prior keeps the
    weights near equal ones where there are few rows.

    Parameters
    ----------
    honest : ndarray of shape (n_members, n_samples, n_outputs)
        Class scores of rows by members that did not see them.
    codes : ndarray of int of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,), default=None
    """
    some = calibration_rows(len(codes))
    codes, weights = codes[some], None if sample_weight is None else sample_weight[some]
    return pool_judged([judge(S[some], codes, weights) for S in honest], weights)


class Judged(NamedTuple):
    """What the honest scores of a member are worth by themselves.

    Attributes
    ----------
    temperature : float
        What turns them into probabilities.
    own : ndarray of shape (n_samples,)
        Probability of the class that each row has, above 0.
    """

    temperature: float
    own: np.ndarray


def judge(scores, codes, sample_weight=None):
    """Return the `Judged` of the honest scores of one member."""
    some = calibration_rows(len(codes))
    weights = None if sample_weight is None else sample_weight[some]
    temperature = fit_temperature(scores[some], codes[some], weights)
    own = probabilities(scores, temperature)[np.arange(len(codes)), codes]
    return Judged(temperature, np.maximum(own, np.finfo(float).tiny))


def pool_judged(judged, sample_weight=None):
    """Return the `Pooled` combination of members that were judged on the same rows."""
    some = calibration_rows(len(judged[0].own))
    weights = None if sample_weight is None else sample_weight[some]
    own = np.array([member.own[some] for member in judged])
    pseudo_counts = PRIOR_SHARE * np.sqrt(_rows_in_doubt(own, weights))
    pseudo_counts += PRIOR_OF_FEW / _size(own[0], weights)
    weights_of_members = solve_mixture_weights(own, pseudo_counts / len(judged), weights)
    return Pooled(weights_of_members, np.array([member.temperature for member in judged]))


def pool_temperature(scores, n_members):
    """Return the temperature of a pool of some members from its `HonestScores`."""
    doubt = POOL_DOUBT + DOUBT_OF_FEW / _size(scores.codes, scores.sample_weight)
    # One member by itself is as sure as it should be.
    return scores.temperature(doubt=1.0 if n_members == 1 else min(1.0, doubt))


def _rows_in_doubt(own, sample_weight):
    """Return the number of rows that the best member is not sure of, at least 1.

    Rows of which it is sure tell the other members little, however many there are. A prior that
    counted them would leave weight on members that only make its probabilities less sure.
    """
    weights = np.ones(own.shape[1]) if sample_weight is None else sample_weight
    best = own[np.argmax(np.log(own) @ weights)]
    return max(1.0, float(weights @ (4.0 * best * (1.0 - best))))


def pool_honestly(honest, codes, folds, sample_weight=None):
    """Return the pooled scores of rows, those of a fold by a pool of the rows of all others.

    A pool that was fitted to the very rows it scores has been lucky on them: with labels that are
    noise, its accuracy would be above chance.

    Parameters
    ----------
    honest, codes, sample_weight
        These are as for `fit_pool`.
    folds : ndarray of int of shape (n_samples,)
        The fold of every row.
    """
    pooled = None
    for fold in np.unique(folds):
        own = folds == fold
        rest = ~own if not own.all() else own
        weights = None if sample_weight is None else sample_weight[rest]
        fitted = honest[:, rest], codes[rest], weights
        scores = fit_pool(*fitted).balanced(*fitted)(honest[:, own])
        if pooled is None:
            pooled = np.empty((len(codes), scores.shape[1]))
        pooled[own] = scores
    return pooled


def fit_combination(rule, honest, T, sample_weight=None):
    """Return the function that combines member scores.

    Parameters
    ----------
    rule : {"mean", "vote", "weighted", "stacked"}
        "weighted" finds the non-negative weights of least squared error, shrunk towards equal ones.
        "stacked" is a ridge regression on all scores of all members.
    honest : ndarray of shape (n_members, n_samples, n_outputs) or None
        Scores of the training rows by members that did not see them; the last two rules need them.
    T : ndarray of shape (n_samples, n_outputs) or None
        Class scores of perfect members, which the last two rules need.
    sample_weight : ndarray of shape (n_samples,), default=None
    """
    if rule not in FITTED_RULES:
        return Mean() if rule == "mean" else Vote()
    if honest is None:
        raise ValueError(
            f"combine={rule!r} needs members that give honest scores of their training rows; "
            "these do not. Use 'mean' or 'vote'."
        )
    if rule == "weighted":
        return Weighted(_non_negative_weights(honest, T, sample_weight))
    features = _as_features(honest)
    # One part in the square root of the sample size, of the mean squared score.
    squares = np.average(np.mean(features**2, axis=1), weights=sample_weight)
    alpha = np.sqrt(_size(T, sample_weight)) * max(float(squares), np.finfo(float).tiny)
    return Stacked(solve_ridge(features, T, alpha, sample_weight))


def _non_negative_weights(honest, T, sample_weight):
    n_members = honest.shape[0]
    root = np.ones(len(T)) if sample_weight is None else np.sqrt(sample_weight)
    A = (honest * root[:, None]).reshape(n_members, -1)
    gram, cross = A @ A.T, A @ (T * root[:, None]).ravel()
    # Weights differ from equal ones only as far as the sample size warrants; the shrinkage also
    # makes the system definite when members agree.
    shrinkage = max(float(np.trace(gram)), np.finfo(float).tiny) / n_members
    shrinkage /= np.sqrt(_size(T, sample_weight))
    gram.flat[:: n_members + 1] += shrinkage
    factor = cholesky(gram)
    aim = solve_triangular(factor, cross + shrinkage / n_members, trans="T")
    weights = nnls(factor, aim)[0]
    total = weights.sum()
    return weights / total if total > 0 else np.full(n_members, 1.0 / n_members)


def _size(T, sample_weight):
    """Return the sample size; a row of weight two is two rows."""
    return len(T) if sample_weight is None else sample_weight.sum()


def _as_features(S):
    n_members, n_samples, n_outputs = S.shape
    features = np.ones((n_samples, n_members * n_outputs + 1))
    features[:, :-1] = S.transpose(1, 0, 2).reshape(n_samples, -1)
    return features
