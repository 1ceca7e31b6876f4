"""Kernels of two rows, one pair at a time."""

import math

import numpy as np


def rbf(x, y, gamma):
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y)))


def cauchy(x, y, gamma):
    return 1.0 / (1.0 + gamma * sum((a - b) ** 2 for a, b in zip(x, y)))


def laplacian(x, y, gamma, p):
    return math.exp(-gamma * sum(abs(a - b) ** p for a, b in zip(x, y)) ** (1.0 / p))


def generalized_exponential(x, y, scale, p, q):
    distance = sum(abs(a - b) ** p for a, b in zip(x, y)) ** (1.0 / p)
    return math.exp(-((distance / scale) ** q))


def matern(x, y, scale, nu):
    s = math.sqrt(2 * nu * sum((a - b) ** 2 for a, b in zip(x, y))) / scale
    return {0.5: 1.0, 1.5: 1.0 + s, 2.5: 1.0 + s + s * s / 3.0}[nu] * math.exp(-s)


def linear(x, y):
    return sum(a * b for a, b in zip(x, y))


def polynomial(x, y, degree, gamma, coef0):
    return (gamma * linear(x, y) + coef0) ** degree


def sigmoid(x, y, gamma, coef0):
    return math.tanh(gamma * linear(x, y) + coef0)


def gram(function, X, Y, **parameters):
    return np.array([[function(x, y, **parameters) for y in Y] for x in X])


def distances(X):
    """Return the Euclidean distances of all pairs of different rows."""
    n = len(X)
    return [
        math.sqrt(sum((a - b) ** 2 for a, b in zip(X[i], X[j])))
        for i in range(n)
        for j in range(i + 1, n)
    ]
