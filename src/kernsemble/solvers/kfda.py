"""Kernel Fisher discriminants, with a penalty on the direction or on its coefficients."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..threads import threads_by_rows
from .tasks import Machine, one_sided_bias, two_sided_columns


def fisher_direction(K, signs, weight, alpha):
    """Maximise (w'(mu+ - mu-))² / (w'(S+ + S-) w + alpha |w|²) in the kernel's feature space.

    Here mu and S are the weighted class means and covariances. Let a be the signed weights divided
    by the class weights, J the matrix whose product J J' gives the covariances,
    u = (alpha I + J'KJ)^-1 J'Ka and v = a - Ju. The best direction is sum_i v_i phi(x_i) / alpha,
    and the best ratio is v'Ka / alpha. Returns v and the ratio.
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
    U = np.array(unit).T  # One unit vector per class, so that J = diag(scale) (I - U U').

    def project(Z):
        return Z - U @ (U.T @ Z)

    inner = project(project(scale[:, None] * K * scale).T)
    inner.flat[:: signs.size + 1] += alpha
    Ka = K @ a
    u = cho_solve(cho_factor(inner, overwrite_a=True), project(scale * Ka), overwrite_b=True)
    v = a - scale * project(u)
    return v, float(v @ Ka / alpha)


def _coefficient_direction(K, signs, weight, alpha):
    """Return (W + alpha I)^-1 (m+ - m-), where W is the within-class scatter of the rows of K."""
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


@threads_by_rows()
def solve_kfda(K, T, weight, alpha, *, penalty="norm"):
    """Fit the kernel Fisher discriminant of every column of `T`.

    The penalty "norm" is alpha |w|² with class covariances, and "coefs" is alpha |coefs|² with
    class scatters (Mika et al. 1999). See `kernsemble.solvers.tasks` for the other arguments.

    Returns
    -------
    Machine
        The projected class means score +1 and -1, so the threshold 0 lies midway between them. The
        objective is the Fisher ratio.
    """
    direction = fisher_direction if penalty == "norm" else _coefficient_direction
    coefs, bias = np.zeros(T.shape), one_sided_bias(T)
    objective = 0.0
    for column, rows, signs in two_sided_columns(T):
        inner = K[np.ix_(rows, rows)]
        v, ratio = direction(inner, signs, weight[rows], alpha)
        coefs[rows, column], bias[column] = _scale_to_means(inner, v, signs, weight[rows])
        objective += ratio
    return Machine(coefs, bias, objective)


def _scale_to_means(K, v, signs, weight):
    """Return coefs and bias along `v` for which the class means score +1 and -1."""
    scores = K @ v
    high = np.average(scores[signs > 0], weights=weight[signs > 0])
    low = np.average(scores[signs < 0], weights=weight[signs < 0])
    if high <= low:  # The kernel does not tell the class means apart.
        return np.zeros_like(v), 0.0
    return 2.0 * v / (high - low), -(high + low) / (high - low)
