"""Co-trained kernel ridge regression."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.base import clone

from ..calibration import HonestScores
from ..combine import Largest, Mean
from ..fitting.found import Found
from ..fitting.inputs import read_new
from ..fitting.kernel_method import KernelMethod, is_auto
from ..fitting.parameters import with_parameters
from ..fitting.progress import reporting, with_callbacks
from ..kernels import Kernel, KernelSampler, resolve_kernels
from ..machines.kernel_ridge import default_widths, resolve_landmarks
from ..maps.landmarks import LANDMARK_RULES
from ..maps.views import ProjectedView, TransformedView, UnchangedView
from ..members.co_ridge import ViewKernels, combine_views, fit_co_ridge_members
from ..seeds import draw_seed
from ..strengths import STRENGTHS
from ..targets import decode_scores
from ..validation import check_choice, check_count, resolve_grid


@with_parameters
class CoKRRClassifier(KernelMethod):
    """Kernel ridge classifiers on several views of the rows, trained to agree.

    The outputs f_v of M views on one-hot targets T minimise

        sum_v |T - f_v|² + alpha_v |f_v|² + coupling · sum_v |f_v - mean of the views|²

    in closed form, with one linear solve more than the views need apart. Kernel and strength of a
    view are tuned by its own exact leave-one-out error, the coupling by that of all views together.
    With the defaults, the searches go from a few candidates to better neighbours, and cost about
    four times as much as a fit with given parameters.

    Parameters
    ----------
    n_views : int
        Number of views made by `views="projection"`; a list of views has its own length.
    views : "projection" or list
        "projection" means the rows X, and X W with W of size d × 2d, standard normal, for every
        further view. In a list, "inputs" is a view of X, "projection" of X W and "both" of X and
        X W side by side; a kernel, a list of kernels or a sampler is a view of X with that kernel,
        and a transformer is a view through its output. A tuple (name or transformer, kernels) says
        both.
    kernels : Kernel, list of Kernel or sampler
        Candidates of the views that name none; None means those of `KernelRidgeClassifier`, all of
        which are compared where `alpha` is given or with `preset="paper"`.
    n_landmarks : int, float, "auto" or None
        Number of training rows that span the features of a view, or their share; None means all
        rows, and "auto" means all up to 5,000 rows and 1,000 above.
    coupling : float, array-like or "auto"
        Strength of the agreement between the views, or candidates; "auto" means 0 and the paper's
        C₂ = 2^-14, …, 2^5 times 2 `n_views`.
    fit_intercept : bool
        Whether to start from the class shares; False fits the indicators as in the paper.
    combine : {"max", "mean"}
        Whether the largest or the mean score of the views is a class's score.

    Attributes
    ----------
    kernels_ : list of Kernel
        The chosen kernel of each view.
    alphas_ : list of float
        The chosen strength of each view.
    coupling_ : float
        The chosen coupling.
    coupling_candidates_, honest_losses_ : ndarray of shape (n_couplings,)
        The candidates, and their mean squared leave-one-out errors, NaN for those not tried.
    estimators_ : list of ViewedMember
    {honest}
    {fitted}

    Notes
    -----
    The paper's agreement term C₂ · sum_u,v |f_u - f_v|² is `coupling` = 2 M C₂. Its Eq. 31 has
    4 C₂³ where 4 C₂² is right, and one ridge for both views where the text tunes two. A row left
    out keeps its place in the agreement term, without its label.

    {zhang_suganthan_2017}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import CoKRRClassifier
    >>> from kernsemble.kernels import MedianGrid
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [MedianGrid("rbf"), MedianGrid("laplacian")]
    >>> clf = CoKRRClassifier(views=views, combine="mean").fit(X, y)
    >>> bool(clf.honest_accuracy_ > 0.95)
    True
    """

    n_views: int = 2
    _: KW_ONLY
    views: Any = "projection"
    kernels: Any = None
    n_landmarks: Any = "auto"
    landmarks: str = "uniform"
    alpha: Any = "auto"
    coupling: Any = "auto"
    fit_intercept: bool = True
    combine: str = "max"

    _coding = "one_hot"
    _combine_rules = ("max", "mean")

    @with_callbacks
    def fit(self, X, y, sample_weight=None, X_unlabelled=None):
        """Fit the views.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows with labels.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows of weight zero are left out.
        X_unlabelled : {array-like, sparse matrix} of shape (n_unlabelled, n_features), default=None
            Further rows on which the views shall agree, each of weight 1.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        table, columns = self._open_table(X, y, sample_weight)
        if X_unlabelled is not None:
            probe = self._bare()
            vars(probe).update(columns)
            X_unlabelled = read_new(probe, X_unlabelled)
        with reporting(self, X, y, self.n_estimators):
            return self._fit_table(table, columns, X_unlabelled=X_unlabelled)

    def _check_params(self, table):
        super()._check_params(table)
        check_count(self.n_views, "n_views", low=1)
        resolve_grid(self.alpha, "alpha", STRENGTHS)
        resolve_grid(self.coupling, "coupling", STRENGTHS, open_low=False)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        resolve_landmarks(self.n_landmarks, table)
        if isinstance(self.views, str):
            check_choice(self.views, "views", ("projection",))
        elif not isinstance(self.views, (list, tuple)) or not self.views:
            raise TypeError(f"views must be 'projection' or a non-empty list, got {self.views!r}.")

    def _fit_members(self, table, rng, X_unlabelled=None):
        views = self._make_views(table, rng)
        # C₂ = 0 is one of the candidates: independent views.
        grid = np.concatenate([[0.0], 2.0 * len(views) * STRENGTHS])
        couplings = resolve_grid(self.coupling, "coupling", grid, open_low=False)
        n_landmarks, options = resolve_landmarks(self.n_landmarks, table), {}
        if n_landmarks is not None:
            options = {"n_landmarks": n_landmarks, "landmarks": self.landmarks}
        found = fit_co_ridge_members(
            table,
            views,
            resolve_grid(self.alpha, "alpha", STRENGTHS),
            couplings,
            combine=self.combine,
            every_coupling=not (is_auto(self.coupling) and self.preset == "auto"),
            intercept=self.fit_intercept,
            X_unlabelled=X_unlabelled,
            seed=draw_seed(rng),
            **options,
        )
        scores = combine_views([member.honest_scores for member in found.members], self.combine)
        scores = decode_scores(scores, table.n_classes, self._coding)
        attributes = {
            "kernels_": found.kernels,
            "alphas_": found.alphas,
            "coupling_": found.coupling,
            "coupling_candidates_": couplings,
            "honest_losses_": found.losses,
        }
        return Found(
            found.members,
            attributes,
            HonestScores.of(scores, table.all, table.scored_numbers),
            Mean() if self.combine == "mean" else Largest(),
        )

    def _given_kernels(self):
        if isinstance(self.views, str):
            return [self.kernels]
        own = [view[1] if _is_pair(view) else view for view in self.views]
        return [self.kernels, *own]

    def _make_views(self, table, rng):
        """Return a list of `ViewKernels`."""
        listed = self.views
        if isinstance(listed, str):
            listed = ["inputs", *["projection"] * (self.n_views - 1)]
        sources = [self._source(view, table, rng) for view in listed]
        by_default, default = is_auto(self.alpha) and self.preset == "auto", default_widths(self)
        return [
            ViewKernels(
                view,
                resolve_kernels(kernels, table.seen_as(view), None, rng, default=default),
                every=kernels is not None or not by_default,
            )
            for view, kernels in sources
        ]

    def _source(self, view, table, rng):
        """Return the view and the kernels of an entry of `views`."""
        source, kernels = view if _is_pair(view) else (view, self.kernels)
        if isinstance(source, str):
            return _named_view(source, table.shape[1], rng), kernels
        if isinstance(source, (Kernel, KernelSampler, list, tuple)):
            return UnchangedView(), source
        if not hasattr(source, "transform"):
            raise TypeError(
                "each of views must be a name, a kernel, a list of kernels, a sampler, a "
                f"transformer or a tuple (name or transformer, kernels), got {view!r}."
            )
        rows = table.all
        return TransformedView(clone(source).fit(rows.X, rows.codes)), kernels

    def _block_scores(self, X):
        # The views are combined class by class, before two classes become one margin.
        scores = self.combination_(np.stack([member.scores(X) for member in self.estimators_]))
        return decode_scores(scores, len(self.classes_), self._coding)


def _is_pair(view):
    """Return whether an entry of `views` is a tuple (name or transformer, kernels)."""
    if not isinstance(view, tuple) or len(view) != 2:
        return False
    return isinstance(view[0], str) or hasattr(view[0], "transform")


def _named_view(name, n_inputs, rng):
    check_choice(name, "each name in views", ("inputs", "projection", "both"))
    if name == "inputs":
        return UnchangedView()
    matrix = rng.standard_normal((n_inputs, 2 * n_inputs))
    return ProjectedView(matrix if name == "projection" else np.hstack([np.eye(n_inputs), matrix]))
