"""Samplers: rules that draw concrete kernels from the scale of the data.

A sampler is a value, as a kernel is; `sample(X, n_kernels, rng)` returns a list of kernels.
Samplers combine with `+` and `*` as kernels do: `RandomRBF() + RandomPolynomial()` draws sums.
The rules in this file do not depend on the unit of the data; `published_rules` has others.
"""

from abc import ABC, abstractmethod
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator

from ..validation import check_choice, check_count, check_instance, check_real
from .base import Kernel
from .stationary import RBF, Cauchy, Laplacian
from .statistics import distance_statistics

FAMILIES = ("rbf", "laplacian", "laplacian_l2", "cauchy")


class KernelSampler(BaseEstimator, ABC):
    """A rule that draws kernels from data; a subclass defines `sample`.

    Attributes
    ----------
    n_default : int
        Number of kernels the rule draws by default.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import MedianScale, RandomPolynomial
    >>> X = np.random.RandomState(0).randn(50, 3)
    >>> rule = MedianScale() + RandomPolynomial()
    >>> len(rule.sample(X, 4, np.random.RandomState(0)))
    4
    """

    n_default = 1

    @abstractmethod
    def sample(self, X, n_kernels, rng):
        """Draw kernels for the rows of `X`.

        Parameters
        ----------
        X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
            The rows of a table count with their weights.
        n_kernels : int
            Number of kernels to draw.
        rng : RandomState
            Generator from which a random rule draws.

        Returns
        -------
        kernels : list of Kernel
            The kernels, all of them different if the rule has that many.
        """

    def __add__(self, other):
        return _Combined(self, other, "+") if isinstance(other, KernelSampler) else NotImplemented

    def __mul__(self, other):
        return _Combined(self, other, "*") if isinstance(other, KernelSampler) else NotImplemented


class _Combined(KernelSampler):
    """Sums or products of the kernels that two samplers draw."""

    def __init__(self, left, right, operation):
        self.left = left
        self.right = right
        self.operation = operation

    def sample(self, X, n_kernels, rng):
        pairs = zip(self.left.sample(X, n_kernels, rng), self.right.sample(X, n_kernels, rng))
        if self.operation == "+":
            return [left + right for left, right in pairs]
        return [left * right for left, right in pairs]


class MedianScale(KernelSampler):
    """Kernels with random widths around the median distance.

    gamma = 2^u / median² with u uniform in [-spread, spread]. For a Laplacian kernel, whose
    argument is a distance, gamma = 2^u / median, and the median is that of distances in its norm.

    Parameters
    ----------
    family : {"rbf", "laplacian", "laplacian_l2", "cauchy"}, default="rbf"
        Kind of kernel.
    spread : float, default=2.0
        Largest exponent of two, at least 0. With 0 all kernels have the width of the median.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import MedianScale
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> MedianScale("cauchy", spread=0.0).sample(X, 1, np.random.RandomState(0))
    [Cauchy(gamma=1)]
    """

    def __init__(self, family="rbf", spread=2.0):
        self.family = family
        self.spread = spread

    def sample(self, X, n_kernels, rng):
        check_choice(self.family, "family", FAMILIES)
        spread = check_real(self.spread, "spread", low=0.0)
        median = distance_statistics(X, rng, p=1 if self.family == "laplacian" else 2).median
        factors = 2.0 ** spread_uniform(-spread, spread, n_kernels, rng)
        if self.family == "laplacian":
            return [Laplacian(float(f / median)) for f in factors]
        if self.family == "laplacian_l2":
            return [Laplacian(float(f / median), "l2") for f in factors]
        radial = RBF if self.family == "rbf" else Cauchy
        return [radial(float(f / median**2)) for f in factors]


class PowersOfTwo(KernelSampler):
    """A rule with one kernel for each exponent of two from `low` to `high`."""

    @property
    def n_default(self):
        return self.high - self.low + 1

    def _exponents(self, n_kernels):
        """Return `n_kernels` of the exponents, spread evenly over the grid."""
        _check_exponents(self.low, self.high)
        check_available(n_kernels, self)
        return np.linspace(self.low, self.high, n_kernels).round()


class MedianGrid(PowersOfTwo):
    """Kernels with widths in powers of two around the median distance.

    gamma = 2^low, …, 2^high divided by median², or by the median for a Laplacian kernel. If fewer
    kernels are asked for than the grid has, they are spread over it evenly; asking for more is an
    error.

    Parameters
    ----------
    family : {"rbf", "laplacian", "laplacian_l2", "cauchy"}, default="rbf"
        Kind of kernel.
    low, high : int, default=-5, 4
        Smallest and largest exponent of two.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import MedianGrid
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> MedianGrid(low=-1, high=1).sample(X, 3, np.random.RandomState(0))
    [RBF(gamma=0.5), RBF(gamma=1), RBF(gamma=2)]
    """

    def __init__(self, family="rbf", low=-5, high=4):
        self.family = family
        self.low = low
        self.high = high

    def sample(self, X, n_kernels, rng):
        exponents = self._exponents(n_kernels)
        (centre,) = MedianScale(self.family, spread=0.0).sample(X, 1, rng)
        own = centre.get_params(deep=False)
        return [type(centre)(**{**own, "gamma": float(own["gamma"] * 2.0**k)}) for k in exponents]


def spread_uniform(low, high, size, rng):
    """Return `size` random numbers that cover the range from `low` to `high`.

    The range is cut into `size` equal parts; one number is drawn from each, and the numbers are
    shuffled. Each of them is uniform in the range, as an independent draw would be, but two members
    of an ensemble are rarely almost equal.
    """
    low, high = check_range(low, high)
    parts = rng.permutation(size) + rng.uniform(size=size)
    return low + (high - low) * parts / size


def log_uniform(low, high, size, rng):
    """Return `size` random numbers between `low` and `high` whose logarithms are uniform."""
    low = check_real(low, "low", low=0.0, open_low=True)
    high = check_real(high, "high", low=low)
    return np.exp(rng.uniform(np.log(low), np.log(high), size))


def resolve_kernels(kernels, X, n_kernels, rng, *, default=None):
    """Return a list of kernels for what a user may pass as the parameter `kernels`.

    Parameters
    ----------
    kernels : None, Kernel, list of Kernel or KernelSampler
        None means `default`. One kernel is repeated, and a list must have `n_kernels` entries.
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
        See `KernelSampler.sample`.
    n_kernels : int or None
        None means as many as the list has, or as the sampler draws by default.
    rng : RandomState
        Generator from which a sampler draws.
    default : KernelSampler, default=None
        None means `MedianScale()`.

    Returns
    -------
    kernels : list of Kernel
        The kernels that were given or drawn, as many as asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RBF, resolve_kernels
    >>> resolve_kernels(RBF(0.5), np.eye(3), 2, np.random.RandomState(0))
    [RBF(gamma=0.5), RBF(gamma=0.5)]
    """
    if n_kernels is not None:
        check_count(n_kernels, "n_kernels")
    if kernels is None:
        kernels = MedianScale() if default is None else default
    if isinstance(kernels, KernelSampler):
        return kernels.sample(X, kernels.n_default if n_kernels is None else n_kernels, rng)
    if isinstance(kernels, Kernel):
        return [kernels] * (n_kernels or 1)
    if not isinstance(kernels, (list, tuple)) or not kernels:
        raise TypeError(
            "kernels must be a Kernel, a non-empty list of them, a sampler or None, "
            f"got {kernels!r}."
        )
    for kernel in kernels:
        check_instance(kernel, "each of kernels", Kernel, "a Kernel")
    if n_kernels is not None and len(kernels) != n_kernels:
        raise ValueError(f"kernels has {len(kernels)} entries, but n_kernels is {n_kernels}.")
    return list(kernels)


def check_range(low, high):
    """Return `low` and `high` as floats; raise an error if they are not a range of numbers."""
    low = check_real(low, "low")
    return low, check_real(high, "high", low=low)


def _check_exponents(low, high):
    for value, name in ((low, "low"), (high, "high")):
        check_instance(value, name, Integral, "a whole number")
    check_range(low, high)


def check_available(n_kernels, sampler):
    """Raise an error if the sampler has fewer kernels than are asked for."""
    available = sampler.n_default
    if n_kernels > available:
        raise ValueError(f"n_kernels must be at most {available} for {sampler!r}, got {n_kernels}.")
