"""MultiK-MHKS: Ho-Kashyap learning in several kernel spaces that agree."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from ..fitting.ho_kashyap import HoKashyapLearner
from ..fitting.parameters import with_parameters


@with_parameters
class MultiKMHKSClassifier(HoKashyapLearner):
    """Ho-Kashyap classifiers in several kernel spaces, fitted together so that they agree.

    On the empirical maps of all training rows, for labels t = ±1, it minimises::

        Σ_l [ Σ (t f_l - 1 - b_l)² + alpha |w_l|² ] + coupling Σ_l Σ (f_l - mean f)²

    over f_l(x) = w_l·z_l(x) + w_l₀ and margins b_l ≥ 0. The score is the mean of the f_l.

    Parameters
    ----------
    kernels : "auto", sampler, Kernel or list of Kernel
        Kernels, one for each space. "auto" means one each of the kinds Gaussian, Laplacian and
        Cauchy, with the width of least leave-one-out error; None the published ones,
        `MeanDistance()`: the normalised linear kernel and Gaussians with sigma the mean distance
        and a tenth of it.

    Attributes
    ----------
    coupling_ : float
        The coupling used.
    {honest}
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

    kernels: Any = "auto"
    _: KW_ONLY
    n_kernels: int | None = None
    coupling: Any = "auto"

    _paper: ClassVar[dict[str, Any]] = {
        **HoKashyapLearner._paper,
        "kernels": HoKashyapLearner._published_kernels,
        "coupling": 1.0,
    }

    def _fit_alike(self, table, rng, settings):
        found = super()._fit_alike(table, rng, settings)
        return found.with_attributes(coupling_=settings["coupling"])
