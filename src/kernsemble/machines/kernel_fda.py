"""The kernel Fisher discriminant."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from ..fitting.kernel_method import is_auto
from ..fitting.midpoint import MidpointKernelLearner
from ..fitting.parameters import with_parameters
from ..kernels import MeanSquaredDistance
from ..kernels.samplers import resolve_kernels
from ..members.kernel_width import find_gamma, gaussians_around
from ..solvers.kfda import solve_kfda
from ..validation import check_choice, check_real


@with_parameters
class KernelFDAClassifier(MidpointKernelLearner):
    """Kernel Fisher discriminant: the direction that parts the class means best for their spread.

    Two classes at a time: maximises (w'(mu+ - mu-))² / (w'(S+ + S-) w + alpha |w|²) in the feature
    space of one kernel, or with the penalty on the coefficients, and puts the threshold midway
    between the projected means.

    Parameters
    ----------
    kernel : Kernel or sampler
        The kernel; None means an RBF kernel of the gamma of least leave-one-out error of a kernel
        ridge, and with `preset="paper"` at the mean squared distance.
    alpha : float or "auto"
        Strength of the penalty. "auto" means that of least honest log-loss among 1, 0.1, …, 1e-5,
        and with `preset="paper"` 0.01.
    penalty : {"auto", "norm", "coefs"}
        Whether the penalty is alpha |w|² with class covariances, or alpha |coefs|² with class
        scatters, which is the paper's formula. "auto" means "norm", and "coefs" with
        `preset="paper"`.

    Attributes
    ----------
    estimators_ : list of one KernelExpansion
    kernel_ : Kernel
        The normalised kernel.
    kernels_ : list of Kernel
        The same kernel, in a list.
    kernel_weights_ : ndarray of shape (1,)
        Always 1, for the interface of the kernel learners.
    {chosen_alpha}
    objective_ : float
        The Fisher ratio, summed over the problems.
    n_iter_ : int
        Always 1.
    {honest}
    {fitted}

    References
    ----------
    Mika, Rätsch, Weston, Schölkopf and Müller (1999), Fisher discriminant analysis with kernels.
    """

    kernel: Any = None
    _: KW_ONLY
    alpha: Any = "auto"
    penalty: str = "auto"
    multi_class: str = "auto"

    _default_sampler = MeanSquaredDistance(multipliers=(1.0,))
    _strength = "alpha"
    _strengths = (1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
    _auto: ClassVar[dict[str, Any]] = {**MidpointKernelLearner._auto, "penalty": "norm"}
    # The paper: (W + alpha I)^-1 (m+ - m-) for the coefficients. A strength of their norm depends
    # on the number of rows and on the kernel, so another one is the default.
    _paper: ClassVar[dict[str, Any]] = {
        **MidpointKernelLearner._paper,
        "alpha": 0.01,
        "penalty": "coefs",
    }

    def _check_params(self, table):
        super()._check_params(table)
        if not is_auto(self.alpha):
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_choice(self.penalty, "penalty", ("auto", "norm", "coefs"))

    def _resolve_kernels(self, table, rng):
        if self.kernel is None and self.preset == "auto":
            return gaussians_around(find_gamma(table, rng), 1)
        return resolve_kernels(self.kernel, table, 1, rng, default=self._default_sampler)

    def _learn(self, grams, tasks, rng):
        return self._machine(grams[0], tasks).weighted(np.ones(1))

    def _machine(self, K, tasks):
        return solve_kfda(K, tasks.T, tasks.weight, self.alpha, penalty=self.penalty)
