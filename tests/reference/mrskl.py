"""MRSKL, literally: f(x) = Σ_m β_m f_m(x) + b with f_m(x) = Σ_i a_mi y_i k_m(x, x_i) + b_m."""

import numpy as np


def member_score(member, x, column):
    total = member.bias[column]
    for support, coefs in zip(member.support, member.coefs):
        distance = sum((a - b) ** 2 for a, b in zip(x, support))
        total += coefs[column] * np.exp(-member.kernel.gamma * distance)
    return total


def combined_score(members, weights, bias, x):
    return sum(w * member_score(m, x, 0) for w, m in zip(weights, members)) + bias


def pair_machine(x_plus, x_minus, gamma, C):
    """Return the coefficients of the SVM on one row of each class: ±min(C, 1 / (1 - k))."""
    k = np.exp(-gamma * np.sum((x_plus - x_minus) ** 2))
    alpha = min(C, 1.0 / (1.0 - k))
    return alpha, -alpha


def machine_objective(kind, K, t, costs, coefs, bias):
    """½|w|² + Σ c_i loss(t_i, f(x_i)), row by row."""
    total = 0.5 * coefs @ K @ coefs
    for i in range(len(t)):
        f = K[i] @ coefs + bias
        if kind == "ridge":
            total += costs[i] * (t[i] - f) ** 2
        else:
            slack = max(0.0, 1.0 - t[i] * f)
            total += costs[i] * (slack if kind == "svm" else slack**2)
    return total


def level_one_objective(Z, t, s, alpha, coefs, loss):
    """Σ s_i loss(t_i, w·z_i + b) + alpha |w|², row by row."""
    total = alpha * np.sum(coefs[:-1] ** 2)
    for i in range(len(t)):
        slack = 1.0 - t[i] * (coefs[:-1] @ Z[:, i] + coefs[-1])
        total += s[i] * (max(0.0, slack) ** 2 if loss == "squared_hinge" else slack**2)
    return total
