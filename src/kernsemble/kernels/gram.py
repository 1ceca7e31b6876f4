"""Gram matrices: several at once, and centred."""

import numpy as np

from .evaluation import evaluate


def center_gram(K):
    """Return H K H with H = I - 11ᵀ/n, the Gram matrix of features with mean zero."""
    means = K.mean(axis=0)
    K = K - means
    K -= means[:, None]
    K += means.mean()
    return K


def gram_stack(kernels, X, Y=None):
    """Return the Gram matrices of `kernels` as one array of shape (n_kernels, n_x, n_y)."""
    n_x, n_y = X.shape[0], (X if Y is None else Y).shape[0]
    stack = np.empty((len(kernels), n_x, n_y), dtype=X.dtype)
    evaluate(kernels, X, Y, out=list(stack))
    return stack
