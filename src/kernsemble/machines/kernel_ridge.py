"""Kernel ridge classification tuned by exact leave-one-out."""

import numpy as np

from ..fitting.base import KernelEnsemble
from ..fitting.incremental import IncrementalMixin
from ..kernels import MedianGrid, resolve_kernels
from ..maps.landmarks import LANDMARK_RULES
from ..members.kernel_ridge import (
    LandmarkFeatures,
    fit_kernel_ridge_member,
    fit_landmark_member,
    landmark_member,
    landmark_sums,
)
from ..tables import Table, as_table
from ..validation import check_choice, check_real, resolve_count

__all__ = [
    "DENSE_ROWS",
    "STRENGTHS",
    "KernelRidgeClassifier",
    "resolve_grid",
    "resolve_landmarks",
    "weighted_accuracy",
]

#: Above this many rows the default is landmarks.
DENSE_ROWS = 5000
DEFAULT_LANDMARKS = 1000
#: Ridge strengths tried by "loo", those of the 121-set study.
STRENGTHS = 2.0 ** np.arange(-14, 6)


class KernelRidgeClassifier(IncrementalMixin, KernelEnsemble):
    """Kernel ridge regression of class indicators, tuned by exact leave-one-out.

    With p the class shares, f(x) = p + sum_i a_i k(x, x_i) minimises

        sum_i s_i |f(x_i) - t_i|² + alpha |f - p|²

    over one-hot targets t. One eigendecomposition per kernel gives the scores of every row by the
    model fitted without it, for all strengths at once; kernel and strength are those of least
    squared leave-one-out error, equal errors going to the larger strength.

    Parameters
    ----------
    kernel : Kernel, list of Kernel or sampler, default=None
        Candidates, of which leave-one-out chooses. None means `MedianGrid()`, Gaussian widths in
        powers of two around the median distance.
    alpha : float, array-like or "loo", default="loo"
        Ridge strength, or candidates; "loo" means 2^-14, …, 2^5.
    fit_intercept : bool, default=True
        Whether to start from the class shares; False fits the indicators themselves.
    n_landmarks : int, float or None, default=None
        Training rows spanning the features, or their share. None means all up to 5,000 rows and
        1,000 above.
    landmarks : {"uniform", "stratified", "kmeans", "rpcholesky"}, default="uniform"
        How the landmarks are chosen.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None
        For landmarks, and for the median distance of more than 4,000 rows.

    Attributes
    ----------
    kernel_ : Kernel
        The chosen kernel.
    alpha_ : float
        The chosen strength.
    loo_scores_ : ndarray of shape (n_samples, n_classes)
        Score of every training row of positive weight by the model fitted without it; of 20,000
        of them where rows come in chunks.
    loo_accuracy_ : float
        Their weighted accuracy.
    loo_losses_ : ndarray of shape (n_kernels, n_alphas)
        Mean squared leave-one-out error of each candidate.
    kernels_ : list of Kernel
        Candidates, the rows of `loo_losses_`.
    estimators_ : list of one member
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax of scores, fitted on `loo_scores_`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Leaving a row out also takes it out of the class shares, and the scores account for that.

    References
    ----------
    L. Zhang and P. N. Suganthan, "Benchmarking Ensemble Classifiers with Novel Co-Trained Kernel
    Ridge Regression and Random Vector Functional Link Ensembles", IEEE Computational Intelligence
    Magazine, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelRidgeClassifier().fit(X, y)
    >>> bool(clf.loo_accuracy_ > 0.95)
    True
    """

    _coding = "one_hot"
    _accept_chunks = True

    def __init__(
        self,
        kernel=None,
        *,
        alpha="loo",
        fit_intercept=True,
        n_landmarks=None,
        landmarks="uniform",
        class_weight=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        resolve_grid(self.alpha, "alpha", STRENGTHS)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])

    def _fit_members(self, X, T, sample_weight, rng):
        self.kernels_ = resolve_kernels(self.kernel, X, None, rng, default=MedianGrid())
        alphas = resolve_grid(self.alpha, "alpha", STRENGTHS)
        n_landmarks = resolve_landmarks(self.n_landmarks, X.shape[0])
        honest = as_table(X, T, sample_weight).honest
        if n_landmarks is None and isinstance(X, Table):
            # Few enough rows to be brought together.
            _, X, T, sample_weight, _ = X.rows(np.arange(X.shape[0]))
        if n_landmarks is None:
            found = fit_kernel_ridge_member(
                self.kernels_, alphas, X, T, sample_weight, intercept=self.fit_intercept
            )
        else:
            found = self._fit_landmarks(X, T, sample_weight, n_landmarks, alphas, rng)
        self.kernel_, self.alpha_, self.loo_losses_ = found.kernel, found.alpha, found.losses
        self._judge(found.member.honest_scores, honest)
        return [found.member]

    def _fit_landmarks(self, X, T, sample_weight, n_landmarks, alphas, rng):
        return fit_landmark_member(
            self.kernels_,
            alphas,
            X,
            T,
            sample_weight,
            intercept=self.fit_intercept,
            seed=rng.randint(np.iinfo(np.int32).max),
            n_landmarks=n_landmarks,
            landmarks=self.landmarks,
        )

    def _judge(self, scores, rows):
        self.loo_scores_ = scores
        self.loo_accuracy_ = weighted_accuracy(scores, rows.T, rows.sample_weight)

    def _begin(self, rows, rng):
        self.kernels_ = resolve_kernels(self.kernel, rows.X, None, rng, default=MedianGrid())
        alphas = resolve_grid(self.alpha, "alpha", STRENGTHS)
        # Without landmarks every later row would have to be one.
        n_landmarks = resolve_landmarks(self.n_landmarks, rows.n_rows)
        n_landmarks = n_landmarks or min(rows.n_rows, DEFAULT_LANDMARKS)
        found = self._fit_landmarks(rows.X, rows.T, rows.sample_weight, n_landmarks, alphas, rng)
        self.kernel_, self.alpha_, self.loo_losses_ = found.kernel, found.alpha, found.losses
        self._map = found.member.feature_map

    def _sum_rows(self, rows):
        return landmark_sums(rows, self._map)

    def _solve_sums(self, rows):
        moments, sums = self._sums
        features = LandmarkFeatures(self._map, self.fit_intercept, sums)
        member = landmark_member(features, moments, self.alpha_, rows)
        self._judge(member.honest_scores, rows)
        return [member]


def weighted_accuracy(scores, T, sample_weight):
    """Return the weighted share of rows whose class has the largest score."""
    hits = scores.argmax(axis=1) == T.argmax(axis=1)
    return float(np.average(hits, weights=sample_weight))


def resolve_grid(value, name, grid, *, low=0.0, open_low=True):
    """Return the candidates of a strength: the grid for "loo", else the number or the numbers."""
    if isinstance(value, str):
        check_choice(value, name, ("loo",))
        return np.asarray(grid)
    values = np.atleast_1d(np.asarray(value, dtype=object))
    if values.ndim != 1 or not values.size:
        raise ValueError(f"{name} must be a number, a list of numbers or 'loo', got {value!r}.")
    return np.array([check_real(v, name, low=low, open_low=open_low) for v in values])


def resolve_landmarks(n_landmarks, n_rows):
    """Return the number of landmarks, None for a dense kernel matrix."""
    if n_landmarks is None:
        return None if n_rows <= DENSE_ROWS else DEFAULT_LANDMARKS
    return resolve_count(n_landmarks, "n_landmarks", n_rows)
