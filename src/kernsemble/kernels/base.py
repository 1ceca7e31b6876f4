"""The kernel interface, and the kernels that +, * and scalars build."""

from functools import reduce
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from ..validation import check_instance, check_real
from .evaluation import evaluate

__all__ = ["Constant", "Kernel", "Product", "Scaled", "Sum"]


class Kernel(BaseEstimator):
    """A symmetric function k(x, y) of two rows, given by its parameters alone.

    A kernel is a value: it never remembers data, two kernels with equal parameters are equal, and
    `+`, `*` and scalars build new kernels. A subclass writes `_gram(pairs)` and `_diag(X)`, and
    `_check()` when it has parameters.
    """

    #: Whether every Gram matrix is positive semi-definite, as far as is known.
    positive_definite = True
    #: Whether the columns of X are coordinates, so that means of rows make sense.
    takes_coordinates = True

    def __call__(self, X, Y=None):
        """Return the Gram matrix of `X` against `Y`, by default against itself.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_x, n_features)
        Y : {array-like, sparse matrix} of shape (n_y, n_features), default=None

        Returns
        -------
        K : ndarray of shape (n_x, n_y)
            float32 when both inputs are, else float64.
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
        """Return k(x, x) for every row of `X`, of shape (n_x,)."""
        self._check()
        return self._diag(_check_rows(X, "X"))

    def _check(self):
        """Raise when a parameter has an illegal value."""

    def _gram(self, pairs):
        """Return k(x, y) for all `pairs`, as a new array of shape `pairs.shape`."""
        raise TypeError(f"{type(self).__name__} must define _gram(pairs).")

    def _read_gram(self, pairs):
        """Return k(x, y) for all `pairs`, to be read alone: perhaps part of an older array."""
        return self._gram(pairs)

    def _write_gram(self, pairs, out):
        """Write k(x, y) into `out`; a kernel that needs no array of its own overrides this."""
        block = self._gram(pairs)
        if getattr(block, "shape", None) != pairs.shape:
            raise ValueError(
                f"kernel {self!r} returned shape {getattr(block, 'shape', None)} "
                f"for {pairs.shape[0]} × {pairs.shape[1]} pairs."
            )
        out[...] = block

    def _power_of(self, other):
        """Return the integer p ≥ 2 for which this kernel is `other` to the power of p, or None."""
        return None

    def _terms(self):
        """Return the factors and kernels of the weighted sum that this kernel is."""
        return [(1.0, self)]

    @classmethod
    def _merged(cls, factors, kernels):
        """Return the sum of factors times kernels of this class as one that is faster, or None."""
        return None

    def _prepared(self):
        """Return an equal kernel that is faster to evaluate block by block."""
        return self

    def _up_to_constant(self):
        """Return a kernel that differs from this one by a constant, with fewer digits lost to it.

        Centring removes a constant, but what it has rounded off is gone by then.
        """
        return self

    def _diag(self, X):
        """Return k(x, x) for every row of `X`."""
        raise TypeError(f"{type(self).__name__} must define _diag(X).")

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
    """k(x, y) = value, which gives a linear model in feature space its bias.

    Parameters
    ----------
    value : float, default=1.0
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


class Sum(Kernel):
    """k(x, y) = left(x, y) + right(x, y).

    Parameters
    ----------
    left, right : Kernel
    """

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @property
    def positive_definite(self):
        return self.left.positive_definite and self.right.positive_definite

    @property
    def takes_coordinates(self):
        return self.left.takes_coordinates and self.right.takes_coordinates

    def _check(self):
        for name in ("left", "right"):
            check_instance(getattr(self, name), name, Kernel, "a Kernel")._check()

    def _gram(self, pairs):
        K = self.left._gram(pairs)
        K += self.right._gram(pairs)
        return K

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

    def _diag(self, X):
        return self.left._diag(X) + self.right._diag(X)

    def __repr__(self):
        return f"{self.left!r} + {self.right!r}"


class Product(Sum):
    """k(x, y) = left(x, y) · right(x, y).

    Parameters
    ----------
    left, right : Kernel
    """

    def _gram(self, pairs):
        K = self.left._gram(pairs)
        K *= self.right._gram(pairs)
        return K

    def _terms(self):
        return [(1.0, self)]

    def _prepared(self):
        return Product(self.left._prepared(), self.right._prepared())

    def _diag(self, X):
        return self.left._diag(X) * self.right._diag(X)

    def __repr__(self):
        return f"{_bracketed(self.left)} * {_bracketed(self.right)}"


class Scaled(Kernel):
    """k(x, y) = factor · kernel(x, y).

    Parameters
    ----------
    kernel : Kernel
    factor : float, default=1.0
        At least 0; a negative factor would leave nothing positive definite.
    """

    def __init__(self, kernel, factor=1.0):
        self.kernel = kernel
        self.factor = factor

    @property
    def positive_definite(self):
        return self.kernel.positive_definite

    @property
    def takes_coordinates(self):
        return self.kernel.takes_coordinates

    def _check(self):
        check_real(self.factor, "factor", low=0.0)
        check_instance(self.kernel, "kernel", Kernel, "a Kernel")._check()

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
    return f"({kernel!r})" if type(kernel) is Sum else repr(kernel)


def _short(value):
    if isinstance(value, np.ndarray):
        return f"<{'×'.join(map(str, value.shape))} {value.dtype}>"
    return (
        f"{value:.6g}" if isinstance(value, Real) and not isinstance(value, bool) else repr(value)
    )


def _same(a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is b or np.array_equal(a, b)
    return a == b
