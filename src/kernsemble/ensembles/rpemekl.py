"""RPEMEKL: MultiK-MHKS on several random sets of landmarks."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from ..fitting.kernel_method import is_auto
from ..fitting.parameters import with_parameters
from ..members.mhks_search import Chosen, search_strengths
from ..validation import check_choice, resolve_grid
from .multik_mhks import MultiKMHKSClassifier

#: Largest number of landmarks by default.
AUTO_LANDMARKS = 500


@with_parameters
class RPEMEKLClassifier(MultiKMHKSClassifier):
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
    kernels : "auto", sampler, Kernel or list of Kernel
        Kernels, one for each space. "auto" means one each of the kinds Gaussian, Laplacian and
        Cauchy, with the width of least leave-one-out error; None the published ones,
        `MeanDistance()`: the normalised linear kernel and Gaussians with sigma the mean distance
        and a tenth of it.
    n_landmarks : int, float, list or "auto"
        Number of landmarks of a member, or their share of the training rows; "auto" means half of
        the rows, at most 500. Published: 0.1, and a list from 0.1 to 0.5.
    alpha : float, list or "auto"
        Strength of the penalty, which the paper calls c. "auto" means for every space the strength
        of least leave-one-out error of the ridge that the method is with margins at zero, on at
        most 300 rows. Of a list, such as the published 2⁻⁴, …, 2⁴, five-fold cross-validation
        chooses the strength of best accuracy. Published without tuning: 1.
    coupling : float, list or "auto"
        Strength of the agreement, which the paper calls λ, found as `alpha` is.
    combine : {"mean", "vote"}
        Whether member scores are averaged, or votes counted as in the paper.

    Attributes
    ----------
    coupling_ : float
        The coupling used.
    n_landmarks_ : int
        The number of landmarks used.
    {honest}
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
    kernels: Any = "auto"
    n_kernels: int | None = None
    n_landmarks: Any = "auto"
    coupling: Any = "auto"
    combine: str = "mean"
    n_jobs: int | None = None
    verbose: int = 0

    _combine_rules = ("mean", "vote")
    _accept_chunks = True
    _takes_candidates = True
    _paper: ClassVar[dict[str, Any]] = {**MultiKMHKSClassifier._paper, "n_landmarks": 0.1}

    def _check_params(self, table):
        super()._check_params(table)
        for count in self._landmark_candidates(table):
            table.count(count, "n_landmarks")

    def _count_landmarks(self, table):
        return min(table.count(c, "n_landmarks") for c in self._landmark_candidates(table))

    def _landmark_candidates(self, table):
        if isinstance(self.n_landmarks, str):
            check_choice(self.n_landmarks, "n_landmarks", ("auto",))
            return [min(AUTO_LANDMARKS, -(-table.n_copies // 2))]
        return self.n_landmarks if isinstance(self.n_landmarks, list) else [self.n_landmarks]

    def _fit_members(self, table, rng):
        kernels = self._resolve_kernels(table, rng)
        counts = self._landmark_candidates(table)
        if len(counts) > 1 or isinstance(self.alpha, list) or isinstance(self.coupling, list):
            chosen, count = self._search(table, rng, kernels, counts)
        else:
            chosen, count = self._choose(table, rng, kernels), counts[0]
        n_landmarks = table.count(count, "n_landmarks")
        found = self._fit_alike(table, rng, {**chosen._asdict(), "n_landmarks": n_landmarks})
        return found.with_attributes(n_landmarks_=n_landmarks)

    def _search(self, table, rng, kernels, counts):
        """Return the candidates of best cross-validated accuracy."""
        if kernels is None or is_auto(self.alpha) or is_auto(self.coupling):
            raise ValueError(
                "Lists of alpha, coupling or n_landmarks need kernels, alpha and coupling that are "
                "not 'auto'; give numbers or lists, or set preset='paper'."
            )
        alpha, coupling, count = search_strengths(
            table,
            kernels,
            coding=self._coding,
            alphas=resolve_grid(self.alpha, "alpha", ()),
            couplings=resolve_grid(self.coupling, "coupling", (), open_low=False),
            counts=counts,
            rng=rng,
            options={"rho": self.rho, "tol": self.tol, "max_iter": self.max_iter},
        )
        return Chosen(kernels, [float(alpha)] * len(kernels), float(coupling)), count
