"""RPEMEKL: MultiK-MHKS on several random sets of landmarks."""

from ..fitting.ho_kashyap import EmpiricalKernelClassifier
from ..targets import target_codes
from ..validation import check_choice, check_real, resolve_count
from .rpemekl_search import LANDMARK_SHARES, STRENGTHS, search_strengths

__all__ = ["RPEMEKLClassifier"]


class RPEMEKLClassifier(EmpiricalKernelClassifier):
    """Random projection ensemble of multiple empirical kernel learners.

    A member draws `n_landmarks` training rows, maps all rows into the space of each kernel by the
    landmarks (Nyström features z_l) and, for labels t = ±1, minimises::

        Σ_l [ Σ (t f_l - 1 - b_l)² + alpha |w_l|² ] + coupling Σ_l Σ (f_l - mean f)²

    over f_l(x) = w_l·z_l(x) + w_l₀ and margins b_l ≥ 0; its score is the mean of the f_l. With the
    number of landmarks fixed, time is linear in the rows, and features that do not fit into
    scikit-learn's `working_memory` are computed block by block.

    Parameters
    ----------
    n_estimators : int, default=3
        Number of members, the paper's H.
    kernels : sampler, Kernel or list of Kernel, default=None
        None means `MeanDistance()`: the normalised linear kernel and RBF kernels with sigma the
        mean distance and a tenth of it.
    n_kernels : int, default=None
        Number of kernels drawn from a sampler; None means as many as its rule has.
    n_landmarks : int, float or "auto", default=0.1
        Landmarks of a member or their share of the training rows, the paper's p (give a number
        for many rows); "auto" chooses a share from 0.1 to 0.5, and at most 2000 rows, by
        cross-validation.
    alpha : float or "auto", default=1.0
        Strength of the penalty, the paper's c; "auto" searches 2⁻⁴, …, 2⁴.
    coupling : float or "auto", default=1.0
        Strength of the agreement, the paper's λ; "auto" searches 2⁻⁴, …, 2⁴.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One problem per pair of classes, as in the paper, or one per class.
    algorithm : {"ho-kashyap", "newton"}, default="ho-kashyap"
        The paper's iteration, or the exact minimum by active sets.
    rho : float, default=0.99
        Step of the margins in the Ho-Kashyap iteration, between 0 and 1.
    tol : float, default=1e-3
        Ho-Kashyap stops when an iteration gains less than this share of the objective.
    max_iter : int, default=100
    combine : {"mean", "vote"}, default="mean"
        How member scores become one; the paper votes.
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, default=None
        Members fitted at once.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list of MHKSMember
    kernels_ : list of Kernel
    alpha_, coupling_ : float
        The strengths used.
    n_landmarks_ : int
    objective_ : list of ndarray
        Per member, the objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (n_estimators,)
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import RPEMEKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RPEMEKLClassifier(n_landmarks=0.3, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    _accept_chunks = True

    def __init__(
        self,
        n_estimators=3,
        *,
        kernels=None,
        n_kernels=None,
        n_landmarks=0.1,
        alpha=1.0,
        coupling=1.0,
        multi_class="ovo",
        algorithm="ho-kashyap",
        rho=0.99,
        tol=1e-3,
        max_iter=100,
        combine="mean",
        class_weight=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.kernels = kernels
        self.n_kernels = n_kernels
        self.n_landmarks = n_landmarks
        self.alpha = alpha
        self.coupling = coupling
        self.multi_class = multi_class
        self.algorithm = algorithm
        self.rho = rho
        self.tol = tol
        self.max_iter = max_iter
        self.combine = combine
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self, X):
        if self.alpha != "auto":
            check_real(self.alpha, "alpha", low=0.0, open_low=True)
        if self.coupling != "auto":
            check_real(self.coupling, "coupling", low=0.0)
        if self.n_landmarks != "auto":
            resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        check_choice(self.combine, "combine", ("mean", "vote"))
        self._check_solver_params()

    def _fit_members(self, X, T, sample_weight, rng):
        found = self.alpha, self.coupling, self.n_landmarks
        if "auto" in found:
            found = search_strengths(
                X,
                T,
                None if T is None else target_codes(T, self._coding),
                sample_weight,
                self._resolve_kernels(X, rng),
                coding=self._coding,
                alphas=STRENGTHS if self.alpha == "auto" else [self.alpha],
                couplings=STRENGTHS if self.coupling == "auto" else [self.coupling],
                shares=LANDMARK_SHARES if self.n_landmarks == "auto" else [self.n_landmarks],
                rng=rng,
                options={"rho": self.rho, "tol": self.tol, "max_iter": self.max_iter},
            )
        self.alpha_, self.coupling_, share = found
        self.n_landmarks_ = resolve_count(share, "n_landmarks", X.shape[0])
        return super()._fit_members(X, T, sample_weight, rng)

    def _strengths(self):
        return self.alpha_, self.coupling_

    def _landmark_count(self, X):
        return self.n_landmarks_
