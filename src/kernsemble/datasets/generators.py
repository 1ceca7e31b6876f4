"""Generators of artificial problems, written from their published definitions.

Every generator returns ``(X, y)``. The classes are random and equally likely unless the docstring
says otherwise. An integer `random_state` gives the same rows on every machine.
"""

import numpy as np
from sklearn.utils import check_random_state

from ..validation import check_count, check_instance, check_real

#: Centres of `make_ten_gaussians`: rows 0–4 belong to class 1, rows 5–9 to class -1.
TEN_GAUSSIANS_CENTRES = np.array(
    [[-2, -1], [-5, 4], [4, -5], [-1, 2], [0, 4], [-5, -4], [-4, 0], [5, -3], [3, 2], [2, 0]],
    dtype=float,
)
TEN_GAUSSIANS_CENTRES.flags.writeable = False


def make_waveform(n_samples=5000, *, noise=False, random_state=None):
    """Generate three classes, each of which mixes two of three triangular waves.

    A row is u h_a + (1 - u) h_b + e on 21 points, where u is uniform on [0, 1] and e is standard
    normal. The waves have height 6 and peak at points 7, 11 and 15. Classes 0, 1 and 2 mix the
    waves with peaks (7, 15), (7, 11) and (11, 15), as in the UCI files. The best possible error
    rate is 13.4 %.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    noise : bool, default=False
        Whether to append 19 standard normal columns that do not depend on the class.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 21) or (n_samples, 40)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes 0, 1 and 2.

    Notes
    -----
    The book measured a best error rate of 14 % on 5,000 rows. On 600,000 rows the error rate of the
    optimal rule is 13.4 %.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 2.6.2.

    Examples
    --------
    >>> from kernsemble.datasets import make_waveform
    >>> X, y = make_waveform(100, noise=True, random_state=0)
    >>> X.shape
    (100, 40)
    """
    n_samples = check_count(n_samples, "n_samples")
    check_instance(noise, "noise", (bool, np.bool_), "True or False")
    rng = check_random_state(random_state)
    points = np.arange(1, 22)
    waves = np.maximum(6 - np.abs(points - np.array([[7], [11], [15]])), 0)
    first, second = waves[[0, 0, 1]], waves[[2, 1, 2]]
    y = rng.randint(3, size=n_samples)
    u = rng.uniform(size=(n_samples, 1))
    X = rng.standard_normal((n_samples, 40 if noise else 21))
    X[:, :21] += u * first[y] + (1 - u) * second[y]
    return X, y


def make_twonorm(n_samples=7400, *, random_state=None):
    """Generate two normal classes in 20 dimensions, centred at (a, …, a) and (-a, …, -a).

    Both have unit covariance, and a = 2 / √20. The best boundary is a plane, and the best possible
    error rate is Φ(-2) = 2.3 %.

    Parameters
    ----------
    n_samples : int, default=7400
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes: 0 at (a, …, a), 1 at (-a, …, -a).

    References
    ----------
    Breiman (1996), Bias, variance, and arcing classifiers, technical report 460, Berkeley.

    Examples
    --------
    >>> from kernsemble.datasets import make_twonorm
    >>> X, y = make_twonorm(100, random_state=0)
    >>> X.shape
    (100, 20)
    """
    n_samples = check_count(n_samples, "n_samples")
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples)
    centre = np.where(y == 0, 1, -1) * 2 / np.sqrt(20)
    return rng.standard_normal((n_samples, 20)) + centre[:, None], y


def make_ringnorm(n_samples=7400, *, random_state=None):
    """Generate a wide normal class in 20 dimensions with a narrow one inside.

    Class 0 is N(0, 4 I), and class 1 is N((a, …, a), I) with a = 2 / √20. The best boundary is
    close to a sphere, and the best possible error rate is about 1.2 %.

    Parameters
    ----------
    n_samples : int, default=7400
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes: 0 in the wide class, 1 in the narrow one.

    Notes
    -----
    Some texts print a = 1 / √20, for which the best error rate is 1.5 %. The rows in public use
    have a = 2 / √20.

    References
    ----------
    Breiman (1996), Bias, variance, and arcing classifiers, technical report 460, Berkeley.

    Examples
    --------
    >>> from kernsemble.datasets import make_ringnorm
    >>> X, y = make_ringnorm(100, random_state=0)
    >>> X.shape
    (100, 20)
    """
    n_samples = check_count(n_samples, "n_samples")
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples)[:, None]
    Z = rng.standard_normal((n_samples, 20))
    return np.where(y == 0, 2 * Z, Z + 2 / np.sqrt(20)), y.ravel()


def make_ten_gaussians(n_samples=20000, *, random_state=None):
    """Generate two classes in the plane, each of five Gaussians with unit covariance.

    The Gaussians are centred at `TEN_GAUSSIANS_CENTRES`.

    Parameters
    ----------
    n_samples : int, default=20000
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows. The centres are fixed, so two seeds give a training and a test set.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes 1 and -1.

    Notes
    -----
    The paper does not give the centres or covariances. The centres here are chosen so that the best
    possible accuracy is 92.2 %; the paper reports 92.15 to 92.25 % for its own mixture.

    References
    ----------
    Nishida, Fujiki and Kurita (2011), multiple random subset-kernel learning (MRSKL), section 3.1.

    Examples
    --------
    >>> from kernsemble.datasets import make_ten_gaussians
    >>> X, y = make_ten_gaussians(100, random_state=0)
    >>> X.shape
    (100, 2)
    """
    n_samples = check_count(n_samples, "n_samples")
    rng = check_random_state(random_state)
    component = rng.randint(10, size=n_samples)
    X = TEN_GAUSSIANS_CENTRES[component] + rng.standard_normal((n_samples, 2))
    return X, np.where(component < 5, 1, -1)


def make_spirals(n_samples=194, *, noise=0.0, n_turns=3.0, random_state=None):
    """Generate two spirals around the origin, each the point reflection of the other.

    The points of a spiral have angle 2 π n_turns t and radius 6.5 (1 - 12 t / 13) for equally
    spaced t in [0, 1]. The defaults give the classic problem with 97 points in each class.

    Parameters
    ----------
    n_samples : int, default=194
        Number of rows, which are in random order. Class 0 has one more if the number is odd.
    noise : float, default=0.0
        Standard deviation of the normal noise added to both coordinates.
    n_turns : float, default=3.0
        Number of turns of each spiral.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes 0 and 1.

    References
    ----------
    Lang and Witbrock (1988), Learning to tell two spirals apart. The shape follows Figure 3 of the
    oblique-forest experiments, which give no formula for it.

    Examples
    --------
    >>> from kernsemble.datasets import make_spirals
    >>> X, y = make_spirals(noise=0.1, random_state=0)
    >>> X.shape
    (194, 2)
    """
    n_samples = check_count(n_samples, "n_samples", low=2)
    noise = check_real(noise, "noise", low=0.0)
    n_turns = check_real(n_turns, "n_turns", low=0.0, open_low=True)
    rng = check_random_state(random_state)
    sizes = np.array([n_samples - n_samples // 2, n_samples // 2])
    t = np.concatenate([np.linspace(0, 1, size) for size in sizes])
    y = np.repeat([0, 1], sizes)
    radius = np.where(y == 0, 1, -1) * 6.5 * (1 - 12 * t / 13)
    angle = 2 * np.pi * n_turns * t
    X = np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])
    X += noise * rng.standard_normal(X.shape)
    order = rng.permutation(n_samples)
    return X[order], y[order]


def make_xor(n_samples=1000, *, n_noise=8, random_state=None):
    """Generate two classes by the sign of x0 · x1, with further columns that are noise.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    n_noise : int, default=8
        Number of columns that are noise. All columns are uniform on [-1, 1].
    random_state : int, RandomState instance or None, default=None
        Seed of the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_noise)
        The rows.
    y : ndarray of shape (n_samples,)
        Classes: 1 if x0 and x1 differ in sign, otherwise 0.

    Examples
    --------
    >>> from kernsemble.datasets import make_xor
    >>> X, y = make_xor(100, n_noise=3, random_state=0)
    >>> X.shape
    (100, 5)
    """
    n_samples = check_count(n_samples, "n_samples")
    n_noise = check_count(n_noise, "n_noise", low=0)
    rng = check_random_state(random_state)
    X = rng.uniform(-1, 1, size=(n_samples, 2 + n_noise))
    return X, (X[:, 0] * X[:, 1] < 0).astype(int)
