"""SVM-2K: two machines on two kernels that agree."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from ..fitting.kernel_learner import SVMKernelLearner
from ..fitting.kernel_method import is_auto
from ..fitting.learning_problem import Learned
from ..fitting.parameters import with_parameters
from ..kernels import MeanSquaredDistance
from ..kernels.mixture import weighted_kernel
from ..members.kernel_expansion import KernelPart
from ..solvers.svm2k import solve_svm2k
from ..validation import check_real


@with_parameters
class SVM2KClassifier(SVMKernelLearner):
    """Two support vector machines, one per kernel, trained to agree with each other.

    Minimises 0.5 |w_A|² + 0.5 |w_B|² + C Σ (xi_A + xi_B) + coupling Σ eta subject to
    |f_A(x_i) - f_B(x_i)| <= eta_i + epsilon and the hinge losses xi; decides by the mean of f_A and
    f_B.

    Parameters
    ----------
    kernels : list of two Kernel, sampler, ndarray of shape (2, n, n) or None
        The two kernels. An array is a pair of Gram matrices; X then holds row numbers. None means
        RBF kernels at half and twice the gamma of least leave-one-out error of a kernel ridge, and
        with `preset="paper"` at a quarter of the mean squared distance and at all of it.
    coupling : float or "auto"
        Cost of a disagreement; sample weights multiply it. "auto" means C.
    epsilon : float
        Disagreement that costs nothing.
    multi_class : {"auto", "ovo", "ovr"}
        Whether there is one problem per pair of classes or one per class against the rest. "auto"
        means the former: the time of a problem grows with the cube of its rows.

    Attributes
    ----------
    estimators_ : list of one KernelExpansion
    kernel_weights_ : ndarray of shape (2,)
        One half each: the decision is the mean of the two machines.
    kernel_ : Kernel
        The mean of the two normalised kernels.
    kernels_ : list of Kernel
        The normalised kernels.
    {chosen_C}
    objective_ : float
        The primal objective, summed over the problems.
    {duality}
    {honest}
    {fitted}

    Notes
    -----
    The bias is part of the kernels (K + 1) and so is penalised with the weights.

    References
    ----------
    Farquhar, Hardoon, Meng, Shawe-Taylor and Szedmak (2006), Two view learning: SVM-2K, theory and
    practice, NIPS 18.
    """

    kernels: Any = None
    _: KW_ONLY
    coupling: Any = "auto"
    epsilon: float = 0.1
    multi_class: str = "auto"
    tol: float = 1e-4
    max_iter: int = 100

    _n_gaussians = 2
    _auto: ClassVar[dict[str, Any]] = {**SVMKernelLearner._auto, "multi_class": "ovo"}
    _default_sampler = MeanSquaredDistance(multipliers=(0.25, 1.0))

    def _check_params(self, table):
        super()._check_params(table)
        if not is_auto(self.coupling):
            check_real(self.coupling, "coupling", low=0.0)
        check_real(self.epsilon, "epsilon", low=0.0)

    def _resolve_kernels(self, table, rng):
        kernels = super()._resolve_kernels(table, rng)
        if len(kernels) != 2:
            raise ValueError(f"kernels must be two kernels, got {len(kernels)}: {kernels!r}.")
        return kernels

    def _fit_shared(self, kernels, X, tasks, rng):
        found = self._learn(self._grams(kernels, X), tasks, rng)
        halves = np.array([0.5, 0.5])
        return Learned(
            [
                KernelPart.of_support(kernel, X, coefs)
                for kernel, coefs in zip(kernels, 0.5 * found.coefs)
            ],
            found.bias,
            [found],
            [kernels],
            {"kernel_weights_": halves, "kernel_": weighted_kernel(kernels, halves)},
        )

    def _fit_fixed(self, grams, tasks, rng):
        found = self._learn(grams, tasks, rng)
        return list(0.5 * found.coefs), found.bias

    def _learn(self, grams, tasks, rng):
        gram_a, gram_b = grams
        return solve_svm2k(
            gram_a,
            gram_b,
            tasks.T,
            self.C * tasks.weight,
            (self.C if is_auto(self.coupling) else self.coupling) * tasks.weight,
            self.epsilon,
            tol=self.tol,
            max_iter=self.max_iter,
        )
