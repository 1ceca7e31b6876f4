"""The kernel interface, and the kernels that +, * and scalars build."""

from abc import ABC, abstractmethod
from functools import reduce
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from ..validation import check_instance, check_real
from .evaluation import evaluate


class Kernel(BaseEstimator, ABC):
    """A symmetric function k(x, y) of two rows that depends on its parameters alone.

    A kernel is a value: it stores no data, two kernels with equal parameters are equal, and `+`,
    `*` and scalars build new kernels. A subclass defines `_gram(pairs)` and `_diag(X)`, and
    `_check()` if it has parameters.

    Examples
    --------
    >>> from kernsemble.kernels import RBF, Linear
    >>> kernel = 0.5 * RBF(0.1) + Linear()
    >>> kernel
    0.5 * RBF(gamma=0.1) + Linear()
    >>> kernel([[0.0, 1.0]], [[0.0, 1.0], [2.0, 1.0]]).round(3)
    array([[1.5  , 1.335]])
    >>> kernel.diag([[0.0, 1.0]])
    array([1.5])
    """

    #: Whether every Gram matrix is known to be positive semi-definite.
    positive_definite = True
    #: Whether the columns of X are coordinates, so that the mean of several rows is a valid row.
    takes_coordinates = True

    def __call__(self, X, Y=None):
        """Return the Gram matrix of the rows of `X` and `Y`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_x, n_features)
        Y : {array-like, sparse matrix} of shape (n_y, n_features), default=None
            None means `X`.

        Returns
        -------
        K : ndarray of shape (n_x, n_y)
            float32 if both inputs are float32, otherwise float64.
        """
        X = _check_rows(X, "X")
        if Y is not None:
            Y = _check_rows(Y, "Y")
            if X.shape[1] != Y.shape[1]:
                raise ValueError(f"X has {X.shape[1]} features, but Y has {Y.shape[1]}.")
            if X.dtype != Y.dtype:
                X, Y = X.astype(np.float64), Y.astype(np.float64)
        return evaluate([self], X, Y)[0]

    def diag(self, X):
        """Return k(x, x) for every row of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_x, n_features)
            The rows.

        Returns
        -------
        diagonal : ndarray of shape (n_x,)
            The diagonal of the Gram matrix, without computing the matrix.
        """
        self._check()
        return self._diag(_check_rows(X, "X"))

    def _check(self):
        """Raise an error if a parameter has an invalid value."""

    @abstractmethod
    def _gram(self, pairs):
        """Return k(x, y) for all `pairs` as a new array of shape `pairs.shape`."""

    @abstractmethod
    def _diag(self, X):
        """Return k(x, x) for every row of `X`."""

    def _read_gram(self, pairs):
        """Return k(x, y) for all `pairs` as an array that the caller must not change.

        A kernel that stores its values may return a view of them.
        """
        return self._gram(pairs)

    def _write_gram(self, pairs, out):
        """Write k(x, y) into `out`. A kernel that needs no array of its own overrides this."""
        block = self._gram(pairs)
        if getattr(block, "shape", None) != pairs.shape:
            raise ValueError(
                f"kernel {self!r} returned shape {getattr(block, 'shape', None)} "
                f"for {pairs.shape[0]} × {pairs.shape[1]} pairs."
            )
        out[...] = block

    def _power_of(self, other):
        """Return the integer p ≥ 2 such that this kernel equals `other`^p, or None."""
        return None

    def _terms(self):
        """Return this kernel as a weighted sum: a list of (factor, kernel)."""
        return [(1.0, self)]

    @classmethod
    def _merged(cls, factors, kernels):
        """Return the sum of factors × kernels as one kernel that is faster, or None.

        All `kernels` are of this class.
        """
        return None

    def _prepared(self):
        """Return an equal kernel that is faster to evaluate block by block."""
        return self

    def _up_to_constant(self):
        """Return a kernel that differs from this one by a constant and rounds less.

        Centring a Gram matrix removes any constant, but it cannot restore the digits that a large
        constant has rounded away.
        """
        return self

    def __add__(self, other):
        other = Constant(other) if isinstance(other, Real) else other
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other):
        return Sum(Constant(other), self) if isinstance(other, Real) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, Real):
            return Scaled(self, other)
        return Product(self, other) if isinstance(other, Kernel) else NotImplemented

    def __rmul__(self, other):
        return Scaled(self, other) if isinstance(other, Real) else NotImplemented

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(deep=False), other.get_params(deep=False)
        return all(_same(mine[name], theirs[name]) for name in mine)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        arguments = self.get_params(deep=False).items()
        return f"{type(self).__name__}({', '.join(f'{k}={_short(v)}' for k, v in arguments)})"


class Constant(Kernel):
    """k(x, y) = value. Adding it gives a linear model in feature space a bias.

    Parameters
    ----------
    value : float, default=1.0
        At least 0.

    Examples
    --------
    >>> from kernsemble.kernels import Linear
    >>> Linear() + 1.0
    Linear() + 1
    >>> (Linear() + 1.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[12.]])
    """

    def __init__(self, value=1.0):
        self.value = value

    def _check(self):
        check_real(self.value, "value", low=0.0)

    def _gram(self, pairs):
        return np.full(pairs.shape, self.value, dtype=pairs.X.dtype)

    def _diag(self, X):
        return np.full(X.shape[0], self.value, dtype=X.dtype)

    def __repr__(self):
        return _short(self.value)


class Composed(Kernel):
    """A kernel that is computed from other kernels.

    It is positive definite, and takes coordinates, if all of these kernels do. A subclass sets
    `_parts` to the names of the parameters that hold them.
    """

    _parts: ClassVar[tuple[str, ...]] = ()

    @property
    def positive_definite(self):
        return all(getattr(self, name).positive_definite for name in self._parts)

    @property
    def takes_coordinates(self):
        return all(getattr(self, name).takes_coordinates for name in self._parts)

    def _check(self):
        for name in self._parts:
            check_instance(getattr(self, name), name, Kernel, "a Kernel")._check()


class Combination(Composed):
    """Two kernels combined value by value; a subclass sets the ufunc `_combine`."""

    _parts = ("left", "right")
    _combine: ClassVar[np.ufunc]

    def __init__(self, left, right):
        self.left = left
        self.right = right

    def _gram(self, pairs):
        K = self.left._gram(pairs)
        return self._combine(K, self.right._gram(pairs), out=K)

    def _diag(self, X):
        return self._combine(self.left._diag(X), self.right._diag(X))


class Sum(Combination):
    """k(x, y) = left(x, y) + right(x, y).

    Parameters
    ----------
    left, right : Kernel
        The two terms.

    Examples
    --------
    >>> from kernsemble.kernels import RBF, Linear
    >>> RBF(0.5) + Linear()
    RBF(gamma=0.5) + Linear()
    >>> (RBF(0.5) + Linear())([[1.0]], [[1.0]])
    array([[2.]])
    """

    _combine = np.add

    def _terms(self):
        return [*self.left._terms(), *self.right._terms()]

    def _prepared(self):
        by_class: dict[type[Kernel], list] = {}
        for factor, kernel in self._terms():
            by_class.setdefault(type(kernel), []).append((factor, kernel))
        merged = {kind: kind._merged(*zip(*terms)) for kind, terms in by_class.items()}
        if not any(merged.values()):
            return self
        parts = [kernel for kernel in merged.values() if kernel is not None]
        for kind, terms in by_class.items():
            if merged[kind] is None:
                parts += [Scaled(kernel, factor) for factor, kernel in terms]
        return reduce(Sum, parts)

    def __repr__(self):
        return f"{self.left!r} + {self.right!r}"


class Product(Combination):
    """k(x, y) = left(x, y) · right(x, y).

    Parameters
    ----------
    left, right : Kernel
        The two factors.

    Examples
    --------
    >>> from kernsemble.kernels import RBF, Linear
    >>> RBF(0.5) * Linear()
    RBF(gamma=0.5) * Linear()
    >>> (RBF(0.5) * Linear())([[2.0]], [[2.0]])
    array([[4.]])
    """

    _combine = np.multiply

    def _prepared(self):
        return Product(self.left._prepared(), self.right._prepared())

    def __repr__(self):
        return f"{_bracketed(self.left)} * {_bracketed(self.right)}"


class Scaled(Composed):
    """k(x, y) = factor · kernel(x, y).

    Parameters
    ----------
    kernel : Kernel
        The kernel to multiply.
    factor : float, default=1.0
        At least 0, because a negative multiple of a positive definite kernel is not one.

    Examples
    --------
    >>> from kernsemble.kernels import RBF
    >>> 2.0 * RBF(0.5)
    2 * RBF(gamma=0.5)
    >>> (2.0 * RBF(0.5))([[1.0]], [[1.0]])
    array([[2.]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel, factor=1.0):
        self.kernel = kernel
        self.factor = factor

    def _check(self):
        check_real(self.factor, "factor", low=0.0)
        super()._check()

    def _gram(self, pairs):
        K = self.kernel._gram(pairs)
        K *= float(self.factor)
        return K

    def _terms(self):
        return [(float(self.factor) * factor, kernel) for factor, kernel in self.kernel._terms()]

    def _prepared(self):
        return Scaled(self.kernel._prepared(), self.factor)

    def _diag(self, X):
        return self.kernel._diag(X) * float(self.factor)

    def __repr__(self):
        return f"{_short(self.factor)} * {_bracketed(self.kernel)}"


def _check_rows(X, name):
    return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)


def _bracketed(kernel):
    """Return the repr of a factor, in brackets if it is a sum."""
    return f"({kernel!r})" if type(kernel) is Sum else repr(kernel)


def _short(value):
    """Return a short repr of a parameter."""
    if isinstance(value, np.ndarray):
        return f"<{'×'.join(map(str, value.shape))} {value.dtype}>"
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return f"{value:.6g}" if is_number else repr(value)


def _same(a, b):
    """Return whether two values of a parameter are equal."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is b or np.array_equal(a, b)
    return a == b
