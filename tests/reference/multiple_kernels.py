"""Multiple kernel learning to the letter: explicit features, loops and generic convex solvers."""

import numpy as np
from scipy.optimize import minimize


def features(K):
    """Return rows whose inner products are K."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def fisher_ratio(K, signs, alpha):
    """Return the best ratio of squared mean distance to spread, computed in feature space."""
    Z = features(K)
    spread = alpha * np.eye(Z.shape[1])
    means = {}
    for sign in (-1, 1):
        members = [z for z, s in zip(Z, signs) if s == sign]
        means[sign] = sum(members) / len(members)
        for z in members:
            spread += np.outer(z - means[sign], z - means[sign]) / len(members)
    difference = means[1] - means[-1]
    return difference @ np.linalg.solve(spread, difference)


def kfda_coefficients(K, signs, eps):
    """Return alpha = (W + eps I)^-1 (m_1 - m_2) with the class blocks of K written out."""
    n = len(signs)
    W, means = eps * np.eye(n), {}
    for sign in (-1, 1):
        block = K[:, [i for i in range(n) if signs[i] == sign]]
        size = block.shape[1]
        W += block @ (np.eye(size) - np.ones((size, size)) / size) @ block.T
        means[sign] = block @ np.ones(size) / size
    return np.linalg.solve(W, means[1] - means[-1])


def hull_objective(K, signs, lam, gamma):
    """Return EasyMKL's (1 - lam) (gamma y)' K (gamma y) + lam |gamma|²."""
    total = 0.0
    for i in range(len(signs)):
        total += lam * gamma[i] ** 2
        for j in range(len(signs)):
            total += (1 - lam) * gamma[i] * signs[i] * K[i, j] * gamma[j] * signs[j]
    return total


def hull_minimum(K, signs, lam):
    """Minimise `hull_objective` over the two simplices with a generic solver."""
    Q = (1 - lam) * np.outer(signs, signs) * K + lam * np.eye(len(signs))
    start = np.where(signs > 0, 1 / np.sum(signs > 0), 1 / np.sum(signs < 0))
    found = minimize(
        lambda g: g @ Q @ g,
        start,
        jac=lambda g: 2 * Q @ g,
        method="SLSQP",
        bounds=[(0, 1)] * len(signs),
        constraints=[
            {"type": "eq", "fun": lambda g, side=side: g[signs == side].sum() - 1}
            for side in (-1, 1)
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return found.x, found.fun


def svm2k_objective(K_a, K_b, signs, cost, agreement, epsilon, g_a, g_b):
    """Return the primal of SVM-2K at w = sum_i g_i phi(x_i), the bias inside the kernel."""
    f_a, f_b = (K_a + 1) @ g_a, (K_b + 1) @ g_b
    total = 0.5 * g_a @ f_a + 0.5 * g_b @ f_b
    for i, sign in enumerate(signs):
        total += cost * max(0, 1 - sign * f_a[i]) + cost * max(0, 1 - sign * f_b[i])
        total += agreement * max(0, abs(f_a[i] - f_b[i]) - epsilon)
    return total


def svm2k_dual_minimum(K_a, K_b, signs, cost, agreement, epsilon):
    """Minimise the dual of SVM-2K in (alpha_A, alpha_B, beta+, beta-) with a generic solver."""
    n = len(signs)

    def split(x):
        a_a, a_b, plus, minus = x.reshape(4, n)
        return signs * a_a - plus + minus, signs * a_b + plus - minus

    def value(x):
        g_a, g_b = split(x)
        quadratic = 0.5 * g_a @ (K_a + 1) @ g_a + 0.5 * g_b @ (K_b + 1) @ g_b
        return quadratic - x[: 2 * n].sum() + epsilon * x[2 * n :].sum()

    def gradient(x):
        g_a, g_b = split(x)
        f_a, f_b = (K_a + 1) @ g_a, (K_b + 1) @ g_b
        return np.concatenate(
            [signs * f_a - 1, signs * f_b - 1, f_b - f_a + epsilon, f_a - f_b + epsilon]
        )

    found = minimize(
        value,
        np.zeros(4 * n),
        jac=gradient,
        method="SLSQP",
        bounds=[(0, cost)] * (2 * n) + [(0, agreement)] * (2 * n),
        constraints=[{"type": "ineq", "fun": lambda x: agreement - x[2 * n : 3 * n] - x[3 * n :]}],
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return found.fun


def svm2k_primal_by_cvxpy(K_a, K_b, signs, cost, agreement, epsilon):
    """Return the scores of both views and the objective of SVM-2K from a conic solver."""
    import cvxpy as cp

    Z_a, Z_b = features(K_a + 1), features(K_b + 1)
    w_a, w_b = cp.Variable(Z_a.shape[1]), cp.Variable(Z_b.shape[1])
    f_a, f_b = Z_a @ w_a, Z_b @ w_b
    losses = cp.sum(cp.pos(1 - cp.multiply(signs, f_a)) + cp.pos(1 - cp.multiply(signs, f_b)))
    apart = cp.sum(cp.pos(cp.abs(f_a - f_b) - epsilon))
    norms = 0.5 * cp.sum_squares(w_a) + 0.5 * cp.sum_squares(w_b)
    problem = cp.Problem(cp.Minimize(norms + cost * losses + agreement * apart))
    problem.solve(solver=cp.CLARABEL)
    return f_a.value, f_b.value, problem.value


def hull_by_cvxpy(K, signs, lam):
    """Return EasyMKL's gamma and objective from a conic solver."""
    import cvxpy as cp

    gamma = cp.Variable(len(signs), nonneg=True)
    Z = features(K)
    objective = (1 - lam) * cp.sum_squares(Z.T @ cp.multiply(signs, gamma))
    objective += lam * cp.sum_squares(gamma)
    sides = [cp.sum(gamma[np.flatnonzero(signs == side)]) == 1 for side in (-1, 1)]
    problem = cp.Problem(cp.Minimize(objective), sides)
    problem.solve(solver=cp.CLARABEL)
    return gamma.value, problem.value


def mkda_by_semidefinite_programme(grams, signs, alpha):
    """Return theta and the ratio of Kim, Magnani and Boyd's problem, solved as they state it.

    Maximise t over the simplex subject to the Schur complement
    [[alpha I + J K J, J K a], [a'K J, a'K a - alpha t]] being positive semi-definite.
    """
    import cvxpy as cp

    n = len(signs)
    a = np.where(signs > 0, 1 / np.sum(signs > 0), -1 / np.sum(signs < 0))
    J = np.zeros((n, n))
    for sign in (-1, 1):
        members = signs == sign
        size = members.sum()
        J[np.ix_(members, members)] = (np.eye(size) - np.ones((size, size)) / size) / np.sqrt(size)
    theta, ratio = cp.Variable(len(grams), nonneg=True), cp.Variable()
    K = sum(theta[m] * grams[m] for m in range(len(grams)))
    corner = cp.reshape(cp.sum(cp.multiply(np.outer(a, a), K)) - alpha * ratio, (1, 1), order="C")
    side = cp.reshape(J @ K @ a, (n, 1), order="C")
    block = cp.bmat([[alpha * np.eye(n) + J @ K @ J, side], [side.T, corner]])
    problem = cp.Problem(cp.Maximize(ratio), [cp.sum(theta) == 1, 0.5 * (block + block.T) >> 0])
    problem.solve(solver=cp.CLARABEL)
    return theta.value, problem.value


def mkl_by_cvxpy(grams, signs, cost):
    """Return SimpleMKL's objective: max 1'alpha - t with 0.5 a'K_m a <= t for every kernel."""
    import cvxpy as cp

    alpha, top = cp.Variable(len(signs), nonneg=True), cp.Variable()
    signed = cp.multiply(signs, alpha)
    bounds = [0.5 * cp.sum_squares(features(K).T @ signed) <= top for K in grams]
    problem = cp.Problem(
        cp.Maximize(cp.sum(alpha) - top), [*bounds, alpha <= cost, cp.sum(signed) == 0]
    )
    problem.solve(solver=cp.CLARABEL)
    return problem.value


def ufo_binary(grams, signs, lam, sparsity, order):
    """Return w_j's factors and the coefs of UFO-MKL after the rows in `order`, one at a time."""
    n_kernels, n = len(grams), len(signs)
    q = max(2.0, 2 * np.log(n_kernels))
    C, weights = np.zeros(n), np.zeros(n_kernels)
    for t, i in enumerate(order, start=1):
        score = sum(weights[j] * grams[j][i] @ C for j in range(n_kernels))
        if signs[i] * score < 1:
            C[i] += signs[i]
        norms = [np.sqrt(max(C @ grams[j] @ C, 0)) for j in range(n_kernels)]
        v = [max(0.0, norm - sparsity * t) for norm in norms]
        length = sum(x**q for x in v) ** (1 / q)
        for j in range(n_kernels):
            weights[j] = 0.0
            if v[j] > 0:
                weights[j] = (v[j] / norms[j]) * (v[j] / length) ** (q - 2) / (lam * t)
    return weights, C


def weighted_scatter(columns, weight):
    """Return the sum over the columns of their squared deviations from the weighted mean."""
    mean = columns @ weight / weight.sum()
    scatter = np.zeros((len(mean), len(mean)))
    for column, w in zip(columns.T, weight):
        scatter += w * np.outer(column - mean, column - mean)
    return scatter
