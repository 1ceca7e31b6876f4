"""Weighted sums of many kernels, without the Gram matrices of the kernels themselves."""

import numpy as np
from sklearn.utils import gen_batches

from .base import Scaled
from .evaluation import evaluate, rows_per_block
from .pairs import Pairs, Rows

__all__ = ["Mixture", "weighted_kernel"]


def weighted_kernel(kernels, weights):
    """Return sum_m weights[m] kernels[m] as one kernel, leaving out weights of zero.

    The sum is a balanced tree, so that hundreds of terms do not nest hundreds deep.
    """
    terms = [_scaled(kernel, float(w)) for kernel, w in zip(kernels, weights) if w > 0]
    if not terms:
        return Scaled(kernels[0], 0.0)
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2])
        terms = [left + right for left, right in pairs] + terms[len(terms) & ~1 :]
    return terms[0]


def _scaled(kernel, factor):
    if isinstance(kernel, Scaled):
        return Scaled(kernel.kernel, factor * kernel.factor)
    return Scaled(kernel, factor)


class Mixture:
    """Many kernels on the same rows: their weighted sums and quadratic forms.

    Kernel values are made in blocks that stay in cache and are not kept, so memory does not grow
    with the number of kernels.

    Parameters
    ----------
    kernels : list of Kernel
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import Linear, RBF
    >>> from kernsemble.kernels.mixture import Mixture
    >>> mixture = Mixture([Linear(), RBF()], np.eye(3))
    >>> mixture.combine(np.array([0.5, 0.5])).diagonal()
    array([1., 1., 1.])
    >>> mixture.quadratic_forms(np.ones((3, 1))).round(2)
    array([3.  , 3.81])
    """

    def __init__(self, kernels, X):
        self.kernels = kernels
        self.X = X

    def __len__(self):
        return len(self.kernels)

    def combine(self, weights):
        """Return the Gram matrix of the weighted sum of the kernels."""
        return evaluate([weighted_kernel(self.kernels, weights)], self.X)[0]

    def quadratic_forms(self, A):
        """Return sum_t a_t' K_m a_t over the columns a_t of `A`, one value per kernel m."""
        n = self.X.shape[0]
        rows = Rows(self.X, None if not isinstance(self.X, np.ndarray) else self.X.mean(axis=0))
        _ = rows.squared_norms  # prepared once, before it is sliced
        forms = np.zeros(len(self.kernels))
        for block in gen_batches(n, rows_per_block(n, 8)):
            rest = slice(block.start, n)
            pairs = Pairs(rows[block], rows[rest], same_rows=True)
            size = block.stop - block.start
            # Pairs left of the diagonal are those right of it: what is not in both counts twice.
            right = 2.0 * A[rest]
            right[:size] = A[block]
            for m, kernel in enumerate(self.kernels):
                forms[m] += np.vdot(A[block], kernel._gram(pairs) @ right)
        return forms
