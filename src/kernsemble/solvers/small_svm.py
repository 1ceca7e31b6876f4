"""Sequential minimal optimisation of a whole stack of support vector machines."""

import numpy as np

# Largest violation of the optimality conditions at the end, as in LIBSVM.
TOLERANCE = 1e-3
STEPS_PER_ROW = 1000
# Curvature that stands for the zero curvature of two equal rows.
FLAT = 1e-12


def solve_svm(K, t, costs):
    """Maximise Σ a_i - ½ Σ a_i a_j t_i t_j K_ij with 0 ≤ a_i ≤ c_i and Σ a_i t_i = 0.

    Each step changes two rows of every machine that is not done, the same two as LIBSVM: the row
    that violates optimality most, and its partner of largest second-order gain. Returns the coefs
    a t and the bias; see `kernsemble.solvers.small_machines` for the arguments.
    """
    alphas, bias = np.zeros(t.shape), np.zeros(len(t))
    # Scores without the bias, minus the targets. They are equal on all free rows at the optimum.
    errors = -t.astype(float)
    open_ = np.arange(len(t))
    diagonal = np.einsum("mii->mi", K)
    for _ in range(STEPS_PER_ROW * K.shape[1]):
        part = alphas[open_], errors[open_], t[open_], costs[open_]
        up, low = _movable(*part)
        i = up.argmax(axis=1)
        rows = np.arange(len(open_))
        gap = up[rows, i, None] - low
        bias[open_] = _bias(*part, up, low)
        still = gap.max(axis=1) > TOLERANCE
        if not still.all():
            open_, i, gap, rows = open_[still], i[still], gap[still], np.arange(still.sum())
        if not open_.size:
            break
        K_i = K[open_, i]
        bend = np.maximum(diagonal[open_, i][:, None] + diagonal[open_] - 2.0 * K_i, FLAT)
        gain = np.where(gap > 0.0, gap**2 / bend, -1.0)
        j = gain.argmax(axis=1)
        step = gap[rows, j] / bend[rows, j]
        step = np.minimum(step, _room(alphas, t, costs, open_, i, 1.0))
        step = np.minimum(step, _room(alphas, t, costs, open_, j, -1.0))
        alphas[open_, i] += t[open_, i] * step
        alphas[open_, j] -= t[open_, j] * step
        errors[open_] += step[:, None] * (K_i - K[open_, j])
    return np.clip(alphas, 0.0, costs) * t, bias


def _movable(alphas, errors, t, costs):
    """Return -errors of the rows whose signed coefficients may grow, and of those that may fall."""
    below, above = alphas < costs * (1.0 - 1e-12), alphas > costs * 1e-12
    may_grow = np.where(t > 0, below, above)
    may_shrink = np.where(t > 0, above, below)
    return np.where(may_grow, -errors, -np.inf), np.where(may_shrink, -errors, np.inf)


def _room(alphas, t, costs, open_, index, sign):
    """Return how far the signed coefficient of a row may move in the direction `sign`."""
    alpha, cost = alphas[open_, index], costs[open_, index]
    return np.where(t[open_, index] * sign > 0, cost - alpha, alpha)


def _bias(alphas, errors, t, costs, up, low):
    """Return the mean over free rows or, without any, the middle of the interval allowed."""
    free = np.isfinite(up) & np.isfinite(low)
    n_free = free.sum(axis=1)
    mean_free = np.where(free, -errors, 0.0).sum(axis=1) / np.maximum(n_free, 1)
    highest, lowest = up.max(axis=1), low.min(axis=1)
    # With a single class only one side is finite.
    highest = np.where(np.isfinite(highest), highest, lowest)
    lowest = np.where(np.isfinite(lowest), lowest, highest)
    return np.where(n_free > 0, mean_free, 0.5 * (highest + lowest))
