"""Kernel Fisher discriminants, with a penalty on the direction or on its coefficients."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .tasks import one_sided_bias, two_sided_columns

__all__ = ["FisherSolution", "fisher_direction", "solve_kfda"]


class FisherSolution(NamedTuple):
    """Coefs and bias, one column a task, and the sum of the tasks' Fisher ratios."""

    coefs: np.ndarray
    bias: np.ndarray
    objective: float


def fisher_direction(K, signs, weight, alpha):
    """Maximise (w'(mu+ - mu-))² / (w'(S+ + S-) w + alpha |w|²) in the kernel's feature space.

    mu and S are the (weighted) class means and covariances. With a = weight / class weight, signed,
    and J the matrix whose J J' gives the covariances, u = (alpha I + J'KJ)^-1 J'Ka and
    v = a - Ju: the best direction is sum_i v_i phi(x_i) / alpha and the best ratio v'Ka / alpha.

    Returns
    -------
    v : ndarray of shape (n_samples,)
    ratio : float
    """
    root = np.sqrt(weight)
    a, unit = np.zeros(signs.size), []
    scale = np.zeros(signs.size)
    for sign in (-1, 1):
        members = signs == sign
        total = weight[members].sum()
        a[members] = sign * weight[members] / total
        scale[members] = root[members] / np.sqrt(total)
        unit.append(np.where(members, root, 0.0) / np.sqrt(total))
    U = np.array(unit).T  # one unit vector a class: J = diag(scale) (I - U U')

    def project(Z):
        return Z - U @ (U.T @ Z)

    inner = project(project(scale[:, None] * K * scale).T)
    inner.flat[:: signs.size + 1] += alpha
    Ka = K @ a
    u = cho_solve(cho_factor(inner, overwrite_a=True), project(scale * Ka), overwrite_b=True)
    v = a - scale * project(u)
    return v, float(v @ Ka / alpha)


def _coefficient_direction(K, signs, weight, alpha):
    """Return (W + alpha I)^-1 (m+ - m-), W the scatter of the rows of K inside the classes."""
    inner = alpha * np.eye(signs.size)
    means = []
    for sign in (-1, 1):
        members = signs == sign
        share = weight[members] / weight[members].sum()
        mean = K[:, members] @ share
        spread = (K[:, members] - mean[:, None]) * np.sqrt(weight[members])
        inner += spread @ spread.T
        means.append(mean)
    difference = means[1] - means[0]
    coefs = cho_solve(cho_factor(inner, overwrite_a=True), difference)
    return coefs, float(coefs @ difference)


def solve_kfda(K, T, weight, alpha, *, penalty="norm"):
    """Fit the kernel Fisher discriminant of every column of `T`.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
    T : ndarray of shape (n_samples, n_tasks)
        +1, -1, or 0 for rows that a task leaves out.
    weight : ndarray of shape (n_samples,)
    alpha : float
        Strength of the penalty.
    penalty : {"norm", "coefs"}, default="norm"
        alpha |w|² with class covariances, or alpha |coefs|² with class scatters (Mika et al.).

    Returns
    -------
    FisherSolution
        Scores are scaled so that the projected class means are +1 and -1: the threshold, 0, lies
        midway.
    """
    direction = fisher_direction if penalty == "norm" else _coefficient_direction
    coefs, bias = np.zeros(T.shape), one_sided_bias(T)
    objective = 0.0
    for column, rows, signs in two_sided_columns(T):
        inner = K[np.ix_(rows, rows)]
        v, ratio = direction(inner, signs, weight[rows], alpha)
        coefs[rows, column], bias[column] = _scale_to_means(inner, v, signs, weight[rows])
        objective += ratio
    return FisherSolution(coefs, bias, objective)


def _scale_to_means(K, v, signs, weight):
    """Return coefs and bias of the direction `v` that give the class means scores +1 and -1."""
    scores = K @ v
    high = np.average(scores[signs > 0], weights=weight[signs > 0])
    low = np.average(scores[signs < 0], weights=weight[signs < 0])
    if high <= low:  # the kernel does not see any difference
        return np.zeros_like(v), 0.0
    return 2.0 * v / (high - low), -(high + low) / (high - low)
