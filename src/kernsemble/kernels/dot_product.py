"""Kernels of the inner product of two rows."""

from abc import abstractmethod
from numbers import Integral

import numpy as np
from sklearn.utils.extmath import row_norms

from ..validation import check_count, check_real
from .base import Kernel


class DotProduct(Kernel):
    """A kernel of the inner product t = x·y; a subclass defines `_profile(t)`."""

    def _gram(self, pairs):
        return self._profile(pairs.inner_products())

    def _diag(self, X):
        return self._profile(row_norms(X, squared=True))

    @abstractmethod
    def _profile(self, t):
        """Return the kernel at inner products `t` as a new array."""


class Linear(DotProduct):
    """k(x, y) = x·y.

    Examples
    --------
    >>> from kernsemble.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def _profile(self, t):
        return t.copy()


class Polynomial(DotProduct):
    """k(x, y) = (gamma x·y + coef0)^degree.

    Parameters
    ----------
    degree : int, default=3
        At least 1.
    gamma : float, default=1.0
        Factor of the inner product, above 0.
    coef0 : float, default=1.0
        Offset. The kernel is not positive definite if it is below 0.

    Examples
    --------
    >>> from kernsemble.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    def __init__(self, degree=3, gamma=1.0, coef0=1.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def positive_definite(self):
        return isinstance(self.degree, Integral) and self.coef0 >= 0

    def _check(self):
        check_count(self.degree, "degree")
        check_real(self.gamma, "gamma", low=0.0, open_low=True)
        check_real(self.coef0, "coef0")

    def _profile(self, t):
        base = t * float(self.gamma)
        base += float(self.coef0)
        # Repeated products are many times faster than np.power and keep the sign.
        K = base.copy()
        for _ in range(int(self.degree) - 1):
            K *= base
        return K


class Sigmoid(DotProduct):
    """k(x, y) = tanh(gamma x·y + coef0), which is not positive definite in general.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the inner product, above 0.
    coef0 : float, default=-1.0
        Offset.

    Examples
    --------
    >>> from kernsemble.kernels import Sigmoid
    >>> Sigmoid(gamma=0.1)([[1.0, 2.0]], [[3.0, 4.0]]).round(3)
    array([[0.1]])
    """

    positive_definite = False

    def __init__(self, gamma=1.0, coef0=-1.0):
        self.gamma = gamma
        self.coef0 = coef0

    def _check(self):
        check_real(self.gamma, "gamma", low=0.0, open_low=True)
        check_real(self.coef0, "coef0")

    def _profile(self, t):
        K = t * float(self.gamma)
        K += float(self.coef0)
        return np.tanh(K, out=K)

    def _up_to_constant(self):
        return _ShiftedSigmoid(self.gamma, self.coef0)


class _ShiftedSigmoid(Sigmoid):
    """tanh(gamma x·y + coef0) - tanh(coef0), accurate to all digits where gamma x·y is small."""

    def _profile(self, t):
        # tanh(a + c) - tanh(c) = tanh(a) (1 - tanh(a + c) tanh(c))
        K = super()._profile(t)
        K *= -np.tanh(float(self.coef0))
        K += 1.0
        K *= np.tanh(t * float(self.gamma))
        return K
