"""Ridge classifiers on random landmarks: the plainest ensemble."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from ..fitting.found import Found
from ..fitting.kernel_method import KernelMethod
from ..fitting.parameters import with_parameters
from ..kernels import RBF, resolve_kernels
from ..kernels.samplers import spread_uniform
from ..maps.landmarks import LANDMARK_RULES
from ..members.kernel_ridge import fit_landmark_member
from ..members.kernel_width import find_gamma
from ..seeds import draw_seed
from ..strengths import STRENGTHS
from ..validation import check_choice, resolve_grid

#: Number of landmarks by default.
DEFAULT_LANDMARKS = 200


@with_parameters
class LandmarkRidgeClassifier(KernelMethod):
    """Ensemble of ridge classifiers, each on its own random empirical kernel map.

    A member draws a kernel and `n_landmarks` rows, maps all rows to Nyström features z(x) and
    minimises Σ (w·z(x) + p - t)² + alpha |w|² over all target columns t at once, in closed form,
    where p are the class shares. Its leave-one-out scores come from the same factorisation; they
    choose the strength and calibrate the probabilities.

    Parameters
    ----------
    kernels : sampler, Kernel or list of Kernel
        Where the kernel of a member comes from; a list has one kernel per member. None means RBF
        kernels within a factor of two of the gamma of least leave-one-out error of a kernel ridge,
        and with `preset="paper"` `MedianScale()`, RBF kernels around the median distance.
    n_landmarks : int, float, "auto" or None
        Number of training rows that span the map of a member, or their share; None means all rows,
        and "auto" means 200 rows, or all where there are fewer.
    alpha : float, array-like or "auto"
        Ridge strength, or candidates of which every member chooses by leave-one-out; "auto" means
        2^-14, …, 2^5, which costs a third more than one strength, and with `preset="paper"` 0.01.
    combine : {"mean", "vote", "weighted", "stacked"}
        How member scores become one; the last two are fitted on honest scores.

    Attributes
    ----------
    estimators_ : list of RidgeMember
    alphas_ : list of float
        The strength of each member.
    {honest}
    {fitted}
    """

    n_estimators: int = 10
    _: KW_ONLY
    kernels: Any = None
    n_landmarks: Any = "auto"
    landmarks: str = "uniform"
    alpha: Any = "auto"
    combine: str = "mean"
    n_jobs: int | None = None
    verbose: int = 0

    _coding = "one_hot"
    _stacks_scores = True
    _paper: ClassVar[dict[str, Any]] = {**KernelMethod._paper, "alpha": 0.01}

    def _check_params(self, table):
        super()._check_params(table)
        resolve_grid(self.alpha, "alpha", STRENGTHS)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        self._count_landmarks(table)

    def _count_landmarks(self, table):
        if isinstance(self.n_landmarks, str):
            check_choice(self.n_landmarks, "n_landmarks", ("auto",))
            return min(DEFAULT_LANDMARKS, table.n_rows)
        return table.count(self.n_landmarks, "n_landmarks")

    def _draw_members(self, table, rng):
        if self.kernels is None and self.preset == "auto":
            gamma = find_gamma(table, rng)
            exponents = spread_uniform(-1.0, 1.0, self.n_estimators, rng)
            return [{"kernel": RBF(float(gamma * 2.0**exponent))} for exponent in exponents]
        kernels = resolve_kernels(self.kernels, table, self.n_estimators, rng)
        return [{"kernel": kernel} for kernel in kernels]

    def _fit_members(self, table, rng):
        found = self._fit_each(table, rng)
        members = [search.member for search in found]
        return Found(members, {"alphas_": [search.alpha for search in found]})

    def _fit_member(self, table, rng, kernel):
        return fit_landmark_member(
            table,
            [kernel],
            resolve_grid(self.alpha, "alpha", STRENGTHS),
            seed=draw_seed(rng),
            n_landmarks=self._count_landmarks(table),
            landmarks=self.landmarks,
        )
