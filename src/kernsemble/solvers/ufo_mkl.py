"""UFO-MKL: stochastic gradient steps on a group-norm regularised hinge loss."""

import numpy as np

from ..threads import threads_by_rows
from .tasks import MKLSolution

#: Largest number of visits to a row in one pass.
MAX_VISITS = 100


@threads_by_rows(1)
def solve_ufo_mkl(grams, codes, n_classes, weight, lam, sparsity, *, n_epochs, rng):
    """Minimise lam/2 |w|²_{2,p} + sparsity |w|_{2,1} + mean hinge loss, p = q/(q - 1), q = 2 ln M.

    Every violated margin adds the same term to the gradient sum theta_j of each kernel, so all
    kernels share one matrix of coefs C: w_j = weight_j theta_j, theta_j = sum_i C_i phi_j(x_i),
    with v_j = max(0, |theta_j| - sparsity t) and
    weight_j = (v_j / |theta_j|) (v_j / |v|_q)^(q - 2) / (lam t). With two classes the loss is the
    hinge of one signed score, with more the hinge of the true class against the best other one.

    Parameters
    ----------
    grams, weight
        See `kernsemble.solvers.tasks`; `weight` multiplies the loss of each row, and rounded it is
        the number of visits to the row in a pass.
    codes : ndarray of shape (n_samples,)
        Classes 0, …, n_classes - 1.
    n_classes : int
    lam, sparsity : float
        Strengths of the two norms.
    n_epochs : int
        Number of passes over the rows.
    rng : RandomState

    Returns
    -------
    MKLSolution
        The weights are not on the simplex, the bias is zero, and two classes have one column of
        scores.
    """
    stack = np.stack(grams)
    diagonals = np.diagonal(stack, axis1=1, axis2=2).copy()
    n_kernels, n_samples = diagonals.shape
    q = max(2.0, 2.0 * np.log(n_kernels))
    binary = n_classes == 2
    C = np.zeros((n_samples, 1 if binary else n_classes))
    scores = np.zeros((n_kernels, n_samples, C.shape[1]))  # Scores of every theta_j.
    squares = np.zeros(n_kernels)
    # A row that stands for several copies is visited once for each of them: with few distinct rows,
    # single visits would be too few steps.
    visits = np.clip(np.round(weight), weight > 0, MAX_VISITS).astype(np.intp)
    share = weight / np.maximum(visits, 1)
    rows = np.repeat(np.arange(n_samples), visits)
    t = 0
    for _ in range(n_epochs):
        for i in rng.permutation(rows):
            weights = _group_weights(squares, t, lam, sparsity, q)
            t += 1
            now = weights @ scores[:, i]
            update = _hinge_update(now, codes[i], binary) * share[i]
            used = np.flatnonzero(update)
            if used.size == 0:
                continue
            C[i] += update
            squares += 2 * scores[:, i] @ update + update @ update * diagonals[:, i]
            for column in used:
                scores[:, :, column] += update[column] * stack[:, i]
    squares = np.maximum(np.einsum("ik,jik->j", C, scores), 0.0)
    weights = _group_weights(squares, t, lam, sparsity, q)
    losses = _hinge_losses(np.tensordot(weights, scores, 1), codes, binary)
    norms = weights * np.sqrt(squares)
    p = q / (q - 1)
    penalty = 0.5 * lam * np.linalg.norm(norms, p) ** 2 + sparsity * norms.sum()
    objective = float(penalty + np.average(losses, weights=weight))
    return MKLSolution(weights, C, np.zeros(C.shape[1]), objective, None, t, True)


def _group_weights(squares, t, lam, sparsity, q):
    """Return the factor between w_j and theta_j after t samples."""
    norms = np.sqrt(np.maximum(squares, 0.0))
    shrunk = np.maximum(norms - sparsity * t, 0.0)
    total = np.linalg.norm(shrunk, q)
    if total <= 0:
        return np.zeros_like(norms)
    used = shrunk > 0
    factor = np.zeros_like(norms)
    factor[used] = shrunk[used] / norms[used] * (shrunk[used] / total) ** (q - 2) / (lam * t)
    return factor


def _hinge_update(scores, code, binary):
    """Return what one row adds to its coefs, which is zero when its margin is at least 1."""
    update = np.zeros(scores.size)
    if binary:
        sign = 2.0 * code - 1.0
        update[0] = sign * (sign * scores[0] < 1.0)
        return update
    others = scores.copy()
    others[code] = -np.inf
    rival = int(np.argmax(others))
    if scores[code] - scores[rival] < 1.0:
        update[code], update[rival] = 1.0, -1.0
    return update


def _hinge_losses(S, codes, binary):
    """Return the hinge loss of every row."""
    if binary:
        return np.maximum(1.0 - (2.0 * codes - 1.0) * S[:, 0], 0.0)
    own = np.take_along_axis(S, codes[:, None], axis=1)
    others = S.copy()
    np.put_along_axis(others, codes[:, None], -np.inf, axis=1)
    return np.maximum(1.0 - own[:, 0] + others.max(axis=1), 0.0)
