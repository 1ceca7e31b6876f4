"""RPEMEKL: MultiK-MHKS on several random sets of landmarks."""

from ..fitting.ho_kashyap import HoKashyapClassifier
from ..validation import check_choice, resolve_count
from .rpemekl_search import LANDMARK_SHARES, STRENGTHS, search_strengths

__all__ = ["RPEMEKLClassifier"]


class RPEMEKLClassifier(HoKashyapClassifier):
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
        Number of members, which the paper calls H.
    kernels : sampler, Kernel or list of Kernel, default=None
        Kernels, one for each space. None means `MeanDistance()`: the normalised linear kernel and
        RBF kernels with sigma the mean distance and a tenth of it.
    {n_kernels}
    n_landmarks : int, float or "auto", default=0.1
        Number of landmarks of a member, or their share of the training rows (give a number for many
        rows); "auto" chooses a share from 0.1 to 0.5, and at most 2,000 rows, by cross-validation.
    alpha : float or "auto", default=1.0
        Strength of the penalty, which the paper calls c; "auto" searches 2⁻⁴, …, 2⁴.
    coupling : float or "auto", default=1.0
        Strength of the agreement, which the paper calls λ; "auto" searches 2⁻⁴, …, 2⁴.
    {multi_class}
    {algorithm}
    {rho}
    {tol_objective}
    {max_iter}
    combine : {"mean", "vote"}, default="mean"
        Whether member scores are averaged, or votes counted as in the paper.
    {class_weight}
    {n_jobs}
    {verbose}
    {random_state}

    Attributes
    ----------
    estimators_ : list of MHKSMember
    kernels_ : list of Kernel
    alpha_, coupling_ : float
        The strengths used.
    n_landmarks_ : int
        The number of landmarks used.
    objective_history_ : list of ndarray
        For each member the objective after every iteration, summed over the problems.
    n_iter_ : ndarray of shape (n_estimators,)
    {fitted}

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

    _combine_rules = ("mean", "vote")
    _chooses_strengths = True
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
        algorithm="ho_kashyap",
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

    def _check_params(self, table):
        super()._check_params(table)
        if isinstance(self.n_landmarks, str):
            check_choice(self.n_landmarks, "n_landmarks", ("auto",))
        else:
            resolve_count(self.n_landmarks, "n_landmarks", table.n_rows)

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
            "n_landmarks": resolve_count(share, "n_landmarks", table.n_rows),
        }
        chosen = {f"{name}_": settings[name] for name in ("alpha", "coupling", "n_landmarks")}
        return self._fit_alike(table, rng, settings).with_attributes(**chosen)
