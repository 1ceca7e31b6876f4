"""A metric on the columns from the gradients of a fitted kernel machine."""

import numpy as np

# Largest number of outputs whose gradients are computed. More outputs are replaced by this many
# random mixtures, which have the same outer product of gradients on average.
MAX_OUTPUTS = 6


def draw_mixtures(n_outputs, rng):
    """Return the mixtures of outputs whose gradients are computed, or None for the outputs alone.

    Returns
    -------
    ndarray of shape (n_outputs, MAX_OUTPUTS) or None
    """
    if n_outputs <= MAX_OUTPUTS:
        return None
    return rng.choice([-1.0, 1.0], size=(n_outputs, MAX_OUTPUTS))


def gradient_metric(X, K, A, mixtures=None):
    """Return the mean squared derivative of f(x) = sum_i a_i k(x, x_i) by column, scaled to mean 1.

    This is the diagonal of the average gradient outer product of a Gaussian kernel machine at its
    training rows: up to a factor, df/dx_j = sum_i a_i k(x, x_i) (x_ij - x_j). `K` is the Gaussian
    Gram matrix of the rows `X`, and `A` holds the dual coefficients, one column per output;
    `mixtures` are those of `draw_mixtures`. If the scores are constant, the metric is one for every
    column.
    """
    if mixtures is not None:
        A = A @ mixtures
    metric = np.zeros(X.shape[1])
    for a in A.T:
        gradients = K @ (a[:, None] * X) - (K @ a)[:, None] * X
        metric += np.mean(gradients**2, axis=0)
    mean = metric.mean()
    return metric / mean if mean > 0 else np.ones_like(metric)


def shrink_metric(metric, share):
    """Return the metric moved towards equal columns, so that no column is lost entirely."""
    return (1.0 - share) * metric + share
