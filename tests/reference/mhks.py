"""Algorithms of RPEMEKL (000, Table 1) and MEKL-DLP (004, Table 1), row by row, for tiny inputs.

One binary problem with labels ±1; `views` are feature matrices without the constant column.
The misprints of both papers are put right: every view uses its own coefficients, the weight
of its own system is 1 + coupling (M - 1) / M, and b uses the absolute error.
"""

import math

import numpy as np


def signed_rows(Z, y):
    """Y: the rows of Z with a constant, each times its label."""
    return np.array([[label * value for value in (*row, 1.0)] for row, label in zip(Z, y)])


def objective(Ys, ws, bs, penalties, coupling):
    """Eq. (5) of 000, with any penalty matrix in place of c times the identity."""
    total = 0.0
    for Y, w, b, R in zip(Ys, ws, bs, penalties):
        for i in range(len(Y)):
            total += (Y[i] @ w - 1.0 - b[i]) ** 2
        total += w[:-1] @ R @ w[:-1]
    for i in range(len(Ys[0])):
        outputs = [Y[i] @ w for Y, w in zip(Ys, ws)]
        mean = sum(outputs) / len(outputs)
        total += coupling * sum((output - mean) ** 2 for output in outputs)
    return total


def update_view(j, Ys, ws, bs, penalties, coupling):
    """Eq. (6) of 000, the corrected Eq. (15) of 004."""
    M, Y = len(Ys), Ys[j]
    R = np.zeros((Y.shape[1], Y.shape[1]))
    R[:-1, :-1] = penalties[j]
    target = bs[j] + 1.0
    for k in range(M):
        if k != j:
            target = target + coupling / M * (Ys[k] @ ws[k])
    return np.linalg.solve((1 + coupling * (M - 1) / M) * Y.T @ Y + R, Y.T @ target)


def paper_start(views, y, penalties, coupling, b0=1e-6):
    """Steps 4 and 5 of Table 1: unit vectors, then the first view solved."""
    Ys = [signed_rows(Z, y) for Z in views]
    bs = [np.full(len(y), b0) for _ in Ys]
    ws = [np.ones(Y.shape[1]) / math.sqrt(Y.shape[1]) for Y in Ys]
    ws[0] = update_view(0, Ys, ws, bs, penalties, coupling)
    return ws


def mhks(views, y, penalties, coupling, start, *, rho=0.99, b0=1e-6, n_iter=10):
    """Step 6 of Table 1; returns the coefficients and the objective after every round."""
    Ys = [signed_rows(Z, y) for Z in views]
    bs = [np.full(len(y), b0) for _ in Ys]
    ws = [w.copy() for w in start]
    history = [objective(Ys, ws, bs, penalties, coupling)]
    for _ in range(n_iter):
        for j, Y in enumerate(Ys):
            for i in range(len(y)):
                error = Y[i] @ ws[j] - bs[j][i] - 1.0
                bs[j][i] += rho * (error + abs(error))
        ws = [update_view(j, Ys, ws, bs, penalties, coupling) for j in range(len(Ys))]
        history.append(objective(Ys, ws, bs, penalties, coupling))
    return ws, history


def squared_hinge_objective(views, T, ws, penalties, coupling, sample_weight):
    """The full objective of one column with b at its optimum, max(0, Y w - 1)."""
    total = 0.0
    for i in range(len(T)):
        if T[i] == 0:
            continue
        outputs = [Z[i] @ w[:-1] + w[-1] for Z, w in zip(views, ws)]
        mean = sum(outputs) / len(outputs)
        for output in outputs:
            total += sample_weight[i] * max(0.0, 1.0 - T[i] * output) ** 2
            total += sample_weight[i] * coupling * (output - mean) ** 2
    return total + sum(w[:-1] @ R @ w[:-1] for w, R in zip(ws, penalties))


def heat_weight(a, b, scale):
    return math.exp(-sum((u - v) ** 2 for u, v in zip(a, b)) / (2.0 * scale))


def locality(Z, y, n_neighbors, scale):
    """Half the first sum of Eq. (8) of 004 as a matrix; None joins all rows of a class."""
    n = len(Z)
    near = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mates = [j for j in range(n) if j != i and y[j] == y[i]]
        mates.sort(key=lambda j: sum((Z[i] - Z[j]) ** 2))
        for j in mates[:n_neighbors]:
            near[i, j] = near[j, i] = True
    R = np.zeros((Z.shape[1], Z.shape[1]))
    for i in range(n):
        for j in range(n):
            if near[i, j]:
                difference = Z[i] - Z[j]
                R += 0.5 * heat_weight(Z[i], Z[j], scale) * np.outer(difference, difference)
    return R


def between_means(Z, y, scale):
    """Half the second sum of Eq. (8) of 004 as a matrix, all class means joined."""
    means = [Z[y == label].mean(axis=0) for label in np.unique(y)]
    R = np.zeros((Z.shape[1], Z.shape[1]))
    for p in means:
        for q in means:
            R += 0.5 * heat_weight(p, q, scale) * np.outer(p - q, p - q)
    return R
