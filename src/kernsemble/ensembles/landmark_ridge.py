"""Ridge classifiers on random landmarks: the plainest ensemble."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.kernel_method import KernelMethod
from ..fitting.parameters import with_parameters
from ..kernels import resolve_kernels
from ..maps import EmpiricalKernelMap
from ..maps.landmarks import LANDMARK_RULES
from ..members.ridge import fit_ridge_member
from ..validation import check_choice, check_real


@with_parameters
class LandmarkRidgeClassifier(KernelMethod):
    """Ensemble of ridge classifiers, each on its own random empirical kernel map.

    A member draws a kernel and `n_landmarks` rows, maps all rows to Nyström features z(x) and
    minimises Σ (w·z(x) + b - t)² + alpha (|w|² + b²) over all target columns at once, in closed
    form. Its leave-one-out scores come from the same factorisation and calibrate the
    probabilities.

    Parameters
    ----------
    kernels : sampler, Kernel or list of Kernel
        Where the kernel of a member comes from; a list has one kernel per member, and None means
        `MedianScale()`, RBF kernels around the median distance.
    n_landmarks : int, float, "auto" or None
        Number of training rows that span the map of a member, or their share; None means all rows,
        and "auto" means 100 rows, or all where there are fewer.
    alpha : float
        Ridge strength.
    combine : {"mean", "vote", "weighted", "stacked"}
        How member scores become one; the last two are fitted on honest scores.

    Attributes
    ----------
    estimators_ : list of RidgeMember
    {honest}
    {fitted}
    """

    n_estimators: int = 10
    _: KW_ONLY
    kernels: Any = None
    n_landmarks: Any = "auto"
    landmarks: str = "uniform"
    alpha: Any = 1e-2
    combine: str = "mean"
    n_jobs: int | None = None
    verbose: int = 0

    def _check_params(self, table):
        super()._check_params(table)
        check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        self._count_landmarks(table)

    def _count_landmarks(self, table):
        if isinstance(self.n_landmarks, str):
            check_choice(self.n_landmarks, "n_landmarks", ("auto",))
            return min(100, table.n_rows)
        return table.count(self.n_landmarks, "n_landmarks")

    def _draw_members(self, table, rng):
        kernels = resolve_kernels(self.kernels, table, self.n_estimators, rng)
        return [{"kernel": kernel} for kernel in kernels]

    def _fit_member(self, table, rng, kernel):
        feature_map = EmpiricalKernelMap(
            kernel,
            n_landmarks=self._count_landmarks(table),
            landmarks=self.landmarks,
            random_state=rng,
        )
        return fit_ridge_member(table, feature_map, self.alpha)
