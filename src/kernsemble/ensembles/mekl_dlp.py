"""MEKL-DLP: empirical kernel learning that keeps classes together, and apart from each other."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from ..validation import check_count, check_real
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
        None means `MeanSquaredDistance()`: RBF kernels with sigma² a quarter of, one and four
        times the mean squared distance.
    n_kernels : int, default=None
        Number of kernels drawn from a sampler; None means as many as its rule has.
    alpha : float, default=1.0
        Strength of the ridge, the papers' c.
    beta : float, default=0.1
        Strength of the locality penalty.
    gamma : float, default=0.1
        Weight of the class means within it. It is reduced, with a `ConvergenceWarning`, where the
        penalty would not be positive definite and the objective without a minimum.
    n_neighbors : int, default=5
        Neighbours each row is joined to; None joins all rows of a class.
    coupling : float, default=1.0
        Strength of the agreement between the spaces, the papers' λ.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One problem per pair of classes, as in the papers, or one per class.
    algorithm : {"ho-kashyap", "newton"}, default="ho-kashyap"
        The papers' iteration, or the exact minimum by active sets.
    rho : float, default=0.99
        Step of the margins in the Ho-Kashyap iteration, between 0 and 1.
    tol : float, default=1e-3
        Ho-Kashyap stops when an iteration gains less than this share of the objective.
    max_iter : int, default=100
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None
        For samplers, which estimate distances of large data from a part of it.

    Attributes
    ----------
    estimators_ : list of MHKSMember
    kernels_ : list of Kernel
    gamma_ : float
        The smallest gamma used in any space and problem.
    objective_ : list of ndarray
        Objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (1,)
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

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
        n_neighbors=5,
        coupling=1.0,
        multi_class="ovo",
        algorithm="ho-kashyap",
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
        self.n_neighbors = n_neighbors
        self.coupling = coupling
        self.multi_class = multi_class
        self.algorithm = algorithm
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        super()._check_params(X)
        check_real(self.gamma, "gamma", low=0.0)
        if self.n_neighbors is not None:
            check_count(self.n_neighbors, "n_neighbors")

    def _fit_members(self, X, T, sample_weight, rng):
        members = super()._fit_members(X, T, sample_weight, rng)
        self.gamma_ = min(penalty.gamma for penalty in self._localities)
        del self._localities
        if self.gamma_ < self.gamma:
            warnings.warn(
                f"gamma={self.gamma} leaves the penalty indefinite and was reduced to "
                f"{self.gamma_:.3g} where it did, {self.gamma / self.gamma_:.3g} times less.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return members

    def _penalties(self, views, alpha, T, sample_weight):
        self._localities = super()._penalties(views, alpha, T, sample_weight)
        return self._localities
