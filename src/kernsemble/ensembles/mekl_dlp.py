"""MEKL-DLP: empirical kernel learning that keeps classes together, and apart from each other."""

from sklearn.exceptions import ConvergenceWarning

from ..validation import check_count, check_real, warn_user
from .mekl_lpc import MEKLLPCClassifier

__all__ = ["MEKLDLPClassifier"]


class MEKLDLPClassifier(MEKLLPCClassifier):
    """Coupled Ho-Kashyap classifiers with discriminative locality.

    MultiK-MHKS with beta Σ_l w_lᵀ (Z_lᵀ L_l Z_l - gamma M_lᵀ H_l M_l) w_l added to its objective.
    L_l is the Laplacian of the graph that joins each row to its nearest neighbours in its own
    class, H_l that of the graph of the class means M_l; both have the heat weights
    exp(-|z_i - z_j|² / 2s), s the mean squared distance in that space. Neighbours of one class
    get close outputs, class means distant ones.

    Parameters
    ----------
    kernels : sampler, Kernel or list of Kernel, default=None
        Kernels, one for each space. None means `MeanSquaredDistance()`: RBF kernels with sigma² a
        quarter of, one and four times the mean squared distance.
    {n_kernels}
    alpha : float, default=1.0
        Strength of the penalty, which the papers call c.
    beta : float, default=0.1
        Strength of the locality penalty.
    gamma : float, default=0.1
        Weight of the class means within the locality penalty. It is reduced, with a
        `ConvergenceWarning`, when the penalty would not be positive definite and the objective
        without a minimum.
    coupling : float, default=1.0
        Strength of the agreement between the spaces, which the papers call λ.
    n_neighbors : int, default=5
        Number of neighbours that each row is joined to; None joins all rows of a class.
    {multi_class}
    {algorithm}
    {rho}
    {tol_objective}
    {max_iter}
    {class_weight}
    {random_state}

    Attributes
    ----------
    estimators_ : list of MHKSMember
    kernels_ : list of Kernel
    gamma_ : float
        The smallest gamma used in any space and problem.
    objective_history_ : list of ndarray
        Objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (1,)
    {fitted}

    Notes
    -----
    The update of the paper's Eq. (15) is used with the weight 1 + coupling (m - 1) / m, which is
    what its objective gives; b is at its best max(0, t f - 1), not t f - 1 (Eq. 16). The paper
    leaves the width of the heat weights open and does not notice that its penalty is indefinite
    for large gamma, inside its own grid.

    References
    ----------
    Multiple empirical kernel learning with discriminant locality preservation: MEKL-DLP.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MEKLDLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> MEKLDLPClassifier().fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        alpha=1.0,
        beta=0.1,
        gamma=0.1,
        coupling=1.0,
        n_neighbors=5,
        multi_class="ovo",
        algorithm="ho_kashyap",
        rho=0.99,
        tol=1e-3,
        max_iter=100,
        class_weight=None,
        random_state=None,
    ):
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.coupling = coupling
        self.n_neighbors = n_neighbors
        self.multi_class = multi_class
        self.algorithm = algorithm
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, table):
        super()._check_params(table)
        check_real(self.gamma, "gamma", low=0.0)
        if self.n_neighbors is not None:
            check_count(self.n_neighbors, "n_neighbors")

    def _fit_members(self, table, rng):
        found = super()._fit_members(table, rng)
        gamma = min(member.gamma for member in found.members)
        if gamma < self.gamma:
            warn_user(
                f"gamma={self.gamma} was reduced to {gamma:.3g} to keep the penalty positive "
                "definite.",
                ConvergenceWarning,
            )
        return found.with_attributes(gamma_=gamma)
