"""MEKL-DLP: empirical kernel learning that keeps classes together, and apart from each other."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from sklearn.exceptions import ConvergenceWarning

from ..fitting.kernel_method import is_auto
from ..fitting.parameters import with_parameters
from ..validation import check_count, warn_user
from .mekl_lpc import MEKLLPCClassifier


@with_parameters
class MEKLDLPClassifier(MEKLLPCClassifier):
    """Coupled Ho-Kashyap classifiers with discriminative locality.

    MultiK-MHKS with beta Σ_l w_lᵀ (Z_lᵀ L_l Z_l - gamma M_lᵀ H_l M_l) w_l added to its objective.
    L_l is the Laplacian of the graph that joins each row to its nearest neighbours in its own
    class, H_l that of the graph of the class means M_l; both have the heat weights
    exp(-|z_i - z_j|² / 2s), s the mean squared distance in that space. Neighbours of one class
    get close outputs, class means distant ones.

    Parameters
    ----------
    gamma : float or "auto"
        Weight of the class means within the locality penalty. It is reduced, with a
        `ConvergenceWarning`, when the penalty would not be positive definite and the objective
        without a minimum. "auto" compares none, half and nine tenths of the largest weight by the
        log-loss of held-out rows. Published: 0.1.
    n_neighbors : int
        Number of neighbours that each row is joined to; None joins all rows of a class.

    Attributes
    ----------
    coupling_ : float
        The coupling used.
    beta_, gamma_ : float
        The smallest beta and gamma used in any space and problem.
    {honest}
    {ho_kashyap}

    Notes
    -----
    The update of the paper's Eq. (15) is used with the weight 1 + coupling (m - 1) / m, which is
    what its objective gives; b is at its best max(0, t f - 1), not t f - 1 (Eq. 16). The paper
    leaves the width of the heat weights open and does not notice that its penalty is indefinite
    for large gamma, inside its own grid.

    References
    ----------
    Multiple empirical kernel learning with discriminant locality preservation: MEKL-DLP.
    """

    kernels: Any = "auto"
    _: KW_ONLY
    gamma: Any = "auto"
    n_neighbors: int | None = 5

    _locality_names = ("beta", "gamma")
    _paper: ClassVar[dict[str, Any]] = {**MEKLLPCClassifier._paper, "gamma": 0.1}

    def _check_params(self, table):
        super()._check_params(table)
        if self.n_neighbors is not None:
            check_count(self.n_neighbors, "n_neighbors")

    def _fit_alike(self, table, rng, settings):
        found = super()._fit_alike(table, rng, settings)
        (member,) = found.members
        if not is_auto(self.gamma) and member.gamma < self.gamma:
            warn_user(
                f"gamma={self.gamma} was reduced to {member.gamma:.3g} to keep the penalty "
                "positive definite.",
                ConvergenceWarning,
            )
        return found.with_attributes(gamma_=member.gamma)
