"""MEKL-LPC: empirical kernel learning that keeps each class together."""

from ..fitting.ho_kashyap import HoKashyapClassifier
from ..kernels import MeanSquaredDistance
from ..solvers.penalties import LocalityPenalty
from ..validation import check_real

__all__ = ["MEKLLPCClassifier"]


class MEKLLPCClassifier(HoKashyapClassifier):
    """Coupled Ho-Kashyap classifiers whose outputs vary little within a class.

    MultiK-MHKS with beta Σ_l w_lᵀ Z_lᵀ L_l Z_l w_l added to its objective, where L_l is the
    Laplacian of the graph that joins all rows of a class with the heat weights
    exp(-|z_i - z_j|² / 2s), s the mean squared distance in that space.

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
    coupling : float, default=1.0
        Strength of the agreement between the spaces, which the papers call λ.
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
    objective_history_ : list of ndarray
        Objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (1,)
    {fitted}

    References
    ----------
    Q. Fan, D. Gao and Z. Wang (2016). Multiple empirical kernel learning with locality preserving
    constraint. Knowledge-Based Systems 105, 107-118.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import MEKLLPCClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> MEKLLPCClassifier().fit(X, y).score(X, y) > 0.95
    True
    """

    #: Weight of the class means and neighbours of a row: no means, and all rows of the class.
    gamma: float = 0.0
    n_neighbors: int | None = None
    _default_kernels = MeanSquaredDistance()

    def __init__(
        self,
        kernels=None,
        *,
        n_kernels=None,
        alpha=1.0,
        beta=0.1,
        coupling=1.0,
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
        self.coupling = coupling
        self.multi_class = multi_class
        self.algorithm = algorithm
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, table):
        super()._check_params(table)
        check_real(self.beta, "beta", low=0.0)

    def _penalties(self, problem, table, alpha):
        rows, mapped = table.all, problem.held
        return [
            LocalityPenalty(
                Z,
                mapped.T,
                rows.codes,
                alpha=alpha,
                beta=self.beta,
                gamma=self.gamma,
                n_neighbors=self.n_neighbors,
                sample_weight=rows.sample_weight,
            )
            for Z in mapped.spaces.arrays
        ]
