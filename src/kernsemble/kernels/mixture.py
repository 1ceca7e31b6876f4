"""Weighted sums of many kernels, computed without storing the Gram matrix of each kernel."""

import numpy as np
from sklearn.utils import gen_batches

from .base import Scaled
from .blocks import rows_per_block
from .evaluation import evaluate
from .gaussians import gaussian_forms, worth_a_table
from .pairs import pair_up
from .stationary import RBF


def weighted_kernel(kernels, weights):
    """Return sum_m weights[m] kernels[m] as one kernel, without the terms of weight zero.

    The sum is a balanced tree, because Python could not handle hundreds of nested sums.
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
    """Weighted sums and quadratic forms of many kernels on the same rows.

    Kernel values are computed block by block and not stored, so the memory needed does not grow
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
        # Most rows of a trained machine have weight zero.
        used = np.flatnonzero(A.any(axis=1))
        forms = np.zeros(len(self.kernels))
        if not used.size:
            return forms
        pairs, A = pair_up(self.X[used]), A[used]
        # The blocks share these norms, so they are computed before the rows are sliced.
        _ = pairs.y.squared_norms
        factors, plain = zip(*(_only_term(kernel) for kernel in self.kernels))
        gaussian = np.array([type(kernel) is RBF for kernel in plain])
        gammas = [kernel.gamma for kernel in plain if type(kernel) is RBF]
        if worth_a_table(gammas):
            blocks = ((part.squared_distances(), w) for part, w in _weighted_blocks(pairs, A))
            forms[gaussian] = gaussian_forms(gammas, blocks)
        else:
            gaussian[:] = False
        rest = np.flatnonzero(~gaussian)
        for part, weights in _weighted_blocks(pairs, A) if rest.size else ():
            for m in rest:
                forms[m] += np.vdot(weights, plain[m]._read_gram(part))
        return np.array(factors) * forms


def _only_term(kernel):
    """Return the factor and the kernel of a scaled kernel; the factor of a sum is 1."""
    terms = kernel._terms()
    return terms[0] if len(terms) == 1 else (1.0, kernel)


def _weighted_blocks(pairs, A):
    """Yield blocks that cover every pair of rows once, and the weight of each pair in the sum."""
    n = pairs.shape[0]
    for rows in gen_batches(n, rows_per_block(n, 8)):
        right = A[rows.start :].copy()
        # A block leaves out the pairs to its left, so the equal pairs on its right count twice.
        right[rows.stop - rows.start :] *= 2.0
        yield pairs.block(rows, slice(rows.start, n)), A[rows] @ right.T
