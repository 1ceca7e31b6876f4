"""What the Ho-Kashyap methods share: kernels → empirical maps → one coupled problem."""

from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..calibration import HonestScores
from ..combine import Mean, Vote
from ..kernels import KernelSampler, MeanDistance, MedianGrid, resolve_kernels
from ..members.mhks import fit_mhks_member
from ..members.mhks_search import ALPHAS, COUPLINGS, Chosen, choose_spaces
from ..tables.draws import calibration_rows
from ..validation import check_choice, check_count, check_folds, check_real, resolve_grid, warn_user
from .found import Found
from .kernel_method import KernelMethod, is_auto
from .parameters import with_parameters

#: Candidates of the spaces: widths in powers of two around the median distance.
FAMILIES = (MedianGrid("rbf"), MedianGrid("laplacian"), MedianGrid("cauchy"))
#: Number of iterations that most problems need at least, with two products each.
LEAST_ITERATIONS = 20


@with_parameters
class HoKashyapLearner(KernelMethod):
    """Base of the classifiers that learn in several empirical kernel spaces at once.

    A subclass stores its parameters, names its default kernels and, when a ridge is not enough,
    says how coefficients are penalised. See `kernsemble.solvers.mhks.solve_mhks` for the problem.

    Parameters
    ----------
    kernels : "auto", sampler, Kernel or list of Kernel
        Kernels, one for each space. "auto" means one each of the kinds Gaussian, Laplacian and
        Cauchy, with the width of least leave-one-out error.
    alpha : float or "auto"
        Strength of the penalty, which the papers call c; "auto" means for every space the strength
        of least leave-one-out error of the ridge that the method is with margins at zero, on at
        most 300 rows. Published: 1.
    coupling : float or "auto"
        Strength of the agreement between the spaces, which the papers call λ; "auto" is found as
        `alpha` is. Published: 1.
    multi_class : {"auto", "ovo", "ovr"}
        Whether there is one problem per pair of classes, as in the papers, or one per class against
        the rest, which "auto" means: its problems share their factors and its scores their scale.
    algorithm : {"ho_kashyap", "newton"}
        Whether to run the iteration of the papers, or to find the exact minimum by active sets.
    rho : float
        Step of the margins in the Ho-Kashyap iteration, between 0 and 1.
    tol : float
        Ho-Kashyap stops when an iteration lowers the objective by less than this share of it, or of
        `tol` times its first value, which data without errors reach.
    max_iter : int or "auto"
        Largest number of iterations; "auto" means 1,000, which strongly coupled spaces may need,
        and with `preset="paper"` 100.
    calibration_folds : int
        Number of parts of the training rows that are left out in turn to get honest scores, in the
        eigenbasis of the fit; 0 means that there are none.
    """

    _: KW_ONLY
    alpha: Any = "auto"
    multi_class: str = "auto"
    algorithm: str = "ho_kashyap"
    rho: float = 0.99
    tol: float = 1e-3
    max_iter: Any = "auto"
    calibration_folds: int = 5

    kernels = cast(Any, "auto")
    n_kernels = cast(Any, None)
    coupling = cast(Any, 0.0)
    _auto: ClassVar[dict[str, Any]] = {"max_iter": 1000}
    _paper: ClassVar[dict[str, Any]] = {
        **KernelMethod._paper,
        "alpha": 1.0,
        "multi_class": "ovo",
        "max_iter": 100,
    }
    #: What None means, the kernels of the paper.
    _published_kernels: ClassVar[KernelSampler] = MeanDistance()
    #: Where the candidates of every space come from.
    _families: ClassVar[tuple[KernelSampler, ...]] = FAMILIES
    #: Whether strengths may be candidates of which cross-validation chooses.
    _takes_candidates = False

    @property
    def _coding(self):
        return "ovo" if self.multi_class == "ovo" else "signed"

    def _check_params(self, table):
        super()._check_params(table)
        for name in ("alpha", "coupling"):
            value = getattr(self, name)
            if self._takes_candidates:
                resolve_grid(value, name, ALPHAS, open_low=name == "alpha")
            elif isinstance(value, str):
                check_choice(value, name, ("auto",))
            else:
                check_real(value, name, low=0.0, open_low=name == "alpha")
        check_choice(self.multi_class, "multi_class", ("auto", "ovo", "ovr"))
        check_choice(self.algorithm, "algorithm", ("ho_kashyap", "newton"))
        check_real(self.rho, "rho", low=0.0, high=1.0, open_low=True, open_high=True)
        check_real(self.tol, "tol", low=0.0)
        if not is_auto(self.max_iter):
            check_count(self.max_iter, "max_iter")
        check_folds(self.calibration_folds, "calibration_folds")

    def _gram_values(self, table):
        # The Gram matrix of the landmarks and its eigenvectors.
        return 2 * self._count_landmarks(table) ** 2

    def _class_work(self, table):
        problems = self._count_columns(table) * self.n_estimators * (1 + self._n_folds(table))
        products = 2 * LEAST_ITERATIONS * (self.n_kernels or len(self._families))
        return float(problems) * products * table.n_rows * self._count_landmarks(table)

    def _count_landmarks(self, table):
        """Return the number of training rows that span a space: all."""
        return table.n_rows

    def _n_folds(self, table):
        """Return the number of folds: none if every row has a class of its own."""
        return self.calibration_folds if table.n_copies > table.n_classes else 0

    def _resolve_kernels(self, table, rng):
        """Return the kernels that were given, or None if they are to be found."""
        if is_auto(self.kernels):
            return None
        return resolve_kernels(
            self.kernels, table, self.n_kernels, rng, default=self._published_kernels
        )

    def _choose(self, table, rng, kernels):
        """Return the kernels, strengths and coupling: those given, or those of least error."""
        given = kernels is not None and not is_auto(self.alpha) and not is_auto(self.coupling)
        if given or (kernels and len(kernels) == 1 and not is_auto(self.alpha)):
            coupling = 0.0 if is_auto(self.coupling) else self.coupling
            return Chosen(kernels, [self.alpha] * len(kernels), coupling)
        if kernels is None:
            families = self._families[: check_available_families(self.n_kernels, self._families)]
            candidates = [family.sample(table, family.n_default, rng) for family in families]
        else:
            candidates = [[kernel] for kernel in kernels]
        alphas = ALPHAS if is_auto(self.alpha) else np.array([float(self.alpha)])
        couplings = COUPLINGS if is_auto(self.coupling) else np.array([float(self.coupling)])
        return choose_spaces(table, candidates, alphas, couplings, rng)

    def _fit_members(self, table, rng):
        chosen = self._choose(table, rng, self._resolve_kernels(table, rng))
        return self._fit_alike(table, rng, {**chosen._asdict(), "n_landmarks": None})

    def _fit_alike(self, table, rng, settings):
        """Fit all members with the same settings."""
        members = self._fit_each(table, rng, [settings] * self.n_estimators)
        if not all(member.converged for member in members):
            warn_user(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} iterations; "
                "raise max_iter or tol.",
                ConvergenceWarning,
            )
        attributes = {
            "kernels_": settings["kernels"],
            "alphas_": settings["alphas"],
            "objective_history_": [member.objective for member in members],
            "n_iter_": np.array([member.n_iter for member in members]),
        }
        combination = Vote() if self.combine == "vote" else Mean()
        honest = None
        if self._n_folds(table):
            numbers = calibration_rows(table.n_rows)
            scores = combination(np.stack([m.decode(m.honest_scores) for m in members]))
            honest = HonestScores.of(scores, table.rows(numbers), numbers)
        return Found(members, attributes, honest, combination)

    def _fit_member(self, table, rng, kernels, alphas, coupling, n_landmarks, **locality):
        return fit_mhks_member(
            table,
            kernels,
            partial(self._penalties, alphas=alphas, **locality),
            coding=self._coding,
            n_landmarks=n_landmarks,
            rng=rng,
            n_folds=self._n_folds(table),
            **self._solver(coupling),
        )

    def _solver(self, coupling):
        """Return the options of `solve_mhks`."""
        return {
            "coupling": coupling,
            "algorithm": self.algorithm,
            "rho": self.rho,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }

    def _penalties(self, problem, table, alphas):
        """Return the penalty of each space, as `solve_mhks` takes them."""
        return alphas

    def _why_not_honest(self):
        return "calibration_folds is 0, or every row has a class of its own"


def check_available_families(n_kernels, families):
    """Return the number of spaces whose kernels are found from the data."""
    if n_kernels is None:
        return len(families)
    if check_count(n_kernels, "n_kernels") > len(families):
        raise ValueError(
            f"n_kernels must be at most {len(families)} with kernels='auto', got {n_kernels}; give "
            "a sampler or a list as kernels."
        )
    return n_kernels
