"""EasyMKL: kernel weights from the margin distribution."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from ..fitting.kernel_method import is_auto
from ..fitting.midpoint import MidpointKernelLearner
from ..fitting.parameters import with_parameters
from ..kernels.mixture import Mixture
from ..solvers.easy_mkl import scale_to_hull, solve_easy_mkl, solve_hull_points
from ..validation import check_real


@with_parameters
class EasyMKLClassifier(MidpointKernelLearner):
    """Kernels weighed by their share of the margin between two convex hulls.

    Minimises (1 - alpha) (g y)' (Σ K_r / n_kernels) (g y) + alpha |g|² over g >= 0 of sum 1 in each
    class, weighs kernel r by (g y)' K_r (g y), and solves the same problem again on the weighted
    kernel; the threshold lies midway between the two points of the hulls. Only one accumulated
    kernel is kept, so hundreds of kernels fit where one does.

    Parameters
    ----------
    alpha : float or "auto"
        Share of the squared norm in the objective, from 0 (hard margin) to 1 (distance of the class
        means); the paper calls it Λ. "auto" means that of least honest log-loss among seven
        values from 0.99 to 0.01, and with `preset="paper"` 0.1.
    kernels : list of Kernel, sampler, ndarray of shape (n_kernels, n, n) or None
        Kernels to weigh. An array is a stack of Gram matrices; X then holds row numbers. None
        means three RBF kernels in powers of four around the gamma of least leave-one-out error of a
        kernel ridge, and with `preset="paper"` five around the mean squared distance.

    Attributes
    ----------
    {learned_kernels}
    {chosen_alpha}
    objective_ : float
        The objective of the first problem, summed over the problems.
    {duality}
    {honest}
    {fitted}

    Notes
    -----
    The mean of the kernels takes the place of the paper's sum, so that alpha means the same for any
    number of kernels. The weights are scaled to sum 1. A row of weight w has alpha / w in the place
    of alpha: it counts as w equal rows.

    References
    ----------
    Aiolli and Donini (2015), EasyMKL: a scalable multiple kernel learning algorithm,
    Neurocomputing 169.
    """

    kernels: Any = None
    _: KW_ONLY
    n_kernels: int | None = None
    alpha: Any = "auto"
    multi_class: str = "auto"
    shared_weights: bool = True
    tol: float = 1e-4

    _strength = "alpha"
    _strengths = (0.99, 0.95, 0.8, 0.5, 0.2, 0.05, 0.01)
    _n_gaussians = 3
    # Points of convex hulls have scores of one scale; factors have cost accuracy, not gained it.
    _has_class_factors = False
    _paper: ClassVar[dict[str, Any]] = {**MidpointKernelLearner._paper, "alpha": 0.1}

    def _check_params(self, table):
        super()._check_params(table)
        if not is_auto(self.alpha):
            check_real(self.alpha, "alpha", low=0.0, high=1.0)

    def _grams(self, kernels, X):
        return Mixture(kernels, X)

    def _learn(self, grams, tasks, rng):
        return solve_easy_mkl(grams, tasks.T, tasks.weight, self.alpha, tol=self.tol)

    def _machine(self, K, tasks):
        points = solve_hull_points(K, tasks.T, tasks.weight, self.alpha, tol=self.tol)
        return scale_to_hull(K, points.coefs, tasks.T)
