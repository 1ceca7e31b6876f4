"""Measures of predicted probabilities, with loops over rows, bins and pairs of rows."""

import numpy as np


def log_loss(P, truth):
    return np.mean([-np.log(P[i, truth[i]]) for i in range(len(P))])


def brier(P, truth):
    total = 0.0
    for i in range(len(P)):
        for k in range(P.shape[1]):
            total += (P[i, k] - (truth[i] == k)) ** 2
    return total / len(P)


def area(scores, positive):
    """The share of pairs of a positive and a negative row that are in the right order."""
    pairs = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a in scores[positive]
        for b in scores[~positive]
    ]
    return np.mean(pairs)


def auc(P, truth):
    if P.shape[1] == 2:
        return area(P[:, 1], truth == 1)
    return np.mean([area(P[:, k], truth == k) for k in np.unique(truth)])


def calibration_error(P, truth, n_bins=15):
    total = 0.0
    for b in range(n_bins):
        inside = [i for i in range(len(P)) if b / n_bins < P[i].max() <= (b + 1) / n_bins]
        if inside:
            accuracy = np.mean([P[i].argmax() == truth[i] for i in inside])
            confidence = np.mean([P[i].max() for i in inside])
            total += len(inside) / len(P) * abs(accuracy - confidence)
    return total
