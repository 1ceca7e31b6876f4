"""Kernels of the distance between two rows."""

from abc import abstractmethod

import numpy as np

from ..validation import check_choice, check_real
from .base import Kernel
from .gaussians import GaussianSum, worth_a_table


class Stationary(Kernel):
    """A kernel of a distance, which is 1 at distance zero and falls from there."""

    def _diag(self, X):
        return np.ones(X.shape[0], dtype=X.dtype)


class Radial(Stationary):
    """A kernel of the squared Euclidean distance; a subclass defines `_profile(d2)`."""

    def _gram(self, pairs):
        return self._profile(pairs.squared_distances())

    @abstractmethod
    def _profile(self, d2):
        """Return the kernel at squared distances `d2` as a new array."""


class _ScaledRadial(Radial):
    """A radial kernel of gamma |x - y|²."""

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def _check(self):
        check_real(self.gamma, "gamma", low=0.0, open_low=True)


class RBF(_ScaledRadial):
    """k(x, y) = exp(-gamma |x - y|²).

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.

    Examples
    --------
    >>> from kernsemble.kernels import RBF
    >>> RBF(0.5)([[0.0, 0.0]], [[1.0, 1.0], [2.0, 0.0]]).round(3)
    array([[0.368, 0.135]])
    """

    @classmethod
    def from_sigma(cls, sigma):
        """Return exp(-|x - y|² / (2 sigma²)), the kernel with standard deviation `sigma`.

        Parameters
        ----------
        sigma : float
            Standard deviation, above 0.

        Returns
        -------
        kernel : RBF
            The kernel with gamma = 1 / (2 sigma²).
        """
        return cls(0.5 / check_real(sigma, "sigma", low=0.0, open_low=True) ** 2)

    def _profile(self, d2):
        K = d2 * -float(self.gamma)
        return np.exp(K, out=K)

    def _write_gram(self, pairs, out):
        np.multiply(pairs.squared_distances(), -float(self.gamma), out=out)
        np.exp(out, out=out)

    def _power_of(self, other):
        if type(other) is not RBF:
            return None
        ratio = round(self.gamma / other.gamma)
        exact = abs(self.gamma - ratio * other.gamma) <= 1e-14 * self.gamma
        return ratio if exact and ratio >= 2 else None

    @classmethod
    def _merged(cls, factors, kernels):
        gammas = np.array([kernel.gamma for kernel in kernels], dtype=np.float64)
        if cls is not RBF or not worth_a_table(gammas):
            return None
        return _Tabulated(GaussianSum(gammas, np.array(factors)))


class _Tabulated(Radial):
    """A kernel whose profile is given as a function."""

    def __init__(self, profile):
        self.profile = profile

    def _profile(self, d2):
        return self.profile(d2)


class Cauchy(_ScaledRadial):
    """k(x, y) = 1 / (1 + gamma |x - y|²).

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.

    Examples
    --------
    >>> from kernsemble.kernels import Cauchy
    >>> Cauchy(0.5)([[0.0, 0.0]], [[1.0, 1.0], [2.0, 0.0]]).round(3)
    array([[0.5  , 0.333]])
    """

    def _profile(self, d2):
        K = d2 * float(self.gamma)
        K += 1.0
        return np.reciprocal(K, out=K)


class Matern(Radial):
    """The Matérn kernel with half-integer smoothness.

    With s = √(2 nu) |x - y| / scale, k(x, y) is exp(-s) for nu = 0.5, (1 + s) exp(-s) for nu = 1.5
    and (1 + s + s²/3) exp(-s) for nu = 2.5.

    Parameters
    ----------
    scale : float, default=1.0
        Length scale, above 0.
    nu : {0.5, 1.5, 2.5}, default=1.5
        Smoothness.

    Examples
    --------
    >>> from kernsemble.kernels import Matern
    >>> Matern(scale=2.0, nu=1.5)([[0.0, 0.0]], [[1.0, 1.0], [2.0, 0.0]]).round(3)
    array([[0.654, 0.483]])
    """

    def __init__(self, scale=1.0, nu=1.5):
        self.scale = scale
        self.nu = nu

    def _check(self):
        check_real(self.scale, "scale", low=0.0, open_low=True)
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu must be 0.5, 1.5 or 2.5, got {self.nu!r}.")

    def _profile(self, d2):
        s = np.sqrt(d2 * (2.0 * self.nu / float(self.scale) ** 2))
        if self.nu == 0.5:
            return np.exp(-s)
        polynomial = 1.0 + s if self.nu == 1.5 else 1.0 + s + s * s / 3.0
        return polynomial * np.exp(-s)


class Laplacian(Stationary):
    """k(x, y) = exp(-gamma ‖x - y‖) with the l1 or the l2 norm.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width, above 0.
    metric : {"l1", "l2"}, default="l1"
        Norm. With "l1" the kernel is a product over the features and suits targets that depend
        on single features; with "l2" rotations of the data do not change it.

    Examples
    --------
    >>> from kernsemble.kernels import Laplacian
    >>> Laplacian(0.5)([[0.0, 0.0]], [[1.0, 1.0], [2.0, 0.0]]).round(3)
    array([[0.368, 0.368]])
    """

    def __init__(self, gamma=1.0, metric="l1"):
        self.gamma = gamma
        self.metric = metric

    def _check(self):
        check_real(self.gamma, "gamma", low=0.0, open_low=True)
        check_choice(self.metric, "metric", ("l1", "l2"))

    def _gram(self, pairs):
        K = pairs.distances(1 if self.metric == "l1" else 2) * -float(self.gamma)
        return np.exp(K, out=K)

    def _write_gram(self, pairs, out):
        distances = pairs.distances(1 if self.metric == "l1" else 2)
        np.multiply(distances, -float(self.gamma), out=out)
        np.exp(out, out=out)


class GeneralizedExponential(Stationary):
    """k(x, y) = exp(-(‖x - y‖_p / scale)^q), positive definite for 0 < q ≤ p ≤ 2.

    Parameters
    ----------
    scale : float, default=1.0
        Length scale, above 0; the kernel is 1/e at this distance.
    p : float, default=2.0
        Order of the norm, at least 1.
    q : float, default=1.0
        Exponent, above 0. Smaller values give a sharper peak and heavier tails.

    Examples
    --------
    >>> from kernsemble.kernels import GeneralizedExponential
    >>> kernel = GeneralizedExponential(scale=2.0, p=2.0, q=1.5)
    >>> kernel([[0.0, 0.0]], [[1.0, 1.0], [2.0, 0.0]]).round(3)
    array([[0.552, 0.368]])
    >>> kernel.positive_definite
    True
    """

    def __init__(self, scale=1.0, p=2.0, q=1.0):
        self.scale = scale
        self.p = p
        self.q = q

    @property
    def positive_definite(self):
        return 0.0 < self.q <= self.p <= 2.0

    def _check(self):
        check_real(self.scale, "scale", low=0.0, open_low=True)
        check_real(self.p, "p", low=1.0)
        check_real(self.q, "q", low=0.0, open_low=True)

    def _gram(self, pairs):
        if self.p == 2 and self.q == 2:
            K = pairs.squared_distances() / float(self.scale) ** 2
        else:
            K = pairs.distances(self.p) / float(self.scale)
            if self.q != 1:
                np.power(K, float(self.q), out=K)
        np.negative(K, out=K)
        return np.exp(K, out=K)
