"""Two-class tasks that share Gram matrices, and the solutions that their solvers return.

The solvers of this folder that work on Gram matrices share these arguments:

K : ndarray of shape (n_samples, n_samples)
    The Gram matrix of one kernel.
grams : sequence of ndarray of shape (n_samples, n_samples)
    The Gram matrices of several kernels.
T : ndarray of shape (n_samples, n_tasks)
    One column per task: +1, -1, or 0 for the rows that the task leaves out. All tasks share the
    kernel weights.
weight : ndarray of shape (n_samples,)
    Sample weights. A row of weight 2 counts as two equal rows.
cost : ndarray of shape (n_samples,)
    Upper bounds of the dual variables, positive wherever `T` is not zero.
tol : float
    Relative duality gap at which the solver stops.
max_iter : int
    Largest number of iterations.
svm_tol : float
    Stopping tolerance of LIBSVM.
"""

from typing import NamedTuple

import numpy as np


class MKLSolution(NamedTuple):
    """Kernel weights, and the machine on the weighted kernel (see `Machine`)."""

    weights: np.ndarray
    coefs: np.ndarray
    bias: np.ndarray
    objective: float
    gap: float | None
    n_iter: int
    converged: bool


class Machine(NamedTuple):
    """Solution on one Gram matrix: the scores of new rows are K_new @ coefs + bias.

    `coefs` and `bias` have one column per task, and `objective` is the sum over the tasks. `gap` is
    None where a method has no duality gap.
    """

    coefs: np.ndarray
    bias: np.ndarray
    objective: float = 0.0
    gap: float | None = None
    n_iter: int = 1
    converged: bool = True

    def weighted(self, weights, **changes):
        """Return the `MKLSolution` of this machine and kernel weights, with some fields changed."""
        return MKLSolution(weights, *self._replace(**changes))


def two_sided_columns(T):
    """Yield (column, rows, signs) of every column of `T` that holds both signs."""
    for column in range(T.shape[1]):
        rows = np.flatnonzero(T[:, column])
        signs = T[rows, column]
        if signs.size and signs.min() < 0 < signs.max():
            yield column, rows, signs


def one_sided_bias(T):
    """Return the initial bias of every column: its sign if it holds only one sign, otherwise 0."""
    return np.any(T > 0, axis=0) * 1.0 - np.any(T < 0, axis=0)


def combine_grams(grams, weights):
    """Return sum_m weights[m] grams[m]."""
    grams = np.asarray(grams)
    return (weights @ grams.reshape(len(grams), -1)).reshape(grams.shape[1:])


def quadratic_forms(grams, A):
    """Return s_m = sum_t a_t' K_m a_t over the columns a_t of `A`, one value per Gram matrix.

    If most rows of `A` are zero (no support vectors), only the other rows are read.
    """
    support = np.flatnonzero(np.any(A != 0, axis=1))
    if 2 * support.size < A.shape[0]:
        A = A[support]
        grams = (K[np.ix_(support, support)] for K in grams)
    return np.array([np.vdot(A, K @ A) for K in grams])
