"""Kernel Fisher discriminants, with a penalty on the direction or on its coefficients."""

from collections import defaultdict

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..threads import threads_by_rows
from .ridge_spectrum import gram_spectrum
from .tasks import Machine, one_sided_bias, two_sided_columns

#: From so many problems of the same rows on, one spectrum takes less time than their factors.
SHARED_PROBLEMS = 10


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


def fisher_directions(K, signs, weight, alpha):
    """Return the directions and ratios of `fisher_direction` for many problems of the same rows.

    With the scatter A of all rows and A+ of one class, the covariances of the class and the rest
    add up to A / W- + (1 / W+ - 1 / W-) A+ - mu+ mu+' - mu- mu-'. The first term with the penalty
    is diagonal in the eigenvectors of the Gram matrix, and the others have a low rank.

    Parameters
    ----------
    K, weight, alpha
        See `fisher_direction`.
    signs : ndarray of shape (n_rows, n_problems)
        The class +1 of a problem should have few rows.
    """
    U, values, root = gram_spectrum(K, weight)
    everything = U.T @ root
    turned, ratios = np.empty((len(values), signs.shape[1])), np.empty(signs.shape[1])
    for number, own in enumerate(signs.T):
        members = np.flatnonzero(own > 0)
        high = weight[members].sum()
        low = weight.sum() - high
        inside = U[members].T
        summed = inside @ root[members]
        means = np.column_stack([summed / high, (everything - summed) / low])
        apart = means[:, 0] - means[:, 1]
        G = np.hstack([inside, means])
        sizes = np.concatenate([np.full(len(members), 1.0 / high - 1.0 / low), [-1.0, -1.0]])
        shrunk = 1.0 / (alpha + values / low)
        projected = G.T * (values * shrunk)
        system = (projected @ G) * sizes
        system.flat[:: len(sizes) + 1] += 1.0
        y = np.linalg.solve(system, projected @ apart)
        turned[:, number] = shrunk * (apart - G @ (sizes * y))
        ratios[number] = apart @ (values * turned[:, number])
    return alpha * root[:, None] * (U @ turned), ratios


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
    coefs, bias, objective = np.zeros(T.shape), one_sided_bias(T), 0.0
    for columns, rows, signs, V, ratios in fisher_problems(K, T, weight, alpha, penalty):
        at, inner = np.ix_(rows, columns), K[np.ix_(rows, rows)]
        coefs[at], bias[columns] = _scale_to_means(inner, V, signs, weight[rows])
        objective += float(ratios.sum())
    return Machine(coefs, bias, objective)


def fisher_problems(K, T, weight, alpha, penalty="norm"):
    """Yield columns of `T`, the rows that they share, the signs, directions and ratios of these."""
    alike = defaultdict(list)
    for column, rows, signs in two_sided_columns(T):
        alike[rows.tobytes()].append((column, rows, signs))
    for problems in alike.values():
        columns, (rows, *_), signs = zip(*problems)
        sides = np.column_stack(signs)
        V, ratios = _directions(K[np.ix_(rows, rows)], sides, weight[rows], alpha, penalty)
        yield list(columns), rows, sides, V, ratios


def _directions(K, signs, weight, alpha, penalty):
    if penalty == "norm" and signs.shape[1] >= SHARED_PROBLEMS:
        return fisher_directions(K, signs, weight, alpha)
    direction = fisher_direction if penalty == "norm" else _coefficient_direction
    V, ratios = zip(*(direction(K, own, weight, alpha) for own in signs.T))
    return np.column_stack(V), np.array(ratios)


def _scale_to_means(K, V, signs, weight):
    """Return coefs and biases along the columns of `V` so that class means score +1 and -1."""
    scores = weight[:, None] * (K @ V)
    means = []
    for members in (signs > 0, signs < 0):
        means.append((scores * members).sum(axis=0) / (weight @ members))
    high, low = means
    # Where the kernel does not tell the class means apart, all rows score 0.
    apart = high > low
    distance = np.where(apart, high - low, 1.0)
    return np.where(apart, 2.0 * V / distance, 0.0), np.where(apart, -(high + low) / distance, 0.0)
