"""The kernel-PCA ensemble: classifiers on kernel-PCA views with random kernel parameters."""

from dataclasses import KW_ONLY
from math import ceil
from numbers import Integral
from threading import get_ident
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ..calibration import share_probabilities
from ..fitting.kernel_method import KernelMethod
from ..fitting.parameters import with_parameters
from ..kernels import (
    Kernel,
    KernelSampler,
    MedianScale,
    RandomPolynomial,
    RandomRBF,
    RandomSigmoid,
    resolve_kernels,
)
from ..kernels.evaluation import evaluate_pairs
from ..kernels.pairs import pair_up
from ..maps.empirical import EmpiricalKernelMap, fit_landmark_map
from ..members.projected import ProjectedFit, ProjectedMember, coordinates
from ..seeds import draw_seed
from ..validation import check_choice, check_count, check_real

_PAPER = {"rbf": RandomRBF(), "poly": RandomPolynomial(), "sigmoid": RandomSigmoid()}
_SCALE_FREE = {
    "rbf": MedianScale("rbf"),
    "poly": RandomPolynomial(unit_free=True),
    "sigmoid": RandomSigmoid(unit_free=True),
}
KERNEL_NAMES = ("rbf", "poly", "sigmoid", "rbf+poly", "rbf+sigmoid", "rbf*poly")
AUTO_COMPONENTS = 50


@with_parameters
class KernelPCAEnsembleClassifier(KernelMethod):
    """Vote of classifiers, each on its own kernel-PCA view of the data.

    A member draws kernel parameters from the scale of the data, centres the Gram matrix, keeps its
    leading eigenvectors as coordinates and trains a classifier on them. All members share one
    matrix of distances (or inner products); only the wanted eigenpairs are computed, and no matrix
    of n_samples² numbers is kept.

    Parameters
    ----------
    kernels : str, Kernel or sampler
        "rbf", "poly", "sigmoid", "rbf+poly", "rbf+sigmoid" or "rbf*poly"; a kernel is the same for
        every member, and a sampler draws one for each.
    rule : {"scale_free", "paper"}
        How a named kernel draws its parameters. The paper's rules depend on the unit of the data:
        multiplied by 10 they give other members, and at a mean distance of 1 its RBF members are
        all equal. The scale-free rules draw gamma = 2^u / median², u uniform in [-2, 2], and use
        dimensionless polynomial and sigmoid parameters. Either way the draws of the members are
        spread over their range, one in each of `n_estimators` equal parts.
    estimator : classifier, "nearest" or list of them
        What is trained on the coordinates: None means a CART tree, "nearest" the nearest neighbour,
        and a list is dealt out to the members in turn (a multi-model ensemble).
    n_components : int, float or "auto"
        Coordinates of a member: a number, a share of the number of features (rounded up), or
        "auto", chosen for each member by cross-validation on its training rows.
    n_landmarks : int or float
        Number of landmarks of a view, or their share of the rows, beyond `max_exact` rows.
    max_exact : int
        Above so many training rows a view is spanned by landmarks: two matrices of 10,000² doubles
        take 1.6 GB. Trees are then grown on coordinates rounded to 256 quantiles each.
    combine : {"vote", "mean"}
        Whether votes are counted as in the paper, or class probabilities averaged.

    Attributes
    ----------
    estimators_ : list of ProjectedMember
        Each with `feature_map` (an EmpiricalKernelMap), `n_components` and `classifier`.
    view_ : callable
        Function from rows to the scaled rows that the members see.
    {fitted_shares}

    Notes
    -----
    Against the text of the thesis: test rows are projected with the centred test kernel, the
    negative eigenvalues of sigmoid kernels, which are indefinite, are dropped, and the parameters
    of an ensemble are spread over the range from which the thesis draws them one by one.

    References
    ----------
    "Ensemble classifiers via kernel PCA", chapters 3 to 5 (the kernel-PCA ensemble thesis).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import KernelPCAEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = KernelPCAEnsembleClassifier(random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.9
    True
    """

    n_estimators: int = 10
    _: KW_ONLY
    kernels: Any = "rbf"
    rule: str = "scale_free"
    estimator: Any = None
    n_components: Any = 10
    n_landmarks: Any = 1000
    max_exact: int = 10_000
    combine: str = "vote"
    n_jobs: int | None = None
    verbose: int = 0

    _coding = "one_hot"
    _accept_chunks = True
    _combine_rules = ("vote", "mean")

    def _check_params(self, table):
        super()._check_params(table)
        check_choice(self.rule, "rule", ("scale_free", "paper"))
        if not isinstance(self.kernels, (Kernel, KernelSampler)):
            check_choice(self.kernels, "kernels", KERNEL_NAMES)
        check_count(self.max_exact, "max_exact", low=0)
        if table.n_rows > self.max_exact:
            table.count(self.n_landmarks, "n_landmarks")
        self._count_components(table)
        self._classifiers()

    def _count_components(self, table):
        """Return how many coordinates a view has before any are chosen."""
        n_components = self.n_components
        if isinstance(n_components, str):
            check_choice(n_components, "n_components", ("auto",))
            return AUTO_COMPONENTS
        if isinstance(n_components, Integral):
            return check_count(n_components, "n_components")
        share = check_real(n_components, "n_components", low=0.0, open_low=True)
        # Up, as in the thesis: its columns for 10 components and for half of 19 features are equal.
        # The last factor takes back what rounding adds to a product such as 0.1 × 30.
        return ceil(share * table.shape[1] * (1.0 - 1e-12))

    def _classifiers(self):
        given = self.estimator if isinstance(self.estimator, (list, tuple)) else [self.estimator]
        if not given:
            raise ValueError("estimator must not be an empty list.")
        return [_as_classifier(estimator) for estimator in given]

    def _sampler(self):
        if not isinstance(self.kernels, str):
            return self.kernels
        rules = _PAPER if self.rule == "paper" else _SCALE_FREE
        if "+" in self.kernels:
            left, right = self.kernels.split("+")
            return rules[left] + rules[right]
        if "*" in self.kernels:
            left, right = self.kernels.split("*")
            return rules[left] * rules[right]
        return rules[self.kernels]

    def _fit_members(self, table, rng):
        if not table.in_memory and table.n_rows <= self.max_exact:
            # Few enough rows to be brought together.
            table = table.take(np.arange(table.n_rows))
        return super()._fit_members(table, rng)

    def _draw_members(self, table, rng):
        kernels = resolve_kernels(self._sampler(), table, self.n_estimators, rng)
        classifiers = self._classifiers()
        pairs = None
        # Fresh memory is slow: each thread writes the matrices of its members into one place.
        room: dict[int, np.ndarray] = {}
        if table.n_rows <= self.max_exact:
            # A copy of the rows, shared by the members, so that the caller's may change.
            pairs = pair_up(table.all.X.copy())
            pairs.keep_for(kernels[0])
        return [
            {
                "kernel": kernel,
                "classifier": classifiers[number % len(classifiers)],
                "pairs": pairs,
                "room": room,
            }
            for number, kernel in enumerate(kernels)
        ]

    def _fit_member(self, table, rng, kernel, classifier, pairs, room):
        settings = {"center": True, "n_components": self._count_components(table)}
        seed = draw_seed(rng)
        learn = ProjectedFit(classifier, rng, self.n_components == "auto", coarse=pairs is None)
        if pairs is None:
            n_landmarks = table.count(self.n_landmarks, "n_landmarks")
            feature_map = fit_landmark_map(kernel, table, n_landmarks, "uniform", seed, **settings)
            fit = table.gather(coordinates, feature_map, finish=learn)
        else:
            rows = table.all
            feature_map = EmpiricalKernelMap(kernel, random_state=seed, **settings)
            K = room.setdefault(get_ident(), np.empty(pairs.shape, dtype=table.dtype))
            evaluate_pairs([kernel._up_to_constant()], pairs, out=[K])
            Z = feature_map.fit_gram(pairs.X, K, rows.sample_weight)
            fit = learn([(Z, rows.codes, rows.sample_weight, rows.copies)])
        n_components, fitted = fit
        return ProjectedMember(feature_map, n_components, fitted, table.n_classes)

    def _probabilities(self, scores):
        return share_probabilities(scores)


def _as_classifier(estimator):
    if estimator is None:
        return DecisionTreeClassifier()
    if isinstance(estimator, str):
        check_choice(estimator, "estimator", ("nearest",))
        return KNeighborsClassifier(1)
    if not hasattr(estimator, "fit") or not is_classifier(estimator):
        raise TypeError(
            f"estimator must be a classifier, 'nearest', None or a list of them, got {estimator!r}."
        )
    return estimator
