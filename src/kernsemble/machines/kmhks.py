"""KMHKS: Ho-Kashyap learning in the empirical space of one kernel."""

from typing import Any, ClassVar

from ..fitting.ho_kashyap import FAMILIES, HoKashyapLearner
from ..fitting.parameters import with_parameters
from ..kernels import MeanSquaredDistance


@with_parameters
class KMHKSClassifier(HoKashyapLearner):
    """Ho-Kashyap classifier with squared approximation of the errors, in one kernel space.

    On the empirical kernel map of all training rows, for labels t = ±1, it minimises
    Σ (t f(x) - 1 - b)² + alpha |w|² over f(x) = w·z(x) + w₀ and margins b ≥ 0, which at the best b
    is the squared hinge loss.

    Parameters
    ----------
    kernel : "auto", Kernel or sampler
        The kernel; "auto" means the Gaussian of least leave-one-out error, None the published one,
        with sigma² the mean squared distance.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, which `kernels_` has in a list.
    {honest}
    {ho_kashyap}

    Notes
    -----
    The iteration starts from zero: b never decreases, so a start with large outputs stays. `tol`
    is relative to the objective, so that it means the same for any number of rows. The pairs of
    classes share one kernel and one map.

    References
    ----------
    J. Łęski (2003). Ho-Kashyap classifier with generalization control. Pattern Recognition
    Letters 24(14), 2281-2290.
    """

    kernel: Any = "auto"

    n_kernels = 1
    _published_kernels = MeanSquaredDistance(multipliers=(1.0,))
    _families = FAMILIES[:1]
    _paper: ClassVar[dict[str, Any]] = {**HoKashyapLearner._paper, "kernel": _published_kernels}

    @property
    def kernels(self):
        return self.kernel

    def _fit_members(self, table, rng):
        found = super()._fit_members(table, rng)
        return found.with_attributes(kernel_=found.attributes["kernels_"][0])
