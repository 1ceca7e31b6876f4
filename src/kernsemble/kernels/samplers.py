"""Samplers: rules that draw concrete kernels from the scale of the data.

A sampler is a value like a kernel; `sample(X, n_kernels, rng)` returns a list of kernels. Samplers
combine with `+` and `*` as kernels do: `RandomRBF() + RandomPolynomial()` draws sums. The rules of
the papers keep their formulas and ranges, also where these depend on the unit of the data;
`MedianScale` is the rule that does not. It and the rules of the kernel-PCA ensemble draw for few
members, and where the thesis draws one by one the draws of an ensemble are spread over the range,
see `spread_uniform`; `GammaRange`, for thousands, draws independently.
"""

from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.extmath import row_norms

from ..validation import check_choice, check_count, check_instance, check_real
from .base import Kernel
from .derived import Normalized
from .dot_product import Linear, Polynomial, Sigmoid
from .stationary import RBF, Cauchy, Laplacian
from .statistics import distance_statistics, rows_of_scale

__all__ = [
    "GammaGrid",
    "GammaRange",
    "KernelSampler",
    "MeanDistance",
    "MeanSquaredDistance",
    "MedianGrid",
    "MedianScale",
    "RandomPolynomial",
    "RandomRBF",
    "RandomSigmoid",
    "log_uniform",
    "resolve_kernels",
    "spread_uniform",
]


class KernelSampler(BaseEstimator):
    """A rule that draws kernels from data.

    Attributes
    ----------
    n_default : int
        How many kernels the rule means when nobody says.
    """

    n_default = 1

    @abstractmethod
    def sample(self, X, n_kernels, rng):
        """Return `n_kernels` concrete kernels for the rows of `X`, a list."""

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
    """Widths around the median distance: gamma = 2^u / median², u uniform in [-spread, spread].

    The drawn kernels are the same whatever unit the data are in. For a Laplacian, whose argument
    is a distance, gamma = 2^u / median of the distances in its own norm.

    Parameters
    ----------
    family : {"rbf", "laplacian", "laplacian_l2", "cauchy"}, default="rbf"
    spread : float, default=2.0
        0 makes every kernel the one at the median.
    """

    def __init__(self, family="rbf", spread=2.0):
        self.family = family
        self.spread = spread

    def sample(self, X, n_kernels, rng):
        families = ("rbf", "laplacian", "laplacian_l2", "cauchy")
        check_choice(self.family, "family", families)
        spread = check_real(self.spread, "spread", low=0.0)
        median = distance_statistics(X, rng, p=1 if self.family == "laplacian" else 2).median
        factors = 2.0 ** spread_uniform((-spread, spread), n_kernels, rng)
        if self.family == "laplacian":
            return [Laplacian(float(f / median)) for f in factors]
        if self.family == "laplacian_l2":
            return [Laplacian(float(f / median), "l2") for f in factors]
        radial = RBF if self.family == "rbf" else Cauchy
        return [radial(float(f / median**2)) for f in factors]


class MedianGrid(KernelSampler):
    """RBF or Laplacian widths in powers of two around the median distance.

    gamma = 2^low, …, 2^high over median², or over the median for a Laplacian: the candidates of a
    search that is free of the unit of the data. More kernels than the grid has are an error, fewer
    are spread over it evenly.

    Parameters
    ----------
    family : {"rbf", "laplacian", "laplacian_l2", "cauchy"}, default="rbf"
    low, high : int, default=-5, 4
        First and last exponent.
    """

    def __init__(self, family="rbf", low=-5, high=4):
        self.family = family
        self.low = low
        self.high = high

    @property
    def n_default(self):
        return self.high - self.low + 1

    def sample(self, X, n_kernels, rng):
        _check_available(n_kernels, self.n_default, self)
        (centre,) = MedianScale(self.family, spread=0.0).sample(X, 1, rng)
        chosen = np.linspace(self.low, self.high, n_kernels).round()
        return [clone(centre).set_params(gamma=float(centre.gamma * 2.0**k)) for k in chosen]


class MeanDistance(KernelSampler):
    """A normalised linear kernel and RBF kernels with sigma at multiples of the mean distance.

    Wang, Jie, Chen and Gao (2013), §3.1: the mean distance and a tenth of it. More kernels than
    the rule has are an error, fewer are the first ones.

    Parameters
    ----------
    multipliers : tuple of float, default=(1.0, 0.1)
    linear : bool, default=True
        Whether the normalised linear kernel comes first.
    """

    def __init__(self, multipliers=(1.0, 0.1), linear=True):
        self.multipliers = multipliers
        self.linear = linear

    @property
    def n_default(self):
        return len(self.multipliers) + bool(self.linear)

    def sample(self, X, n_kernels, rng):
        _check_available(n_kernels, self.n_default, self)
        mean = distance_statistics(X, rng).mean
        kernels = [Normalized(Linear())] if self.linear else []
        kernels += [RBF.from_sigma(multiplier * mean) for multiplier in self.multipliers]
        return kernels[:n_kernels]


class MeanSquaredDistance(KernelSampler):
    """RBF kernels with sigma² at multiples of the mean squared distance.

    The rule of the MEKL-DLP paper, §4.2. More kernels than the rule has are an error, fewer are
    the first ones.

    Parameters
    ----------
    multipliers : tuple of float, default=(0.25, 1.0, 4.0)
    """

    def __init__(self, multipliers=(0.25, 1.0, 4.0)):
        self.multipliers = multipliers

    @property
    def n_default(self):
        return len(self.multipliers)

    def sample(self, X, n_kernels, rng):
        _check_available(n_kernels, self.n_default, self)
        variance = distance_statistics(X, rng).mean_squared
        return [RBF(0.5 / (eta * variance)) for eta in self.multipliers[:n_kernels]]


class RandomRBF(KernelSampler):
    """gamma = 1 / mean^r, r uniform in `exponents`, with the mean pairwise distance.

    The kernel-PCA ensemble's rule (§4.2.1). Only r = 2 is free of the unit of the data, and at a
    mean distance of 1 all kernels are equal.

    Parameters
    ----------
    exponents : tuple of two floats, default=(1.0, 3.0)
    """

    def __init__(self, exponents=(1.0, 3.0)):
        self.exponents = exponents

    def sample(self, X, n_kernels, rng):
        mean = distance_statistics(X, rng).mean
        return [RBF(float(mean**-r)) for r in self.draw_exponents(n_kernels, rng)]

    def draw_exponents(self, n_kernels, rng):
        """Return one exponent for each kernel."""
        return spread_uniform(self.exponents, n_kernels, rng)


class RandomPolynomial(KernelSampler):
    """(2 x·y / max + c)^degree, c = mean · u, u uniform in `offsets`.

    The kernel-PCA ensemble's rule (§4.2.2), with the mean and the maximum pairwise distance.

    Parameters
    ----------
    degree : int, default=3
    offsets : tuple of two floats, default=(0.5, 1.5)
    unit_free : bool, default=False
        Divide the base by max once more: the same kernel up to a factor, and one that does not
        depend on the unit of the data, which matters where kernels are added.
    """

    def __init__(self, degree=3, offsets=(0.5, 1.5), unit_free=False):
        self.degree = degree
        self.offsets = offsets
        self.unit_free = unit_free

    def sample(self, X, n_kernels, rng):
        scale = distance_statistics(X, rng)
        unit = scale.maximum if self.unit_free else 1.0
        return [
            Polynomial(self.degree, 2.0 / scale.maximum / unit, float(scale.mean * u / unit))
            for u in spread_uniform(self.offsets, n_kernels, rng)
        ]


class RandomSigmoid(KernelSampler):
    """tanh(x·y / mean⁵ + c), c uniform in `offsets`.

    The kernel-PCA ensemble's rule (§4.2.3), with the mean pairwise distance.

    Parameters
    ----------
    offsets : tuple of two floats, default=(-1.0, 0.0)
    unit_free : bool, default=False
        Divide x·y by the mean squared norm of the rows instead, which keeps the argument of order
        one whatever the unit and the origin of the data.
    """

    def __init__(self, offsets=(-1.0, 0.0), unit_free=False):
        self.offsets = offsets
        self.unit_free = unit_free

    def sample(self, X, n_kernels, rng):
        if self.unit_free:
            rows = rows_of_scale(X, rng)
            gamma = 1.0 / (float(row_norms(rows, squared=True).mean()) or 1.0)
        else:
            gamma = distance_statistics(X, rng).mean ** -5.0
        offsets = spread_uniform(self.offsets, n_kernels, rng)
        return [Sigmoid(gamma, float(c)) for c in offsets]


class GammaRange(KernelSampler):
    """RBF kernels with gamma log-uniform in a fixed range, MRSKL's rule.

    Parameters
    ----------
    low, high : float, default=2**-5, 2**2
    """

    def __init__(self, low=2.0**-5, high=2.0**2):
        self.low = low
        self.high = high

    def sample(self, X, n_kernels, rng):
        return [RBF(float(g)) for g in log_uniform(self.low, self.high, n_kernels, rng)]


class GammaGrid(KernelSampler):
    """RBF kernels with gamma = 2^low, …, 2^high, the grid of the 121-set study.

    More kernels than the grid has are an error, fewer are spread over it evenly.

    Parameters
    ----------
    low, high : int, default=-16, 8
        First and last exponent.
    """

    def __init__(self, low=-16, high=8):
        self.low = low
        self.high = high

    @property
    def n_default(self):
        return self.high - self.low + 1

    def sample(self, X, n_kernels, rng):
        _check_available(n_kernels, self.n_default, self)
        chosen = np.linspace(self.low, self.high, n_kernels).round()
        return [RBF(float(2.0**exponent)) for exponent in chosen]


def spread_uniform(bounds, size, rng):
    """Return `size` numbers between two bounds, one from each of as many equal parts, shuffled.

    Each of them is uniform between the bounds, as an independent draw is, but together they always
    cover the range: an ensemble of ten has no bad luck, and few members that are nearly equal.
    """
    low, high = bounds
    parts = rng.permutation(size) + rng.uniform(size=size)
    return low + (high - low) * parts / size


def log_uniform(low, high, size, rng):
    """Return `size` values between `low` and `high`, uniform in their logarithm."""
    low = check_real(low, "low", low=0.0, open_low=True)
    high = check_real(high, "high", low=low)
    return np.exp(rng.uniform(np.log(low), np.log(high), size))


def resolve_kernels(kernels, X, n_kernels, rng, *, default=None):
    """Turn what a user may pass as `kernels` into a list of concrete kernels.

    Parameters
    ----------
    kernels : None, Kernel, list of Kernel or KernelSampler
        None means `default`; one kernel is repeated; a list must have `n_kernels` entries.
    X : {ndarray, CSR matrix, Table} of shape (n_rows, n_features)
    n_kernels : int or None
        None means as many as the list or the sampler has.
    rng : RandomState
    default : KernelSampler, default=None
        None means `MedianScale()`.

    Returns
    -------
    list of Kernel
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


def _check_available(n_kernels, available, sampler):
    if n_kernels > available:
        raise ValueError(f"n_kernels must be at most {available} for {sampler!r}, got {n_kernels}.")
