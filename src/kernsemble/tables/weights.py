"""Weights of rows: checked, and multiplied by those of the classes.

A weight counts rows: a row of weight two is two rows. Weights whose mean is above a million or
below a millionth are no counts any more. They are divided by their mean, so that only their ratios
matter and no sum of them is infinite or zero.
"""

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_consistent_length

from ..validation import check_choice

#: The largest mean of weights that count rows; the smallest is its inverse.
MOST_ROWS = 1e6

#: A row whose weight is a smaller share of the largest one is left out as if its weight were zero:
#: in sums of double precision it does not exist.
NEGLIGIBLE = 1e-15


def check_weights(sample_weight, X):
    """Return sample weights as an array, finite, not negative and not all zero."""
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1-dimensional, got shape {weights.shape}.")
    check_consistent_length(X, weights)
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative, got {weights.min()}.")
    if not weights.any():
        raise ValueError(
            "sample_weight must not be zero for every row; give at least one row a weight above 0."
        )
    return weights


def find_kept(weights, y):
    """Return which rows have a weight that counts.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Not negative, not all zero.
    y : ndarray of shape (n_rows,)
        Labels; none may be left without a row because another weight is enormous.
    """
    kept = weights > NEGLIGIBLE * weights.max()
    lost = np.setdiff1d(y[weights > 0], y[kept])
    if len(lost):
        raise ValueError(
            f"sample_weight has a largest value of {weights.max():g}, beside which every row of "
            f"class {lost.tolist()[0]!r} counts for nothing; make the weights more alike, or set "
            "those of the class to 0 if it shall be left out."
        )
    return kept


def weigh(weights, codes, classes, class_weight, count, may_scale):
    """Return the weights of rows in memory, those of their classes included.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,) or None
        Positive sample weights.
    codes : ndarray of int of shape (n_rows,)
    classes : ndarray of shape (n_classes,)
    class_weight : dict, "balanced" or None
    count : bool
        Whether the weights are numbers of rows, which balanced classes have equally many of.
    may_scale : bool
        Whether weights far from one are divided by their mean, or refused.
    """
    counts = np.bincount(codes, weights if count else None, minlength=len(classes))
    factors = np.ones(len(classes))
    if class_weight is not None:
        factors = class_factors(class_weight, classes, counts)
    if weights is None:
        return factors[codes]
    scaled = scaled_weights(weights)
    if scaled is not weights and not may_scale:
        raise ValueError(
            f"sample_weight of partial_fit must have a mean between {1 / MOST_ROWS:g} and "
            f"{MOST_ROWS:g}, and its largest value is {weights.max():g}; divide the weights of all "
            "chunks by one number."
        )
    return factors[codes] * scaled


def class_factors(class_weight, classes, counts):
    """Return the factor of each class.

    Parameters
    ----------
    class_weight : dict or "balanced"
        A class that the dict does not name has factor 1.
    classes : ndarray of shape (n_classes,)
    counts : ndarray of int of shape (n_classes,)
        Number of rows of each class.
    """
    if isinstance(class_weight, str):
        check_choice(class_weight, "class_weight", ("balanced",))
        return np.sum(counts) / (len(classes) * np.maximum(counts, 1))
    factors = np.asarray(compute_sample_weight(class_weight, classes), dtype=np.float64)
    wrong = ~np.isfinite(factors) | (factors <= 0)
    if wrong.any():
        raise ValueError(
            f"class_weight must have finite values above 0, got {factors[wrong][0]:g} for class "
            f"{classes[wrong].tolist()[0]!r}; leave out the rows of a class that shall not count."
        )
    if factors.min() <= NEGLIGIBLE * factors.max():
        raise ValueError(
            f"class_weight has values from {factors.min():g} to {factors.max():g}; beside the "
            "largest the smallest counts for nothing, so make them more alike."
        )
    return scaled_weights(factors)


def scaled_weights(weights):
    """Return weights as they are when they count rows, else divided by their mean."""
    # Weights near the largest number have an infinite sum.
    peak = weights.max()
    mean = (weights / peak).mean()
    with np.errstate(over="ignore"):
        return weights if counts_rows(mean * peak) else weights / peak / mean


def counts_rows(mean):
    """Return whether weights of this mean count rows."""
    return 1.0 / MOST_ROWS <= mean <= MOST_ROWS
