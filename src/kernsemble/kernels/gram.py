"""Gram matrices: several at once, and centred."""

import numpy as np

from .evaluation import evaluate


def center_gram(K, shares=None):
    """Return H K Hᵀ with H = I - 1pᵀ, the Gram matrix of features with mean zero.

    The shares p of the rows in the mean sum to 1; None means that they are equal.
    """
    means = K.mean(axis=0) if shares is None else shares @ K
    K = K - means
    K -= means[:, None]
    K += np.average(means, weights=shares)
    return K


def gram_stack(kernels, X, Y=None):
    """Return the Gram matrices of `kernels` as one array of shape (n_kernels, n_x, n_y)."""
    n_x, n_y = X.shape[0], (X if Y is None else Y).shape[0]
    stack = np.empty((len(kernels), n_x, n_y), dtype=X.dtype)
    evaluate(kernels, X, Y, out=list(stack))
    return stack
