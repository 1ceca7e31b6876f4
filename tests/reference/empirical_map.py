"""The empirical kernel map and kernel PCA as the papers write them."""

import numpy as np


def nystrom(K_all, landmarks):
    """Return K_NS K_SS⁺ K_SN."""
    K_ns = K_all[:, landmarks]
    return K_ns @ np.linalg.pinv(K_all[np.ix_(landmarks, landmarks)], rcond=1e-10) @ K_ns.T


def kernel_pca(K_train, K_test, n_components):
    """Return the test scores: centre both kernels, divide eigenvectors by √λ, project."""
    n, t = len(K_train), len(K_test)
    one, one_test = np.full((n, n), 1.0 / n), np.full((t, n), 1.0 / n)
    K = K_train - one @ K_train - K_train @ one + one @ K_train @ one
    K_t = K_test - one_test @ K_train - K_test @ one + one_test @ K_train @ one
    values, vectors = np.linalg.eigh(K)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    return K_t @ (vectors / np.sqrt(values))
