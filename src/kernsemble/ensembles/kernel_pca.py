"""The kernel-PCA ensemble: classifiers on kernel-PCA views with random kernel parameters."""

from math import ceil
from numbers import Integral
from threading import get_ident

import numpy as np
from sklearn.base import is_classifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ..calibration import share_probabilities
from ..fitting.base import KernelEnsemble
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
from ..tables import Table, as_table
from ..validation import check_choice, check_count, check_real, resolve_count

__all__ = ["KernelPCAEnsembleClassifier"]

_PAPER = {"rbf": RandomRBF(), "poly": RandomPolynomial(), "sigmoid": RandomSigmoid()}
_SCALE_FREE = {
    "rbf": MedianScale("rbf"),
    "poly": RandomPolynomial(unit_free=True),
    "sigmoid": RandomSigmoid(unit_free=True),
}
KERNEL_NAMES = ("rbf", "poly", "sigmoid", "rbf+poly", "rbf+sigmoid", "rbf*poly")
AUTO_COMPONENTS = 50


class KernelPCAEnsembleClassifier(KernelEnsemble):
    """Vote of classifiers, each on its own kernel-PCA view of the data.

    A member draws kernel parameters from the scale of the data, centres the Gram matrix, keeps its
    leading eigenvectors as coordinates and trains a classifier on them. All members share one
    matrix of distances (or inner products); only the wanted eigenpairs are computed, and no matrix
    of n_samples² numbers is kept.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of members.
    kernel : str, Kernel or sampler, default="rbf"
        "rbf", "poly", "sigmoid", "rbf+poly", "rbf+sigmoid" or "rbf*poly"; a kernel is the same for
        every member, a sampler draws one for each.
    n_components : int, float or "auto", default=10
        Coordinates of a member: a number, a share of the number of features (rounded up), or
        chosen for each member by cross-validation on its training rows.
    estimator : classifier, "nearest" or list of them, default=None
        What is trained on the coordinates: None means a CART tree, "nearest" the nearest neighbour,
        a list is dealt out to the members in turn (a multi-model ensemble). Class weights are the
        classifier's own: `DecisionTreeClassifier(class_weight="balanced")`.
    rule : {"scale-free", "paper"}, default="scale-free"
        How a named kernel draws its parameters. The paper's rules depend on the unit of the data:
        multiplied by 10 they give other members, and at a mean distance of 1 its RBF members are
        all equal. The scale-free rules draw gamma = 2^u / median², u uniform in [-2, 2], and use
        dimensionless polynomial and sigmoid parameters. Either way the draws of the members are
        spread over their range, one in each of `n_estimators` equal parts.
    combine : {"vote", "mean"}, default="vote"
        Count votes as in the paper, or average class probabilities.
    max_exact : int, default=10000
        Above so many training rows a view is spanned by landmarks: two matrices of 10,000² doubles
        take 1.6 GB. Trees are then grown on coordinates rounded to 256 quantiles each.
    n_landmarks : int or float, default=1000
        Landmarks of a view then.
    n_jobs : int, default=None
        Members fitted at once; each needs a matrix of its own beside the shared one.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    estimators_ : list of ProjectedMember
        With `feature_map` (an EmpiricalKernelMap), `n_components` and `classifier`.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str

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

    _coding = "one_hot"
    _accept_chunks = True

    def __init__(
        self,
        n_estimators=10,
        *,
        kernel="rbf",
        n_components=10,
        estimator=None,
        rule="scale-free",
        combine="vote",
        max_exact=10_000,
        n_landmarks=1000,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.kernel = kernel
        self.n_components = n_components
        self.estimator = estimator
        self.rule = rule
        self.combine = combine
        self.max_exact = max_exact
        self.n_landmarks = n_landmarks
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self, X):
        check_choice(self.combine, "combine", ("vote", "mean"))
        check_choice(self.rule, "rule", ("scale-free", "paper"))
        if not isinstance(self.kernel, (Kernel, KernelSampler)):
            check_choice(self.kernel, "kernel", KERNEL_NAMES)
        check_count(self.max_exact, "max_exact", low=0)
        if X.shape[0] > self.max_exact:
            resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
        self._count_components(X)
        self._classifiers()

    def _count_components(self, X):
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
        return ceil(share * X.shape[1] * (1.0 - 1e-12))

    def _classifiers(self):
        given = self.estimator if isinstance(self.estimator, (list, tuple)) else [self.estimator]
        if not given:
            raise ValueError("estimator must not be an empty list.")
        return [_as_classifier(estimator) for estimator in given]

    def _sampler(self):
        if not isinstance(self.kernel, str):
            return self.kernel
        rules = _PAPER if self.rule == "paper" else _SCALE_FREE
        if "+" in self.kernel:
            left, right = self.kernel.split("+")
            return rules[left] + rules[right]
        if "*" in self.kernel:
            left, right = self.kernel.split("*")
            return rules[left] * rules[right]
        return rules[self.kernel]

    def _draw_members(self, X, T, rng):
        kernels = resolve_kernels(self._sampler(), X, self.n_estimators, rng)
        classifiers = self._classifiers()
        pairs = None
        # Fresh memory is slow: each thread writes the matrices of its members into one place.
        room: dict[int, np.ndarray] = {}
        if X.shape[0] <= self.max_exact:
            # A copy of the rows, shared by the members, so that the caller's may change.
            pairs = pair_up(X.copy())
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

    def _fit_members(self, X, T, sample_weight, rng):
        if isinstance(X, Table) and X.shape[0] <= self.max_exact:
            # Few enough rows to be brought together.
            _, X, T, sample_weight, _ = X.rows(np.arange(X.shape[0]))
        return super()._fit_members(X, T, sample_weight, rng)

    def _fit_member(self, X, T, sample_weight, rng, kernel, classifier, pairs, room):
        settings = {"center": True, "n_components": self._count_components(X)}
        seed = rng.randint(np.iinfo(np.int32).max)
        learn = ProjectedFit(classifier, rng, self.n_components == "auto", coarse=pairs is None)
        if pairs is None:
            table = as_table(X, T, sample_weight)
            n_landmarks = resolve_count(self.n_landmarks, "n_landmarks", X.shape[0])
            feature_map = fit_landmark_map(kernel, table, n_landmarks, "uniform", seed, **settings)
            fit = table.gather(coordinates, feature_map, finish=learn)
        else:
            feature_map = EmpiricalKernelMap(kernel, random_state=seed, **settings)
            K = room.setdefault(get_ident(), np.empty(pairs.shape, dtype=X.dtype))
            evaluate_pairs([kernel._up_to_constant()], pairs, out=[K])
            Z = feature_map.fit_gram(pairs.X, K)
            fit = learn([(Z, T, sample_weight)])
        n_components, fitted = fit
        return ProjectedMember(feature_map, n_components, fitted, len(self.classes_))

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
