"""Ridge regression in closed form: primal or dual by shape, weighted, in one pass or in chunks.

Targets `T` have shape (n_samples, n_outputs), the strength `alpha` is above 0, and None as
`sample_weight` s means that every row has weight 1.
"""

import numpy as np
from scipy.linalg import LinAlgError

from ..threads import threads_by_rows
from .lapack import eigenpairs, factor_in_place, lower_factor, solve_factored


@threads_by_rows()
def solve_ridge(Z, T, alpha, sample_weight=None):
    """Minimise sum_i s_i |z_i W - t_i|² + alpha |W|² and return W.

    Z has shape (n_samples, n_features), and W has shape (n_features, n_outputs).
    """
    n, d = Z.shape
    if d <= n:
        return solve_moments(Moments.zeros(d, T.shape[1]).add(Z, T, sample_weight), alpha)
    # Z' (Z Z' + alpha I)^-1 is the same matrix and the smaller system.
    return Z.T @ solve_kernel_ridge(Z @ Z.T, T, alpha, sample_weight)


@threads_by_rows()
def solve_kernel_ridge(K, T, alpha, sample_weight=None):
    """Minimise sum_i s_i |(K A)_i - t_i|² + alpha tr(A' K A) and return A.

    The scores of new rows are k(rows, samples) @ A, where K is the Gram matrix of the samples.
    """
    if sample_weight is not None:
        # Multiplying by sqrt(s) on both sides keeps the system symmetric and allows s = 0.
        root = np.sqrt(sample_weight)[:, None]
        return root * solve_kernel_ridge(K * (root * root.T), root * T, alpha)
    system = np.array(K, dtype=np.float64, order="C")
    system.flat[:: len(K) + 1] += alpha
    return solve_factored(factor_in_place(system), T)


class Moments:
    """The sums over rows from which a ridge regression is solved.

    Attributes
    ----------
    gram : ndarray of shape (n_features, n_features)
        Z' S Z.
    cross : ndarray of shape (n_features, n_outputs)
        Z' S T.
    """

    def __init__(self, gram, cross):
        self.gram = gram
        self.cross = cross

    @classmethod
    def zeros(cls, n_features, n_outputs):
        """Return the moments of no rows."""
        return cls(np.zeros((n_features, n_features)), np.zeros((n_features, n_outputs)))

    def add(self, Z, T, sample_weight=None):
        """Add a chunk of rows in place and return the moments."""
        if sample_weight is not None:
            root = np.sqrt(sample_weight)[:, None]
            Z, T = root * Z, root * T
        self.gram += Z.T @ Z
        self.cross += Z.T @ T
        return self

    def __add__(self, other):
        """Return the moments of both sets of rows together."""
        return Moments(self.gram + other.gram, self.cross + other.cross)


def solve_moments(moments, alpha):
    """Return the ridge coefficients W from the moments of all rows."""
    system = moments.gram.copy()
    system.flat[:: len(system) + 1] += alpha
    try:
        factor = lower_factor(system)
    except LinAlgError:
        # The strength is below the rounding errors of Z'Z. Eigenvalues can be cut at zero.
        values, V = eigenpairs(moments.gram)
        return V @ ((V.T @ moments.cross) / (np.maximum(values, 0.0) + alpha)[:, None])
    return solve_factored((factor, True), moments.cross)
