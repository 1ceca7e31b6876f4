"""Gram matrices: centre, normalise, stack, compare."""

import numpy as np

from .evaluation import evaluate

__all__ = [
    "alignment",
    "center_gram",
    "gram_stack",
    "trace_normalize",
    "unit_diagonal",
]


def center_gram(K):
    """Return H K H with H = I - 11ᵀ/n, the Gram matrix of features with mean zero."""
    means = K.mean(axis=0)
    K = K - means
    K -= means[:, None]
    K += means.mean()
    return K


def unit_diagonal(K):
    """Return K_ij / √(K_ii K_jj); rows with a zero diagonal become zero."""
    norms = np.sqrt(np.diag(K))
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return K * inverse[:, None] * inverse[None, :]


def trace_normalize(K):
    """Return K scaled to a mean diagonal of 1; a matrix of trace zero is returned as it is."""
    scale = np.trace(K) / K.shape[0]
    return K / scale if scale > 0 else K.copy()


def gram_stack(kernels, X, Y=None):
    """Return the Gram matrices of `kernels` as one array of shape (n_kernels, n_x, n_y)."""
    n_x, n_y = X.shape[0], (X if Y is None else Y).shape[0]
    stack = np.empty((len(kernels), n_x, n_y), dtype=X.dtype)
    evaluate(kernels, X, Y, out=list(stack))
    return stack


def alignment(K1, K2):
    """Return the cosine ⟨K1, K2⟩ / (‖K1‖ ‖K2‖) of two matrices, 0 if one of them is zero.

    Centre both matrices first for the centred alignment of Cortes, Mohri and Rostamizadeh (2012).
    """
    norms = np.linalg.norm(K1) * np.linalg.norm(K2)
    return float(np.vdot(K1, K2) / norms) if norms > 0 else 0.0
