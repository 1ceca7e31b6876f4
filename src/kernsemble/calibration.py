"""Calibration: class scores → probabilities by a softmax of fitted temperature.

Honest scores of a row come from models that did not see that row: leave-one-out, out-of-bag or
held-out scores.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from .tables.draws import calibration_rows
from .targets import best_class

#: A least-squares fit to ±1 estimates p as (1 + s) / 2; the sigmoid of s / 0.5 has the same slope
#: at zero. Used where no honest scores tell better.
DEFAULT_TEMPERATURE = 0.5


# Logarithms of probabilities below this say the same as this: the class is out of the question.
MAX_SCORE = 25.0
# Steps in the logarithm of a temperature: the most of them, the largest one, and one after which
# only rounding is left.
MAX_STEPS, MAX_STEP, LAST_STEP = 200, 3.0, 1e-8
# Cost of the squared logarithm of a class's factor, over that of a squared bias.
FACTOR_COST = 0.25
# One over the largest temperature of the lines of classes, whose scores are about +1 and -1.
LEAST_SCALE = 0.5


class HonestScores(NamedTuple):
    """Class scores of training rows by models that did not see them.

    Attributes
    ----------
    scores : ndarray of shape (n_scored, 1) or (n_scored, n_classes)
        A single column is the margin of class 1.
    codes : ndarray of int of shape (n_scored,)
        Classes of the rows.
    sample_weight : ndarray of shape (n_scored,) or None
    rows : ndarray of int of shape (n_scored,)
        Numbers of the rows among the training rows of positive weight.
    """

    scores: np.ndarray
    codes: np.ndarray
    sample_weight: np.ndarray | None
    rows: np.ndarray

    @classmethod
    def of(cls, scores, rows, numbers):
        """Return the scores of some rows of a table, given with their numbers."""
        return cls(scores, rows.codes, rows.sample_weight, numbers)

    def unmerged(self, merged):
        """Return the scores of the training rows that the rows of a table stand for."""
        places = np.full(merged.origin.max() + 1, -1)
        places[self.rows] = np.arange(len(self.rows))
        places = places[merged.origin]
        numbers = np.flatnonzero(places >= 0)
        places, weights = places[numbers], merged.sample_weight
        weights = None if weights is None else weights[numbers]
        return HonestScores(self.scores[places], self.codes[places], weights, numbers)

    def merged(self, origin):
        """Return the mean scores of rows, given scores of their copies sorted by row.

        Parameters
        ----------
        origin : ndarray of int of shape (n_copies,)
            Number of the row that each copy belongs to.
        """
        rows, first, number = np.unique(origin[self.rows], return_index=True, return_counts=True)
        weights = self.sample_weight
        return HonestScores(
            np.add.reduceat(self.scores, first) / number[:, None],
            self.codes[first],
            None if weights is None else np.add.reduceat(weights, first),
            rows,
        )

    @property
    def accuracy(self):
        """Share of the rows whose class has the largest score, each row counted once."""
        return float(self._hits.mean())

    @property
    def weighted_accuracy(self):
        """The same share with the weights of the fit, those of classes included."""
        return float(np.average(self._hits, weights=self.sample_weight))

    @property
    def _hits(self):
        return best_class(self.scores) == self.codes

    def temperature(self, *, doubt=1.0):
        """Return the temperature of least log-loss, on a sample where the rows are many.

        See `fit_temperature` for `doubt`.
        """
        rows = calibration_rows(*self.scores.shape)
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return fit_temperature(self.scores[rows], self.codes[rows], weights, doubt=doubt)


def probabilities(scores, temperature=DEFAULT_TEMPERATURE):
    """Return class probabilities whose order is that of the scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Class scores; a single column is the margin of class 1.
    temperature : float
        Above 0; larger values give flatter probabilities.

    Returns
    -------
    P : ndarray of shape (n_samples, n_classes)
    """
    return mean_probabilities(scores[None], np.array([temperature]), np.ones(1))


def mean_probabilities(scores, temperatures, weights):
    """Return the weighted mean of the class probabilities of several members.

    Parameters
    ----------
    scores : ndarray of shape (n_members, n_samples, 1) or (n_members, n_samples, n_classes)
    temperatures, weights : ndarray of shape (n_members,)
        The sum of the weights is 1.

    Returns
    -------
    P : ndarray of shape (n_samples, n_classes)
    """
    if scores.shape[2] == 1:
        positive = weights @ expit(scores[:, :, 0] / temperatures[:, None])
        return np.column_stack([1.0 - positive, positive])
    # As `scipy.special.softmax`; for few classes, sums over neighbouring rows are faster.
    P = np.divide(scores.transpose(2, 0, 1), temperatures[:, None], order="C")
    P -= P.max(axis=0)
    np.exp(P, out=P)
    P /= P.sum(axis=0)
    return np.ascontiguousarray((weights @ P).T)


def fit_class_bias(scores, codes, sample_weight=None, *, min_scale=0.0, cost=None):
    """Return what to add to the scores of every class for the least log-loss.

    Members may be right on average for every row and yet prefer common classes. The bias is found
    together with a temperature, for the same aims as that, and kept near zero where rows are few:
    its square has a cost that grows less than the sample size.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Class scores of rows that were not seen; a single column is the margin of class 1.
    codes : ndarray of int of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,), default=None
    min_scale : float, default=0.0
        The temperature is at most one divided by this. Without it, scores that seem worthless would
        count for nothing beside their bias.
    cost : float, default=None
        Half of this is what a squared bias costs, as if it were drawn from a normal law of this
        precision; None means the square root of the sample size.

    Returns
    -------
    bias : ndarray of shape (1,) or (n_classes,)
    """
    return _fit_lines(scores, codes, sample_weight, min_scale, cost, with_factors=False)[1]


def fit_class_lines(scores, codes, sample_weight=None):
    """Return factors and biases that bring the scores of the classes to one scale.

    A score of one class against the rest says how far a row is from a threshold, in units that
    depend on the class: one that is hard to tell apart has large scores by chance. The line of each
    class is found together with a temperature of at most 2. The bias is kept near zero as in
    `fit_class_bias`, and so is the logarithm of a factor, at a quarter of the cost.

    Parameters
    ----------
    scores, codes, sample_weight
        These are as in `fit_class_bias`.

    Returns
    -------
    factors, bias : ndarray of shape (1,) or (n_classes,)
        The scores of class c become `factors[c] * scores[:, c] + bias[c]`. Two classes have one
        score, which needs no factor beside the temperature.
    """
    several = scores.shape[1] > 1
    return _fit_lines(scores, codes, sample_weight, LEAST_SCALE, None, with_factors=several)


def _fit_lines(scores, codes, sample_weight, min_scale, cost, *, with_factors):
    rows = calibration_rows(len(codes))
    codes = codes[rows]
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight[rows]
    S = np.clip(scores[rows], -MAX_SCORE, MAX_SCORE)
    S = np.hstack([-0.5 * S, 0.5 * S]) if S.shape[1] == 1 else S
    # Sums over few classes are fastest where the rows of a class are neighbours.
    S = np.ascontiguousarray(S.T)
    n_classes, cost = len(S), np.sqrt(weights.sum()) if cost is None else cost
    doubt = 1.0 / (weights.sum() + 2.0)
    is_own = np.arange(n_classes)[:, None] == codes
    aims = np.where(is_own, 1.0 - doubt, doubt / (n_classes - 1))
    # The logarithm of the common scale, the biases and the logarithms of the factors, if any.
    n_factors = n_classes if with_factors else 0
    costs = cost * np.repeat([0.0, 1.0, FACTOR_COST], [1, n_classes, n_factors])

    def loss(x):
        bias, logs_of_factors = np.split(x[1:, None], [n_classes])
        slopes = np.exp(x[0] + logs_of_factors) if with_factors else np.exp(x[0])
        logs = slopes * S + bias
        logs -= logs.max(axis=0)
        P = np.exp(logs)
        total = P.sum(axis=0)
        P /= total
        logs -= np.log(total)
        misses = weights * (P - aims)
        value = -np.sum(aims * logs, axis=0) @ weights + 0.5 * costs @ x**2
        by_slope = np.sum(slopes * misses * S, axis=1)
        parts = [[by_slope.sum()], misses.sum(axis=1), by_slope[:n_factors]]
        return value, np.concatenate(parts) + costs * x

    lowest = None if min_scale == 0.0 else np.log(min_scale)
    bounds = [(lowest, None), *((len(costs) - 1) * [(None, None)])]
    start = np.zeros(len(costs))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    bias = found[1 : n_classes + 1] / np.exp(found[0])
    if scores.shape[1] == 1:
        return np.ones(1), bias[1:] - bias[:1]
    return np.exp(found[n_classes + 1 :]) if with_factors else np.ones(n_classes), bias


def log_odds(P):
    """Return class scores whose probabilities at temperature 1 are the given ones.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_classes)

    Returns
    -------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        For two classes the log-odds of class 1, else the logarithms of the probabilities.
    """
    logs = np.log(np.maximum(P, np.finfo(float).tiny))
    return logs[:, 1:] - logs[:, :1] if P.shape[1] == 2 else logs


def share_probabilities(scores):
    """Return probabilities from scores that are shares of votes or mean probabilities already.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        A single column is the share of class 1 minus that of class 0.
    """
    if scores.shape[1] == 1:
        positive = np.clip(0.5 * (1.0 + scores[:, 0]), 0.0, 1.0)
        return np.column_stack([1.0 - positive, positive])
    shares = np.maximum(scores, 0.0)
    return shares / shares.sum(axis=1, keepdims=True)


def fit_temperature(scores, codes, sample_weight=None, *, doubt=1.0):
    """Return the temperature of least log-loss on honest scores.

    On scores by models that saw their rows the temperature would be far too small. As in Platt's
    method the classes count as certain only up to doubt / (n + 2), so that n rows
    without an error do not make the probabilities 0 and 1.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
    codes : ndarray of int of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,), default=None
    doubt : float, default=1.0
        Number of errors that are expected beyond those that the rows show.

    Returns
    -------
    temperature : float
    """
    # Only differences within a row matter. Sums over few classes are fastest where the rows of a
    # class are neighbours.
    S = np.ascontiguousarray(scores.T)
    scale = float(np.average(np.abs(S).mean(axis=0), weights=sample_weight))
    if scale == 0.0:
        return DEFAULT_TEMPERATURE
    if len(S) == 1:
        S = np.vstack([np.zeros_like(S), S])
    weights = np.ones(codes.size) if sample_weight is None else sample_weight
    doubt = doubt / (weights.sum() + 2.0)
    shares = weights / weights.sum()
    chosen = S[codes, np.arange(codes.size)]
    others = (S.sum(axis=0) - chosen) / (len(S) - 1)
    # The largest score 0 keeps the exponentials below 1.
    top = S.max(axis=0)
    below = S - top
    expected = shares @ ((1.0 - doubt) * chosen + doubt * others - top)

    def derivatives(inverse):
        """Return the first two of the log-loss; the first rises with the inverse temperature."""
        E = np.exp(below * inverse)
        total = E.sum(axis=0)
        E *= below
        means = E.sum(axis=0) / total
        E *= below
        spreads = E.sum(axis=0) / total - means**2
        return shares @ means - expected, shares @ spreads

    return 1.0 / _rising_root(derivatives, 1e-3 / scale, 1.0 / scale, 1e3 / scale)


def _rising_root(derivatives, low, start, high):
    """Return where the first of two derivatives is zero, or the border that is nearest to it.

    Newton's method follows the logarithm of the argument, and stays between the points at which the
    derivative was found below and above zero.
    """
    below, above, x = 0.0, np.inf, start
    for _ in range(MAX_STEPS):
        slope, curvature = derivatives(x)
        below, above = (x, above) if slope < 0.0 else (below, x)
        if slope == 0.0 or below == high or above == low:
            break
        step = -slope / max(x * curvature, abs(slope) / MAX_STEP)
        x = min(max(x * np.exp(step), low), high)
        if abs(step) < LAST_STEP:
            break
        if not below < x < above:
            x = np.sqrt(below * above)
    return x


def mean_log_loss(P, codes, sample_weight=None):
    """Return the mean log-loss of probabilities, those below rounding counted as rounding.

    It is that of scikit-learn, whose checks take far longer than the sum for a small table.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_classes)
        Rows add up to 1.
    codes : ndarray of int of shape (n_samples,)
    sample_weight : ndarray of shape (n_samples,), default=None
    """
    eps = np.finfo(P.dtype).eps
    own = np.clip(P[np.arange(len(codes)), codes], eps, 1.0 - eps)
    return float(-np.average(np.log(own), weights=sample_weight))


def conformal_threshold(P, codes, confidence, sample_weight=None):
    """Return the probability that the true class of a new row reaches with this confidence.

    A new row's true class is as likely as any training row's to have one of the smallest honest
    probabilities, so cutting off a share 1 - confidence of the n + 1 leaves the confidence asked
    for. Where that share is no whole number of rows, the threshold lies between those of the two
    nearest ones, in proportion; a whole number of rows would hold up to 1 / (n + 1) more than was
    asked for. For a few dozen rows these sets are smaller, and the error is of the order of 1 / n².

    All this is for probabilities by models that saw none of these rows. Honest probabilities
    come close: no model scores a row it saw, but tuning, weights and temperatures, a few dozen
    numbers, were chosen on all rows, and the models of a new row saw a row or a fold more.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_classes)
        Honest probabilities of the training rows.
    codes : ndarray of int of shape (n_samples,)
    confidence : float
        Between 0 and 1.
    sample_weight : ndarray of shape (n_samples,), default=None

    Returns
    -------
    float
        0 when there are too few rows to leave out any class.
    """
    weights = np.ones(codes.size) if sample_weight is None else sample_weight
    order = np.argsort(P[np.arange(codes.size), codes])
    own, weights = P[order, codes[order]], weights[order]
    # The new row itself, of mean weight, may stand below all others. With the probability of row k
    # as the threshold it is cut off with this share, because rows of equal probability stay.
    new = weights.mean()
    cut_off = (new + np.cumsum(weights) - weights) / (new + weights.sum())
    # Shares that are equal but for rounding count as equal.
    spare = 1.0 - confidence + 1e-12
    k = np.searchsorted(cut_off, spare, side="right") - 1
    if k < 0:
        return 0.0
    if k == codes.size - 1 or spare - cut_off[k] < 2e-12:
        return float(own[k])
    share = (spare - cut_off[k]) / (cut_off[k + 1] - cut_off[k])
    return float(own[k] + share * (own[k + 1] - own[k]))
