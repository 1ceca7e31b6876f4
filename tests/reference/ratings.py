"""Ratings of a pool of methods, with loops over data sets and pairs."""

import numpy as np


def improvability(errors):
    """The mean over data sets of the percentage by which the best has fewer errors."""
    n, k = errors.shape
    total = np.zeros(k)
    for i in range(n):
        best = min(errors[i])
        for j in range(k):
            total[j] += 0.0 if errors[i, j] == 0 else 100 * (1 - best / errors[i, j])
    return total / n


def normalised(scores):
    n, k = scores.shape
    total = np.zeros(k)
    for i in range(n):
        best, median = max(scores[i]), np.median(scores[i])
        for j in range(k):
            if best > median:
                total[j] += max(0.0, (scores[i, j] - median) / (best - median))
            else:
                total[j] += float(scores[i, j] == best)
    return total / n


def expected_wins(ratings, n_datasets):
    """The wins that ratings promise; at the greatest likelihood they are the wins that happened."""
    k = len(ratings)
    total = np.zeros(k)
    for i in range(k):
        for j in range(k):
            if i != j:
                total[i] += n_datasets / (1 + 10 ** ((ratings[j] - ratings[i]) / 400))
    return total


def wins(scores):
    k = scores.shape[1]
    total = np.zeros(k)
    for row in scores:
        for i in range(k):
            for j in range(k):
                if i != j:
                    total[i] += 1.0 if row[i] > row[j] else 0.5 if row[i] == row[j] else 0.0
    return total
