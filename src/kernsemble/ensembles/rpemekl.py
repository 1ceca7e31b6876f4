"""RPEMEKL: MultiK-MHKS on several random sets of landmarks."""

from dataclasses import KW_ONLY
from typing import Any

from ..fitting.ho_kashyap import HoKashyapLearner
from ..fitting.parameters import with_parameters
from ..validation import check_choice
from .rpemekl_search import LANDMARK_SHARES, STRENGTHS, search_strengths


@with_parameters
class RPEMEKLClassifier(HoKashyapLearner):
    """Random projection ensemble of multiple empirical kernel learners.

    A member draws `n_landmarks` training rows, maps all rows into the space of each kernel by the
    landmarks (Nyström features z_l) and, for labels t = ±1, minimises::

        Σ_l [ Σ (t f_l - 1 - b_l)² + alpha |w_l|² ] + coupling Σ_l Σ (f_l - mean f)²

    over f_l(x) = w_l·z_l(x) + w_l₀ and margins b_l ≥ 0; its score is the mean of the f_l. With the
    number of landmarks fixed, time is linear in the rows, and features that do not fit into
    scikit-learn's `working_memory` are computed block by block.

    Parameters
    ----------
    n_estimators : int
        Number of members, which the paper calls H.
    n_landmarks : int, float or "auto"
        Number of landmarks of a member, or their share of the training rows (give a number for many
        rows); "auto" chooses a share from 0.1 to 0.5, and at most 2,000 rows, by cross-validation.
    alpha : float or "auto"
        Strength of the penalty, which the paper calls c; "auto" searches 2⁻⁴, …, 2⁴.
    coupling : float or "auto"
        Strength of the agreement, which the paper calls λ; "auto" searches 2⁻⁴, …, 2⁴.
    combine : {"mean", "vote"}
        Whether member scores are averaged, or votes counted as in the paper.

    Attributes
    ----------
    alpha_, coupling_ : float
        The strengths used.
    n_landmarks_ : int
        The number of landmarks used.
    {ho_kashyap}

    Notes
    -----
    Eq. (6) of the paper is right, Eq. (7) should read b = max(0, t f - 1). The iteration starts
    from zero rather than from unit vectors: b never decreases, so a start with large outputs
    stays. `tol` is relative to the objective, so that it means the same for any number of rows.
    Members' margins are averaged by default, which leaves no ties. The pairs of classes share
    their kernels and landmarks.

    References
    ----------
    Z. Wang, W. Jie, S. Chen and D. Gao (2013). Random projection ensemble learning with multiple
    empirical kernels. Knowledge-Based Systems 37, 388-393.
    """

    n_estimators: int = 3
    _: KW_ONLY
    kernels: Any = None
    n_kernels: int | None = None
    n_landmarks: Any = 0.1
    coupling: Any = 1.0
    combine: str = "mean"
    n_jobs: int | None = None
    verbose: int = 0

    _combine_rules = ("mean", "vote")
    _chooses_strengths = True
    _accept_chunks = True

    def _check_params(self, table):
        super()._check_params(table)
        if isinstance(self.n_landmarks, str):
            check_choice(self.n_landmarks, "n_landmarks", ("auto",))
        else:
            table.count(self.n_landmarks, "n_landmarks")

    def _fit_members(self, table, rng):
        found = self.alpha, self.coupling, self.n_landmarks
        if "auto" in found:
            found = search_strengths(
                table,
                self._resolve_kernels(table, rng),
                coding=self._coding,
                alphas=STRENGTHS if self.alpha == "auto" else [self.alpha],
                couplings=STRENGTHS if self.coupling == "auto" else [self.coupling],
                shares=LANDMARK_SHARES if self.n_landmarks == "auto" else [self.n_landmarks],
                rng=rng,
                options={"rho": self.rho, "tol": self.tol, "max_iter": self.max_iter},
            )
        alpha, coupling, share = found
        settings = {
            "kernels": self._resolve_kernels(table, rng),
            "alpha": alpha,
            "coupling": coupling,
            "n_landmarks": table.count(share, "n_landmarks"),
        }
        chosen = {f"{name}_": settings[name] for name in ("alpha", "coupling", "n_landmarks")}
        return self._fit_alike(table, rng, settings).with_attributes(**chosen)
