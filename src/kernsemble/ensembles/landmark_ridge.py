"""Ridge classifiers on random landmarks: the plainest ensemble on the road."""

from ..fitting.base import KernelEnsemble
from ..kernels import resolve_kernels
from ..maps import EmpiricalKernelMap
from ..maps.landmarks import LANDMARK_RULES
from ..members.ridge import fit_ridge_member
from ..targets import target_codes
from ..validation import check_choice, check_real, resolve_count

__all__ = ["LandmarkRidgeClassifier"]


class LandmarkRidgeClassifier(KernelEnsemble):
    """Ensemble of ridge classifiers, each on its own random empirical kernel map.

    A member draws a kernel and `n_landmarks` rows, maps all rows to Nyström features z(x) and
    minimises Σ (w·z(x) + b - t)² + alpha (|w|² + b²) over all target columns at once, in closed
    form. Its leave-one-out scores come from the same factorisation and calibrate the
    probabilities.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of members.
    kernels : sampler, Kernel or list of Kernel, default=None
        Where a member's kernel comes from; a list has one kernel per member and None means
        `MedianScale()`, RBF kernels around the median distance.
    n_landmarks : int or float, default=None
        Training rows spanning a member's map, or their share; None means 100, or all where there
        are fewer.
    landmarks : {"uniform", "stratified", "kmeans", "rpcholesky"}, default="uniform"
        How the landmarks are chosen.
    alpha : float, default=0.01
        Ridge strength.
    combine : {"mean", "vote", "weighted", "stacked"}, default="mean"
        How member scores become one; the last two are fitted on leave-one-out scores.
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, default=None
        Members fitted at once.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list of RidgeMember
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax that turns scores into probabilities.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import LandmarkRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = LandmarkRidgeClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_estimators=10,
        *,
        kernels=None,
        n_landmarks=None,
        landmarks="uniform",
        alpha=1e-2,
        combine="mean",
        class_weight=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.kernels = kernels
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.alpha = alpha
        self.combine = combine
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self, X):
        check_real(self.alpha, "alpha", low=0.0, open_low=True)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])

    def _draw_members(self, X, T, rng):
        kernels = resolve_kernels(self.kernels, X, self.n_estimators, rng)
        return [{"kernel": kernel} for kernel in kernels]

    def _fit_member(self, X, T, sample_weight, rng, kernel):
        n_landmarks = min(100, X.shape[0]) if self.n_landmarks is None else self.n_landmarks
        feature_map = EmpiricalKernelMap(
            kernel, n_landmarks=n_landmarks, landmarks=self.landmarks, random_state=rng
        )
        return fit_ridge_member(
            feature_map, X, T, self.alpha, sample_weight, y=target_codes(T, self._coding)
        )
