"""Targets: class codes → columns a solver fits at once, and its scores → scores of classes."""

from itertools import combinations

import numpy as np

CODINGS = ("signed", "one_hot", "ovo")


def encode_targets(codes, n_classes, coding="signed", dtype=np.float64):
    """Return the target columns of class codes 0, …, n_classes - 1.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,)
    n_classes : int
        At least 2.
    coding : {"signed", "one_hot", "ovo"}, default="signed"
        "signed": +1 for the class and -1 for the rest, one column per class, or a single column
        (+1 for code 1) when there are two. "one_hot": 1 and 0, always one column per class.
        "ovo": one column per pair a < b, -1 for a, +1 for b and 0 for rows of neither.

    Returns
    -------
    T : ndarray of shape (n_samples, n_outputs)
    """
    if coding == "one_hot" or (coding == "signed" and n_classes > 2):
        T = np.zeros((codes.size, n_classes), dtype=dtype)
        T[np.arange(codes.size), codes] = 1.0
        return T if coding == "one_hot" else 2.0 * T - 1.0
    T = np.empty((codes.size, count_columns(n_classes, "ovo")), dtype=dtype)
    for column, (a, b) in enumerate(class_pairs(n_classes)):
        T[:, column] = (codes == b).astype(dtype) - (codes == a)
    return T


def decode_scores(S, n_classes, coding="signed"):
    """Return scores of classes from the scores of target columns.

    Parameters
    ----------
    S : ndarray of shape (n_samples, n_outputs)
    n_classes : int
    coding : {"signed", "one_hot", "ovo"}, default="signed"

    Returns
    -------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        With two classes one column, positive for code 1; else the largest column wins. For "ovo"
        the share of duels a class wins, ties broken by its summed margins.
    """
    if n_classes == 2:
        return S[:, 1:] - S[:, :1] if coding == "one_hot" else S
    if coding != "ovo":
        return S
    wins = np.zeros((S.shape[0], n_classes))
    margins = np.zeros_like(wins)
    for column, (a, b) in enumerate(class_pairs(n_classes)):
        # A margin of exactly zero is half a win for both.
        for_b = 0.5 * (1.0 + np.sign(S[:, column]))
        wins[:, b] += for_b
        wins[:, a] += 1.0 - for_b
        margins[:, b] += S[:, column]
        margins[:, a] -= S[:, column]
    return with_tie_break(wins, margins, step=0.5) / (n_classes - 1)


def count_columns(n_classes, coding="signed"):
    """Return the number of target columns that so many classes have."""
    if coding == "ovo":
        return n_classes * (n_classes - 1) // 2
    return 1 if coding == "signed" and n_classes == 2 else n_classes


def count_classes(n_columns, coding="signed"):
    """Return the number of classes that so many target columns stand for."""
    if coding == "one_hot":
        return n_columns
    if n_columns == 1:
        return 2
    return n_columns if coding == "signed" else round((1 + np.sqrt(1 + 8 * n_columns)) / 2)


def best_class(scores):
    """Return the code of the class of largest score for every row.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Class scores; a single column is the margin of code 1.
    """
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return scores.argmax(axis=1)


def as_shares(scores):
    """Return class scores on the scale of indicators from class scores on the scale of ±1."""
    if scores.shape[1] == 1:
        scores = np.hstack([-scores, scores])
    return 0.5 * (1.0 + scores)


def with_tie_break(counts, margins, step=1.0):
    """Return `counts` plus a squashed `margins` too small to reorder unequal counts.

    Parameters
    ----------
    counts, margins : ndarray of the same shape
    step : float, default=1.0
        Smallest difference between unequal counts.
    """
    return counts + 0.49 * step * margins / (1.0 + np.abs(margins))


def class_pairs(n_classes):
    """Return the pairs a < b in the order of the "ovo" columns."""
    return list(combinations(range(n_classes), 2))
