"""Kernel ridge, co-trained kernel ridge and RVFL as written, with loops, for tiny inputs."""

import numpy as np


def kernel_ridge(K, T, alpha, s):
    """Dual coefficients of min sum_i s_i |(K A)_i - t_i|² + alpha tr(A'KA), s > 0."""
    return np.linalg.solve(K + alpha * np.diag(1.0 / s), T)


def share_model(K, T, alpha, s, k_new):
    """Score of new rows by class shares + kernel ridge of what the shares leave."""
    shares = sum(s_i * t_i for s_i, t_i in zip(s, T)) / s.sum()
    return shares + k_new @ kernel_ridge(K, T - shares, alpha, s)


def leave_one_out(K, T, alpha, s, fit=share_model):
    """Refit without each row in turn and score it."""
    scores = np.empty_like(T)
    for i in range(len(T)):
        rest = np.delete(np.arange(len(T)), i)
        scores[i] = fit(K[np.ix_(rest, rest)], T[rest], alpha, s[rest], K[i, rest])
    return scores


def plain_model(K, T, alpha, s, k_new):
    """Score of new rows by kernel ridge without shares."""
    return k_new @ kernel_ridge(K, T, alpha, s)


def weighted_ridge(Z, T, alpha, s):
    """Coefficients of min sum_i s_i |z_i W - t_i|² + alpha |W|², summed row by row."""
    left, right = alpha * np.eye(Z.shape[1]), np.zeros((Z.shape[1], T.shape[1]))
    for z, t, weight in zip(Z, T, s):
        left += weight * np.outer(z, z)
        right += weight * np.outer(z, t)
    return np.linalg.solve(left, right)


def co_objective(grams, coefs, T, alphas, C2, s, labelled):
    """Eq. 27 of the paper with one ridge per view, row weights and unlabelled rows."""
    F = [K @ A for K, A in zip(grams, coefs)]
    value = 0.0
    for K, A, f, alpha in zip(grams, coefs, F, alphas):
        value += np.sum((s * labelled)[:, None] * (T - f) ** 2) + alpha * np.trace(A.T @ K @ A)
    for f in F:
        for g in F:
            value += C2 * np.sum(s[:, None] * (f - g) ** 2)
    return value


def co_krr_two_views(K1, K2, T, c1, c2, C2):
    """Eq. 31 corrected: 4 C2² in place of 4 C2³, and one ridge per view."""
    n, nu = len(T), 2.0 * C2 + 1.0

    def one(Ka, Kb, ca, cb):
        across = Kb @ np.linalg.inv(nu * Kb + cb * np.eye(n))
        left = nu * Ka + ca * np.eye(n) - 4.0 * C2**2 * across @ Ka
        return np.linalg.solve(left, T + 2.0 * C2 * across @ T)

    return one(K1, K2, c1, c2), one(K2, K1, c2, c1)


def co_krr_brute(grams, T, alphas, C2, s, labelled):
    """Minimise Eq. 27 by one linear system over all coefficients of all views."""
    M, n = len(grams), len(T)
    D, G = np.diag(s * labelled), np.diag(s)
    left, right = np.zeros((M * n, M * n)), np.zeros((M * n, T.shape[1]))
    for u in range(M):
        for v in range(M):
            block = -2.0 * C2 * G @ grams[v]
            if u == v:
                block += D @ grams[u] + alphas[u] * np.eye(n) + 2.0 * M * C2 * G @ grams[u]
            left[u * n : (u + 1) * n, v * n : (v + 1) * n] = block
        right[u * n : (u + 1) * n] = D @ T
    return np.split(np.linalg.solve(left, right), M)


def co_leave_one_out(grams, T, alphas, C2, s, labelled):
    """Take each label away in turn, keeping the row as unlabelled, refit and score it."""
    scores = np.zeros((len(grams), *T.shape))
    for i in np.flatnonzero(labelled):
        without = labelled.copy()
        without[i] = False
        coefs = co_krr_brute(grams, T, alphas, C2, s, without)
        for v, (K, A) in enumerate(zip(grams, coefs)):
            scores[v, i] = K[i] @ A
    return scores


def landmark_ridge(K, span, T, weights, alpha):
    """Minimise Σᵢ wᵢ |kᵢ'A - (tᵢ - p)|² + alpha tr(A' span A), where p is the weighted mean of t.

    Returns the function K → K A + p.
    """
    n, m = K.shape
    p = sum(weights[i] * T[i] for i in range(n)) / sum(weights)
    system, right = alpha * span, np.zeros((m, T.shape[1]))
    for i in range(n):
        system = system + weights[i] * np.outer(K[i], K[i])
        right = right + weights[i] * np.outer(K[i], T[i] - p)
    A = np.linalg.solve(system, right)
    return lambda values: values @ A + p


def deep_units(x, layers):
    """Return the sigmoid units of stacked layers for one row: a layer sees x and those before."""
    found, seen = [], list(x)
    for layer in layers:
        h = []
        for unit in range(len(layer.biases)):
            p = layer.biases[unit] + sum(v * w for v, w in zip(seen, layer.weights[:, unit]))
            h.append(1.0 / (1.0 + np.exp(-p)))
        found.append(h)
        seen = [*x, *h]
    return found
