"""Co-trained kernel ridge regression."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import validate_data

from ..fitting.base import KernelEnsemble
from ..kernels import Kernel, KernelSampler, MedianGrid, resolve_kernels
from ..machines.kernel_ridge import STRENGTHS, resolve_grid, resolve_landmarks, weighted_accuracy
from ..maps.landmarks import LANDMARK_RULES
from ..members.co_ridge import View, combine_views, fit_co_ridge_members
from ..targets import decode_scores
from ..validation import check_choice, check_count, resolve_count

__all__ = ["CoKRRClassifier"]


class CoKRRClassifier(KernelEnsemble):
    """Kernel ridge classifiers on several views of the rows, trained to agree.

    The outputs f_v of M views on one-hot targets T minimise

        sum_v |T - f_v|² + alpha_v |f_v|² + coupling · sum_v |f_v - mean of the views|²

    in closed form, with one linear solve more than the views need apart. Kernel and strength of a
    view are tuned by its own exact leave-one-out error, the coupling by that of all views together.

    Parameters
    ----------
    n_views : int, default=2
        Number of views made by `views="projection"`; a list has its own length.
    views : "projection" or list, default="projection"
        "projection": the rows X, then X W with W of size d × 2d, standard normal, for every
        further view. In a list, a kernel, a list of kernels or a sampler is a view of X, a
        transformer is a view through its output, and a tuple (transformer, kernel) is both.
    kernel : Kernel, list of Kernel or sampler, default=None
        Candidates of the views that name none; None means `MedianGrid()`.
    alpha : float, array-like or "loo", default="loo"
        Ridge strength, or candidates; "loo" means 2^-14, …, 2^5.
    coupling : float, array-like or "loo", default="loo"
        Strength of agreement, or candidates; "loo" means 0 and the paper's C₂ = 2^-14, …, 2^5
        times 2 `n_views`.
    combine : {"max", "avg"}, default="max"
        Whether the largest or the mean score of the views is a class's score.
    fit_intercept : bool, default=True
        Whether to start from the class shares; False fits the indicators as in the paper.
    n_landmarks : int, float or None, default=None
        Training rows spanning the features of a view, or their share. None means all up to 5,000
        rows and 1,000 above.
    landmarks : {"uniform", "stratified", "kmeans", "rpcholesky"}, default="uniform"
        How the landmarks are chosen.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    coupling_ : float
        The chosen coupling.
    couplings_, coupling_losses_ : ndarray of shape (n_couplings,)
        Candidates and their mean squared leave-one-out error.
    kernels_ : list of Kernel
        The chosen kernel of each view.
    alphas_ : list of float
        The chosen strength of each view.
    loo_scores_ : ndarray of shape (n_samples, n_classes)
        Combined scores of the training rows of positive weight by views that did not see their
        labels.
    loo_accuracy_ : float
    estimators_ : list of ViewMember
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax of scores, fitted on `loo_scores_`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The paper's agreement term C₂ · sum_u,v |f_u - f_v|² is `coupling` = 2 M C₂. Its Eq. 31 has
    4 C₂³ where 4 C₂² is right, and one ridge for both views where the text tunes two. A row left
    out keeps its place in the agreement term, without its label.

    References
    ----------
    L. Zhang and P. N. Suganthan, "Benchmarking Ensemble Classifiers with Novel Co-Trained Kernel
    Ridge Regression and Random Vector Functional Link Ensembles", IEEE Computational Intelligence
    Magazine, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import CoKRRClassifier
    >>> from kernsemble.kernels import MedianGrid
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [MedianGrid("rbf"), MedianGrid("laplacian")]
    >>> clf = CoKRRClassifier(views=views, combine="avg").fit(X, y)
    >>> bool(clf.loo_accuracy_ > 0.95)
    True
    """

    _coding = "one_hot"

    def __init__(
        self,
        n_views=2,
        *,
        views="projection",
        kernel=None,
        alpha="loo",
        coupling="loo",
        combine="max",
        fit_intercept=True,
        n_landmarks=None,
        landmarks="uniform",
        class_weight=None,
        random_state=None,
    ):
        self.n_views = n_views
        self.views = views
        self.kernel = kernel
        self.alpha = alpha
        self.coupling = coupling
        self.combine = combine
        self.fit_intercept = fit_intercept
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, X_unlabelled=None):
        """Fit the views.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Rows of weight zero are left out.
        X_unlabelled : {array-like, sparse matrix} of shape (n_unlabelled, n_features), default=None
            Further rows on which the views shall agree, each of weight 1.

        Returns
        -------
        self
        """
        self._unlabelled = X_unlabelled
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._unlabelled

    def _check_base_params(self):
        check_choice(self.combine, "combine", ("max", "avg"))

    def _check_params(self, X):
        check_count(self.n_views, "n_views", low=1)
        resolve_grid(self.alpha, "alpha", STRENGTHS)
        resolve_grid(self.coupling, "coupling", STRENGTHS, open_low=False)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        if isinstance(self.views, str):
            check_choice(self.views, "views", ("projection",))
        elif not isinstance(self.views, (list, tuple)) or not self.views:
            raise TypeError(f"views must be 'projection' or a non-empty list, got {self.views!r}.")

    def _fit_members(self, X, T, sample_weight, rng):
        views = self._make_views(X, T, rng)
        # C2 = 0 is a member of the grid: independent views are one of the candidates.
        grid = np.concatenate([[0.0], 2.0 * len(views) * STRENGTHS])
        self.couplings_ = resolve_grid(self.coupling, "coupling", grid, open_low=False)
        n_landmarks, options = resolve_landmarks(self.n_landmarks, X.shape[0]), {}
        if n_landmarks is not None:
            options = {"n_landmarks": n_landmarks, "landmarks": self.landmarks}
        found = fit_co_ridge_members(
            views,
            resolve_grid(self.alpha, "alpha", STRENGTHS),
            self.couplings_,
            X,
            T,
            sample_weight,
            combine=self.combine,
            intercept=self.fit_intercept,
            X_unlabelled=self._checked_unlabelled(),
            seed=rng.randint(np.iinfo(np.int32).max),
            **options,
        )
        self.coupling_, self.coupling_losses_ = found.coupling, found.losses
        self.kernels_ = [member.kernel for member in found.members]
        self.alphas_ = [member.alpha for member in found.members]
        self.loo_scores_ = combine_views([m.honest_scores for m in found.members], self.combine)
        self.loo_accuracy_ = weighted_accuracy(self.loo_scores_, T, sample_weight)
        return found.members

    def _checked_unlabelled(self):
        if self._unlabelled is None:
            return None
        return validate_data(
            self,
            self._unlabelled,
            reset=False,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
        )

    def _make_views(self, X, T, rng):
        if isinstance(self.views, str):
            d = X.shape[1]
            wide = [_Projection(rng.standard_normal((d, 2 * d))) for _ in range(self.n_views - 1)]
            sources = [(transformer, self.kernel) for transformer in (None, *wide)]
        else:
            sources = [self._source(view, X, T) for view in self.views]
        views = []
        for transformer, kernel in sources:
            rows = View(transformer, []).rows(X)
            kernels = resolve_kernels(kernel, rows, None, rng, default=MedianGrid())
            views.append(View(transformer, kernels))
        return views

    def _source(self, view, X, T):
        """Return the fitted transformer, if any, and the kernels of an entry of `views`."""
        transformer, kernel = view, self.kernel
        if isinstance(view, tuple) and len(view) == 2 and hasattr(view[0], "transform"):
            transformer, kernel = view
        elif isinstance(view, (Kernel, KernelSampler, list, tuple)):
            return None, view
        if not hasattr(transformer, "transform"):
            raise TypeError(
                "each of views must be a kernel, a list of kernels, a sampler, a transformer or a "
                f"tuple (transformer, kernel), got {view!r}."
            )
        return clone(transformer).fit(X, T.argmax(axis=1)), kernel

    def _fit_combination(self, codes, sample_weight):
        honest = decode_scores(self.loo_scores_, len(self.classes_), self._coding)
        self._fit_temperature(honest, codes, sample_weight)

    def _block_scores(self, X):
        scores = combine_views([member.scores(X) for member in self.estimators_], self.combine)
        return decode_scores(scores, len(self.classes_), self._coding)


class _Projection:
    """Rows times a matrix."""

    def __init__(self, matrix):
        self.matrix = matrix

    def transform(self, X):
        return safe_sparse_dot(X, self.matrix, dense_output=True)
