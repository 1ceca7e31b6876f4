"""What the Ho-Kashyap methods share: kernels → empirical maps → one coupled problem."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..kernels import KernelSampler, MeanDistance, resolve_kernels
from ..members.mhks import fit_mhks_member
from ..validation import check_choice, check_count, check_real
from .base import KernelEnsemble

__all__ = ["EmpiricalKernelClassifier"]

MULTI_CLASS = ("ovo", "ovr")


class EmpiricalKernelClassifier(KernelEnsemble):
    """Base of the classifiers that learn in several empirical kernel spaces at once.

    A subclass stores its parameters, names its default kernels and, when a ridge is not enough,
    says how coefficients are penalised. See `kernsemble.solvers.mhks.solve_mhks` for the problem.
    """

    n_kernels: int | None = None
    coupling = 0.0
    _default_kernels: KernelSampler = MeanDistance()

    @property
    def _coding(self):
        return "ovo" if self.multi_class == "ovo" else "signed"

    def _check_params(self, X):
        check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_real(self.coupling, "coupling", low=0.0)
        self._check_solver_params()

    def _check_solver_params(self):
        check_choice(self.multi_class, "multi_class", MULTI_CLASS)
        check_choice(self.algorithm, "algorithm", ("ho-kashyap", "newton"))
        check_real(self.rho, "rho", low=0.0, high=1.0, open_low=True, open_high=True)
        check_real(self.tol, "tol", low=0.0)
        check_count(self.max_iter, "max_iter")

    def _resolve_kernels(self, X, rng):
        return resolve_kernels(self.kernels, X, self.n_kernels, rng, default=self._default_kernels)

    def _draw_members(self, X, T, rng):
        return [{"kernels": self._resolve_kernels(X, rng)}] * self.n_estimators

    def _fit_members(self, X, T, sample_weight, rng):
        members = super()._fit_members(X, T, sample_weight, rng)
        self.kernels_ = members[0].kernels
        self.objective_ = [member.objective for member in members]
        self.n_iter_ = np.array([member.n_iter for member in members])
        if not all(member.converged for member in members):
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} iterations; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return members

    def _fit_member(self, X, T, sample_weight, rng, kernels):
        alpha, coupling = self._strengths()
        return fit_mhks_member(
            kernels,
            X,
            T,
            lambda views: self._penalties(views, alpha, T, sample_weight),
            n_landmarks=self._landmark_count(X),
            sample_weight=sample_weight,
            rng=rng,
            coupling=coupling,
            algorithm=self.algorithm,
            rho=self.rho,
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def _strengths(self):
        """Return alpha and coupling."""
        return self.alpha, self.coupling

    def _landmark_count(self, X):
        """None: every row spans the maps."""
        return None

    def _penalties(self, views, alpha, T, sample_weight):
        """Return the penalty of each view, as `solve_mhks` takes them."""
        return [alpha] * len(views.ranks)
