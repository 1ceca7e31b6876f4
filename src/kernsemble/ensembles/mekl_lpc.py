"""MEKL-LPC: empirical kernel learning that keeps each class together."""

from ..fitting.ho_kashyap import EmpiricalKernelClassifier
from ..kernels import MeanSquaredDistance
from ..solvers.penalties import LocalityPenalty
from ..targets import target_codes
from ..validation import check_real

__all__ = ["MEKLLPCClassifier"]


class MEKLLPCClassifier(EmpiricalKernelClassifier):
    """Coupled Ho-Kashyap classifiers whose outputs vary little within a class.

    MultiK-MHKS with beta Σ_l w_lᵀ Z_lᵀ L_l Z_l w_l added to its objective, where L_l is the
    Laplacian of the graph that joins all rows of a class with the heat weights
    exp(-|z_i - z_j|² / 2s), s the mean squared distance in that space.

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
    objective_ : list of ndarray
        Objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (1,)
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

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
        check_real(self.beta, "beta", low=0.0)

    def _penalties(self, views, alpha, T, sample_weight):
        return [
            LocalityPenalty(
                Z,
                T,
                target_codes(T, self._coding),
                alpha=alpha,
                beta=self.beta,
                gamma=self.gamma,
                n_neighbors=self.n_neighbors,
                sample_weight=sample_weight,
            )
            for Z in views.arrays
        ]
