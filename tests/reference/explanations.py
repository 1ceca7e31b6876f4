"""The definitions behind the explanations, with loops, for tiny inputs."""

from itertools import combinations
from math import factorial

import numpy as np


def confident_joint(P, codes, weights):
    """Confident learning: count label against class, rows scaled to the weight of each label."""
    n, k = P.shape
    thresholds = []
    for j in range(k):
        mine = [i for i in range(n) if codes[i] == j]
        total = sum(weights[i] for i in mine)
        thresholds.append(sum(weights[i] * P[i, j] for i in mine) / total if mine else np.inf)
    counts = np.zeros((k, k))
    for i in range(n):
        speaks_for = [j for j in range(k) if P[i, j] >= thresholds[j] - 1e-12]
        if speaks_for:
            counts[codes[i], max(speaks_for, key=lambda j: P[i, j])] += weights[i]
    joint = np.zeros((k, k))
    for s in range(k):
        of_label = sum(weights[i] for i in range(n) if codes[i] == s)
        if counts[s].sum() == 0:
            joint[s, s] = of_label
        else:
            joint[s] = counts[s] / counts[s].sum() * of_label
    return joint


def shapley_values(score, x, background):
    """Shapley values of a score function of rows, averaged over background rows."""
    d = len(x)

    def value(columns):
        rows = background.copy()
        for j in columns:
            rows[:, j] = x[j]
        return score(rows).mean()

    phi = np.zeros(d)
    for j in range(d):
        others = [k for k in range(d) if k != j]
        for size in range(d):
            weight = factorial(size) * factorial(d - size - 1) / factorial(d)
            for columns in combinations(others, size):
                phi[j] += weight * (value([*columns, j]) - value(columns))
    return phi
