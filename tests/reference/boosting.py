"""Boosted trees by their equations, one candidate after the other."""

import numpy as np
from scipy.special import expit, softmax


def boosted_scores(X, codes, weights, growth, n_steps):
    """Return the scores of the training rows, of shape (n_outputs, n_rows), after some steps."""
    shares = np.bincount(codes, weights) / weights.sum()
    start = np.log(shares) if len(shares) > 2 else np.log(shares[1:] / shares[0])
    scores = np.tile(start[:, None], len(codes))
    for _ in range(n_steps):
        if len(scores) == 1:
            P, Y = expit(scores), codes[None, :]
        else:
            P, Y = softmax(scores, axis=0), np.arange(len(scores))[:, None] == codes
        slopes, curves = weights * (P - Y), weights * P * (1.0 - P)
        for k in range(len(scores)):
            for leaf in _leaves(X, slopes[k], curves[k], growth):
                best = slopes[k, leaf].sum() / (curves[k, leaf].sum() + growth.l2)
                scores[k, leaf] -= growth.learning_rate * best
    return scores


def _leaves(X, slopes, curves, growth):
    """Return the rows of every leaf of a tree that splits the leaf of the largest gain next."""
    leaves = [np.arange(len(X))]
    while len(leaves) < growth.max_leaves:
        found = [_best_split(X, slopes, curves, rows, growth) for rows in leaves]
        best = max(range(len(leaves)), key=lambda k: found[k][0])
        gain, is_left = found[best]
        if gain <= 1e-9:
            break
        rows = leaves[best]
        leaves[best : best + 1] = [rows[is_left], rows[~is_left]]
    return leaves


def _best_split(X, slopes, curves, rows, growth):
    def worth(some):
        return slopes[some].sum() ** 2 / (curves[some].sum() + growth.l2)

    best = 0.0, None
    for values in X[rows].T:
        for cut in np.unique(values[~np.isnan(values)]):
            for missing_left in (False, True):
                is_left = (values <= cut) | (missing_left & np.isnan(values))
                if min(is_left.sum(), (~is_left).sum()) < growth.min_rows:
                    continue
                gain = worth(rows[is_left]) + worth(rows[~is_left]) - worth(rows)
                if gain > best[0] + 1e-12:
                    best = gain, is_left
    return best
