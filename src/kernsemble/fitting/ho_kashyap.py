"""What the Ho-Kashyap methods share: kernels → empirical maps → one coupled problem."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..kernels import KernelSampler, MeanDistance, resolve_kernels
from ..members.mhks import fit_mhks_member
from ..validation import check_choice, check_count, check_real, warn_user
from .found import Found
from .kernel_method import KernelMethod
from .parameters import with_parameters

MULTI_CLASS = ("ovo", "ovr")


@with_parameters
class HoKashyapLearner(KernelMethod):
    """Base of the classifiers that learn in several empirical kernel spaces at once.

    A subclass stores its parameters, names its default kernels and, when a ridge is not enough,
    says how coefficients are penalised. See `kernsemble.solvers.mhks.solve_mhks` for the problem.

    Parameters
    ----------
    kernels : sampler, Kernel or list of Kernel
        Kernels, one for each space. None means `MeanDistance()`: the normalised linear kernel and
        RBF kernels with sigma the mean distance and a tenth of it.
    alpha : float
        Strength of the penalty, which the papers call c.
    coupling : float
        Strength of the agreement between the spaces, which the papers call λ.
    algorithm : {"ho_kashyap", "newton"}
        Whether to run the iteration of the papers, or to find the exact minimum by active sets.
    rho : float
        Step of the margins in the Ho-Kashyap iteration, between 0 and 1.
    tol : float
        Ho-Kashyap stops when an iteration lowers the objective by less than this share of it.
    """

    _: KW_ONLY
    alpha: Any = 1.0
    multi_class: str = "ovo"
    algorithm: str = "ho_kashyap"
    rho: float = 0.99
    tol: float = 1e-3
    max_iter: int = 100

    kernels = cast(Any, None)
    n_kernels = cast(Any, None)
    coupling = cast(Any, 0.0)
    _default_kernels: ClassVar[KernelSampler] = MeanDistance()
    #: Whether strengths may be "auto".
    _chooses_strengths = False

    @property
    def _coding(self):
        return "ovo" if self.multi_class == "ovo" else "signed"

    def _check_params(self, table):
        super()._check_params(table)
        for name in ("alpha", "coupling"):
            value = getattr(self, name)
            if not (self._chooses_strengths and value == "auto"):
                check_real(value, name, low=0.0, open_low=name == "alpha")
        check_choice(self.multi_class, "multi_class", MULTI_CLASS)
        check_choice(self.algorithm, "algorithm", ("ho_kashyap", "newton"))
        check_real(self.rho, "rho", low=0.0, high=1.0, open_low=True, open_high=True)
        check_real(self.tol, "tol", low=0.0)
        check_count(self.max_iter, "max_iter")

    def _resolve_kernels(self, table, rng):
        return resolve_kernels(
            self.kernels, table, self.n_kernels, rng, default=self._default_kernels
        )

    def _fit_members(self, table, rng):
        settings = {
            "kernels": self._resolve_kernels(table, rng),
            "alpha": self.alpha,
            "coupling": self.coupling,
            "n_landmarks": None,
        }
        return self._fit_alike(table, rng, settings)

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
            "objective_history_": [member.objective for member in members],
            "n_iter_": np.array([member.n_iter for member in members]),
        }
        return Found(members, attributes)

    def _fit_member(self, table, rng, kernels, alpha, coupling, n_landmarks):
        return fit_mhks_member(
            table,
            kernels,
            lambda problem: self._penalties(problem, table, alpha),
            coding=self._coding,
            n_landmarks=n_landmarks,
            rng=rng,
            coupling=coupling,
            algorithm=self.algorithm,
            rho=self.rho,
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def _penalties(self, problem, table, alpha):
        """Return the penalty of each space, as `solve_mhks` takes them."""
        return [alpha] * len(problem.ranks)
