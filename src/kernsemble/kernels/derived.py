"""Kernels that are made from another kernel or from a matrix."""

import numpy as np
from scipy import sparse

from .base import Composed, Kernel


class Normalized(Composed):
    """k(x, y) = kernel(x, y) / √(kernel(x, x) kernel(y, y)), the cosine in feature space.

    A row at the origin of feature space, such as a row of zeros under a linear kernel, has no
    direction. Its kernel with every row, itself included, is 0.

    Parameters
    ----------
    kernel : Kernel
        The kernel to normalise; k(x, x) must not be negative.

    Examples
    --------
    >>> from kernsemble.kernels import Linear, Normalized
    >>> Normalized(Linear())([[1.0, 0.0]], [[5.0, 0.0], [0.0, 3.0]])
    array([[1., 0.]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel):
        self.kernel = kernel

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
                f"kernel {self.kernel!r} cannot be normalised: k(x, x) must be at least 0 for "
                f"every row, got {diagonal.min():.3g}."
            )
        norms = np.sqrt(diagonal)
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


class Precomputed(Kernel):
    """k(i, j) = gram[i, j], where X is one column of row numbers.

    The kernel stores its matrix, and X only says which rows are meant. Therefore subsets,
    landmarks and cross-validation work as with any other kernel.

    Parameters
    ----------
    gram : ndarray of shape (n_rows, n_columns)
        The kernel of every pair of rows. The part of the training rows must be symmetric; test
        rows may follow.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import Linear, Precomputed
    >>> A = np.arange(6.0).reshape(3, 2)
    >>> Precomputed(Linear()(A))([[0], [2]], [[1]])
    array([[ 3.],
           [23.]])
    """

    # The eigenvalues of the matrix are not known until it is decomposed.
    positive_definite = False
    takes_coordinates = False

    def __init__(self, gram):
        self.gram = gram

    def _check(self):
        shape = np.shape(self.gram)
        if len(shape) != 2:
            raise ValueError(f"gram must be a matrix, got an array of shape {shape}.")

    def _gram(self, pairs):
        return self._read_gram(pairs).astype(pairs.X.dtype)

    def _read_gram(self, pairs):
        gram = np.asarray(self.gram)
        return gram[_index_of(pairs, gram.shape)]

    @classmethod
    def _merged(cls, factors, kernels):
        return _WeightedPrecomputed(factors, kernels)

    def _diag(self, X):
        gram = np.asarray(self.gram)
        rows, columns = (_row_numbers(X, length) for length in gram.shape)
        return gram[rows, columns].astype(X.dtype)


class _WeightedPrecomputed(Kernel):
    """A weighted sum of precomputed kernels that looks up the row numbers only once."""

    takes_coordinates = False

    def __init__(self, factors, kernels):
        self.factors = factors
        self.kernels = kernels

    def _gram(self, pairs):
        grams = [np.asarray(kernel.gram) for kernel in self.kernels]
        index = _index_of(pairs, np.min([gram.shape for gram in grams], axis=0))
        total = np.zeros(pairs.shape, dtype=pairs.X.dtype)
        term = np.empty_like(total)
        for factor, gram in zip(self.factors, grams):
            total += np.multiply(gram[index], factor, out=term)
        return total

    def _diag(self, X):
        return sum(factor * kernel._diag(X) for factor, kernel in zip(self.factors, self.kernels))


def _index_of(pairs, shape):
    """Return the index that selects the pairs from a matrix of this shape."""
    rows, columns = _row_numbers(pairs.X, shape[0]), _row_numbers(pairs.Y, shape[1])
    if _is_consecutive(rows) and _is_consecutive(columns):
        # Slices are several times faster than lists of numbers.
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.ix_(rows, columns)


def _is_consecutive(numbers):
    return numbers.size > 0 and bool(np.all(np.diff(numbers) == 1))


def _row_numbers(X, length):
    """Return the row numbers that X holds; raise an error if one is not in a matrix this long."""
    numbers = (X.toarray() if sparse.issparse(X) else X)[:, 0]
    if X.shape[1] != 1 or np.any(numbers != np.floor(numbers)):
        raise ValueError(
            "X must be one column of row numbers for a Precomputed kernel, "
            f"got shape {X.shape} starting with {numbers[:1]}."
        )
    if numbers.size and (numbers.min() < 0 or numbers.max() >= length):
        raise ValueError(
            f"The row numbers in X must be between 0 and {length - 1} for a Precomputed kernel "
            f"of this size, got {numbers.min():.0f} to {numbers.max():.0f}."
        )
    return numbers.astype(np.intp)
