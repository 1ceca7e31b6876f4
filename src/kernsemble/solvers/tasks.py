"""Two-class tasks on one Gram matrix: the columns of a matrix of +1, -1 and 0 (left out)."""

import numpy as np
from sklearn.utils import gen_batches

__all__ = ["GramList", "combine_grams", "one_sided_bias", "quadratic_forms", "two_sided_columns"]

CACHE_BYTES = 1 << 18


def two_sided_columns(T):
    """Yield (column, rows, signs) of every column of `T` that holds both signs."""
    for column in range(T.shape[1]):
        rows = np.flatnonzero(T[:, column])
        signs = T[rows, column]
        if signs.size and signs.min() < 0 < signs.max():
            yield column, rows, signs


def one_sided_bias(T):
    """Return the bias every column starts from: the sign itself where only one occurs, else 0."""
    return np.any(T > 0, axis=0) * 1.0 - np.any(T < 0, axis=0)


def combine_grams(grams, weights):
    """Return sum_m weights[m] grams[m] of a stack, or of a list of matrices."""
    if isinstance(grams, np.ndarray):
        return (weights @ grams.reshape(len(grams), -1)).reshape(grams.shape[1:])
    used = np.flatnonzero(weights)
    total = np.zeros(grams[0].shape)
    # Blocks of rows whose sum stays in cache while the matrices stream past.
    for rows in gen_batches(total.shape[0], max(1, CACHE_BYTES // (8 * total.shape[1]))):
        scaled = np.empty_like(total[rows])
        for m in used:
            np.multiply(grams[m][rows], weights[m], out=scaled)
            total[rows] += scaled
    return total


def quadratic_forms(grams, A):
    """Return s_m = sum_t a_t' K_m a_t over the columns a_t of `A`, one value per Gram matrix.

    Rows where every column is zero (no support vectors) are not read when they are the majority.
    """
    support = np.flatnonzero(np.any(A != 0, axis=1))
    if 2 * support.size < A.shape[0]:
        A = A[support]
        grams = (K[np.ix_(support, support)] for K in grams)
    return np.array([np.vdot(A, K @ A) for K in grams])


class GramList(list):
    """Gram matrices in memory, with the sums and forms a solver may ask of them."""

    def combine(self, weights):
        return combine_grams(self, weights)

    def quadratic_forms(self, A):
        return quadratic_forms(self, A)
