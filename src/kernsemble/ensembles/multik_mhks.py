"""MultiK-MHKS: Ho-Kashyap learning in several kernel spaces that agree."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.ho_kashyap import HoKashyapLearner
from ..fitting.parameters import with_parameters


@with_parameters
class MultiKMHKSClassifier(HoKashyapLearner):
    """Ho-Kashyap classifiers in several kernel spaces, fitted together so that they agree.

    On the empirical maps of all training rows, for labels t = ±1, it minimises::

        Σ_l [ Σ (t f_l - 1 - b_l)² + alpha |w_l|² ] + coupling Σ_l Σ (f_l - mean f)²

    over f_l(x) = w_l·z_l(x) + w_l₀ and margins b_l ≥ 0. The score is the mean of the f_l.

    Attributes
    ----------
    {ho_kashyap}

    Notes
    -----
    The iteration starts from zero rather than from unit vectors: b never decreases, so a start
    with large outputs stays. `tol` is relative to the objective, so that it means the same for
    any number of rows. The pairs of classes share their kernels and maps.

    References
    ----------
    Z. Wang, S. Chen and T. Sun (2008). MultiK-MHKS: a novel multiple kernel learning algorithm.
    IEEE Transactions on Pattern Analysis and Machine Intelligence 30, 348-353.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    coupling: Any = 1.0
