"""Class shares of levels, row by row."""

import numpy as np


def left_out_shares(levels, one_hot, weights, folds, prior):
    """Return for every row the shrunk shares of its level among the rows of the other folds."""
    shares = np.empty(one_hot.shape)
    for i in range(len(levels)):
        total, mean = 0.0, np.zeros(one_hot.shape[1])
        n, own = 0.0, np.zeros(one_hot.shape[1])
        for j in range(len(levels)):
            if folds[j] == folds[i]:
                continue
            total += weights[j]
            mean += weights[j] * one_hot[j]
            if levels[j] == levels[i]:
                n += weights[j]
                own += weights[j] * one_hot[j]
        shares[i] = (own + prior * mean / total) / (n + prior)
    return shares


def prior_rows(levels, one_hot):
    """Return the ratio of the variances within and between levels, by moments."""
    mean = one_hot.mean(axis=0)
    within = np.sum(mean * (1 - mean))
    excess, squares, n_levels = 0.0, 0.0, 0
    for level in set(levels):
        own = one_hot[levels == level]
        excess += len(own) * np.sum((own.mean(axis=0) - mean) ** 2)
        squares += len(own) ** 2
        n_levels += 1
    excess -= (n_levels - 1) * within
    spread = len(levels) - squares / len(levels)
    differ = excess / within > 3 * np.sqrt(2 * (n_levels - 1))
    return within * spread / excess if differ else np.inf
