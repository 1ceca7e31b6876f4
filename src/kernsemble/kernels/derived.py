"""Kernels made from another kernel or from a matrix."""

import numpy as np
from scipy import sparse

from ..validation import check_instance
from .base import Kernel

__all__ = ["Normalized", "Precomputed"]


class Normalized(Kernel):
    """k(x, y) = kernel(x, y) / √(kernel(x, x) kernel(y, y)), the cosine in feature space.

    A row at the origin of feature space (an all-zero row under a linear kernel) has no direction;
    its kernel with every row, itself included, is 0.

    Parameters
    ----------
    kernel : Kernel
    """

    def __init__(self, kernel):
        self.kernel = kernel

    @property
    def positive_definite(self):
        return self.kernel.positive_definite

    @property
    def takes_coordinates(self):
        return self.kernel.takes_coordinates

    def _check(self):
        check_instance(self.kernel, "kernel", Kernel, "a Kernel")._check()

    def _gram(self, pairs):
        K = self.kernel._gram(pairs)
        K *= self._inverse_norms(pairs.X)[:, None]
        K *= self._inverse_norms(pairs.Y)[None, :]
        return K

    def _diag(self, X):
        return (self._inverse_norms(X) > 0).astype(X.dtype)

    def _inverse_norms(self, X):
        diagonal = self.kernel._diag(X)
        if diagonal.size and diagonal.min() < 0:
            raise ValueError(
                f"kernel {self.kernel!r} cannot be normalised: "
                f"k(x, x) is {diagonal.min():.3g} for some row."
            )
        norms = np.sqrt(diagonal)
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


class Precomputed(Kernel):
    """k(i, j) = gram[i, j]: the rows of X are row numbers, in one column.

    Because the kernel carries its matrix and X only says which rows are meant, subsets, landmarks
    and cross-validation work as with any other kernel.

    Parameters
    ----------
    gram : ndarray of shape (n_rows, n_columns)
        Symmetric where both numbers are training rows; test rows may be appended.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import Linear, Precomputed
    >>> A = np.arange(6.0).reshape(3, 2)
    >>> Precomputed(Linear()(A))([[0], [2]], [[1]])
    array([[ 3.],
           [23.]])
    """

    # Nothing is known about a matrix until it is decomposed.
    positive_definite = False
    takes_coordinates = False

    def __init__(self, gram):
        self.gram = gram

    def _check(self):
        shape = np.shape(self.gram)
        if len(shape) != 2:
            raise ValueError(f"gram must be a matrix, got shape {shape}.")

    def _gram(self, pairs):
        return self._read_gram(pairs).astype(pairs.X.dtype)

    def _read_gram(self, pairs):
        gram = np.asarray(self.gram)
        return gram[_place_of(pairs, gram.shape)]

    @classmethod
    def _merged(cls, factors, kernels):
        return _WeightedGrams(factors, [np.asarray(kernel.gram) for kernel in kernels])

    def _diag(self, X):
        gram = np.asarray(self.gram)
        rows, columns = (_row_numbers(X, length) for length in gram.shape)
        return gram[rows, columns].astype(X.dtype)


class _WeightedGrams(Kernel):
    """A weighted sum of matrices, which asks once where the rows are."""

    takes_coordinates = False

    def __init__(self, factors, grams):
        self.factors, self.grams = factors, grams

    def _gram(self, pairs):
        place = _place_of(pairs, np.min([gram.shape for gram in self.grams], axis=0))
        total = np.zeros(pairs.shape, dtype=pairs.X.dtype)
        room = np.empty_like(total)
        for factor, gram in zip(self.factors, self.grams):
            total += np.multiply(gram[place], factor, out=room)
        return total


def _place_of(pairs, shape):
    """Return the index of the pairs in a matrix."""
    rows, columns = _row_numbers(pairs.X, shape[0]), _row_numbers(pairs.Y, shape[1])
    if _is_run(rows) and _is_run(columns):
        # Slices are several times faster than lists of numbers.
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.ix_(rows, columns)


def _is_run(numbers):
    """Whether every number is followed by the next one."""
    return numbers.size > 0 and bool(np.all(np.diff(numbers) == 1))


def _row_numbers(X, length):
    numbers = (X.toarray() if sparse.issparse(X) else X)[:, 0]
    if X.shape[1] != 1 or np.any(numbers != np.floor(numbers)):
        raise ValueError(
            "a Precomputed kernel needs X to be one column of row numbers, "
            f"got shape {X.shape} starting with {numbers[:1]}."
        )
    if numbers.size and (numbers.min() < 0 or numbers.max() >= length):
        raise ValueError(
            f"row numbers must be in [0, {length - 1}], "
            f"got {numbers.min():.0f} to {numbers.max():.0f}."
        )
    return numbers.astype(np.intp)
