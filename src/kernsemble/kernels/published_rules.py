"""Samplers of published methods.

They keep the formulas and ranges of their papers, even where these depend on the unit of the data.
The rules of the kernel-PCA ensemble draw few kernels, one for each member, so they spread them over
their range (see `spread_uniform`). `GammaRange` draws thousands, each of them independently.
"""

import numpy as np
from sklearn.utils.extmath import row_norms

from ..validation import check_real
from .derived import Normalized
from .dot_product import Linear, Polynomial, Sigmoid
from .samplers import KernelSampler, PowersOfTwo, check_available, check_range, spread_uniform
from .stationary import RBF
from .statistics import distance_statistics, sample_rows


class MeanDistance(KernelSampler):
    """A normalised linear kernel, and RBF kernels with sigma at multiples of the mean distance.

    This is the rule of Wang, Jie, Chen and Gao (2013), section 3.1. If fewer kernels are asked for
    than the rule has, the first ones are returned; asking for more is an error.

    Parameters
    ----------
    multipliers : tuple of float, default=(1.0, 0.1)
        The sigma of each RBF kernel, relative to the mean distance.
    linear : bool, default=True
        Whether the normalised linear kernel comes first.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import MeanDistance
    >>> X = np.array([[0.0], [2.0]])
    >>> MeanDistance().sample(X, 2, np.random.RandomState(0))
    [Normalized(kernel=Linear()), RBF(gamma=0.125)]
    """

    def __init__(self, multipliers=(1.0, 0.1), linear=True):
        self.multipliers = multipliers
        self.linear = linear

    @property
    def n_default(self):
        return len(self.multipliers) + bool(self.linear)

    def sample(self, X, n_kernels, rng):
        check_available(n_kernels, self)
        multipliers = _check_multipliers(self.multipliers)
        mean = distance_statistics(X, rng).mean
        kernels = [Normalized(Linear())] if self.linear else []
        kernels += [RBF.from_sigma(multiplier * mean) for multiplier in multipliers]
        return kernels[:n_kernels]


class MeanSquaredDistance(KernelSampler):
    """RBF kernels with sigma² at multiples of the mean squared distance.

    This is the rule of the MEKL-DLP paper, section 4.2. If fewer kernels are asked for than the
    rule has, the first ones are returned; asking for more is an error.

    Parameters
    ----------
    multipliers : tuple of float, default=(0.25, 1.0, 4.0)
        The sigma² of each kernel, relative to the mean squared distance.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import MeanSquaredDistance
    >>> X = np.array([[0.0], [2.0]])
    >>> MeanSquaredDistance().sample(X, 3, np.random.RandomState(0))
    [RBF(gamma=0.5), RBF(gamma=0.125), RBF(gamma=0.03125)]
    """

    def __init__(self, multipliers=(0.25, 1.0, 4.0)):
        self.multipliers = multipliers

    @property
    def n_default(self):
        return len(self.multipliers)

    def sample(self, X, n_kernels, rng):
        check_available(n_kernels, self)
        multipliers = _check_multipliers(self.multipliers)
        mean = distance_statistics(X, rng).mean_squared
        return [RBF(0.5 / (multiplier * mean)) for multiplier in multipliers[:n_kernels]]


class RandomRBF(KernelSampler):
    """RBF kernels with gamma = mean^-r, r uniform in [low, high].

    This is the rule of the kernel-PCA ensemble, section 4.2.1, with the mean distance of two rows.
    The kernels depend on the unit of the data unless r = 2, and all are equal if the mean is 1.

    Parameters
    ----------
    low, high : float, default=1.0, 3.0
        Range of the exponent r.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RandomRBF
    >>> X = np.array([[0.0], [2.0]])
    >>> kernels = RandomRBF(low=1.0, high=3.0).sample(X, 20, np.random.RandomState(0))
    >>> all(2**-3 <= kernel.gamma <= 2**-1 for kernel in kernels)
    True
    """

    def __init__(self, low=1.0, high=3.0):
        self.low = low
        self.high = high

    def sample(self, X, n_kernels, rng):
        mean = distance_statistics(X, rng).mean
        return [RBF(float(mean**-r)) for r in self.draw_exponents(n_kernels, rng)]

    def draw_exponents(self, n_kernels, rng):
        """Return one exponent for each kernel.

        Parameters
        ----------
        n_kernels : int
            Number of kernels.
        rng : RandomState
            Generator to draw from.

        Returns
        -------
        exponents : ndarray of shape (n_kernels,)
            Values of r.
        """
        return spread_uniform(self.low, self.high, n_kernels, rng)


class RandomPolynomial(KernelSampler):
    """Kernels (2 x·y / max + mean · u)^degree, u uniform in [low, high].

    This is the rule of the kernel-PCA ensemble, section 4.2.2, with the mean and the maximum
    distance of two rows.

    Parameters
    ----------
    degree : int, default=3
        At least 1.
    low, high : float, default=0.5, 1.5
        Range of u.
    unit_free : bool, default=False
        Whether to divide the base by the maximum distance once more. This changes the kernel only
        by a factor and makes it independent of the unit of the data, which matters if kernels are
        added.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RandomPolynomial
    >>> X = np.array([[0.0], [2.0]])
    >>> RandomPolynomial(low=1.0, high=1.0).sample(X, 1, np.random.RandomState(0))
    [Polynomial(coef0=2, degree=3, gamma=1)]
    """

    def __init__(self, degree=3, low=0.5, high=1.5, unit_free=False):
        self.degree = degree
        self.low = low
        self.high = high
        self.unit_free = unit_free

    def sample(self, X, n_kernels, rng):
        scale = distance_statistics(X, rng)
        unit = scale.maximum if self.unit_free else 1.0
        return [
            Polynomial(self.degree, 2.0 / scale.maximum / unit, float(scale.mean * u / unit))
            for u in spread_uniform(self.low, self.high, n_kernels, rng)
        ]


class RandomSigmoid(KernelSampler):
    """Kernels tanh(x·y / mean⁵ + c), c uniform in [low, high].

    This is the rule of the kernel-PCA ensemble, section 4.2.3, with the mean distance of two rows.

    Parameters
    ----------
    low, high : float, default=-1.0, 0.0
        Range of c.
    unit_free : bool, default=False
        Whether to divide x·y by the mean squared norm of the rows instead, which keeps the argument
        of tanh of order one for any unit and origin of the data.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import RandomSigmoid
    >>> X = np.array([[0.0], [2.0]])
    >>> RandomSigmoid(low=-0.5, high=-0.5).sample(X, 1, np.random.RandomState(0))
    [Sigmoid(coef0=-0.5, gamma=0.03125)]
    """

    def __init__(self, low=-1.0, high=0.0, unit_free=False):
        self.low = low
        self.high = high
        self.unit_free = unit_free

    def sample(self, X, n_kernels, rng):
        if self.unit_free:
            rows = sample_rows(X, rng)
            norms = row_norms(rows.X, squared=True)
            gamma = 1.0 / (float(np.average(norms, weights=rows.weights)) or 1.0)
        else:
            gamma = distance_statistics(X, rng).mean ** -5.0
        offsets = spread_uniform(self.low, self.high, n_kernels, rng)
        return [Sigmoid(gamma, float(c)) for c in offsets]


class GammaRange(KernelSampler):
    """RBF kernels with gamma = 2^u, u uniform in [low, high].

    This is the rule of multiple random subset-kernel learning (MRSKL).

    Parameters
    ----------
    low, high : float, default=-5.0, 2.0
        Smallest and largest exponent of two.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import GammaRange
    >>> kernels = GammaRange(-1.0, 1.0).sample(np.eye(3), 20, np.random.RandomState(0))
    >>> all(0.5 <= kernel.gamma <= 2.0 for kernel in kernels)
    True
    """

    def __init__(self, low=-5.0, high=2.0):
        self.low = low
        self.high = high

    def sample(self, X, n_kernels, rng):
        low, high = check_range(self.low, self.high)
        return [RBF(float(2.0**u)) for u in rng.uniform(low, high, n_kernels)]


class GammaGrid(PowersOfTwo):
    """RBF kernels with gamma = 2^low, …, 2^high.

    The default is the grid of the 121-set study. If fewer kernels are asked for than the grid has,
    they are spread over it evenly; asking for more is an error.

    Parameters
    ----------
    low, high : int, default=-16, 8
        Smallest and largest exponent of two.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import GammaGrid
    >>> GammaGrid(-1, 1).sample(np.eye(3), 3, np.random.RandomState(0))
    [RBF(gamma=0.5), RBF(gamma=1), RBF(gamma=2)]
    """

    def __init__(self, low=-16, high=8):
        self.low = low
        self.high = high

    def sample(self, X, n_kernels, rng):
        return [RBF(float(2.0**exponent)) for exponent in self._exponents(n_kernels)]


def _check_multipliers(values):
    return [check_real(value, "each of multipliers", low=0.0, open_low=True) for value in values]
