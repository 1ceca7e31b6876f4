"""A metric from the gradients of a fitted kernel machine: which columns its scores depend on."""

import numpy as np

__all__ = ["gradient_metric", "shrink_metric"]

# Mixtures of outputs whose gradients are taken; their mean outer product is that of all outputs.
MAX_OUTPUTS = 6


def gradient_metric(X, K, A, rng):
    """Return the mean squared derivative of f(x) = sum_i a_i k(x, x_i) by column, of mean 1.

    It is the diagonal of the average gradient outer product of a Gaussian kernel machine at its
    training rows: up to a factor, df/dx_j = sum_i a_i k(x, x_i) (x_ij - x_j).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    K : ndarray of shape (n_samples, n_samples)
        Gaussian Gram matrix of the rows.
    A : ndarray of shape (n_samples, n_outputs)
        Dual coefficients.
    rng : RandomState

    Returns
    -------
    ndarray of shape (n_features,)
        Ones when the scores are constant.
    """
    if A.shape[1] > MAX_OUTPUTS:
        A = A @ rng.choice([-1.0, 1.0], size=(A.shape[1], MAX_OUTPUTS))
    metric = np.zeros(X.shape[1])
    for a in A.T:
        gradients = K @ (a[:, None] * X) - (K @ a)[:, None] * X
        metric += np.mean(gradients**2, axis=0)
    mean = metric.mean()
    return metric / mean if mean > 0 else np.ones_like(metric)


def shrink_metric(metric, share):
    """Return the metric drawn towards equal columns, so that none is lost for good."""
    return (1.0 - share) * metric + share
