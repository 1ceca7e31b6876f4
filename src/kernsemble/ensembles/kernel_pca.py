"""The kernel-PCA ensemble: classifiers on kernel-PCA views with random kernel parameters."""

from dataclasses import KW_ONLY, replace
from math import ceil
from numbers import Integral
from threading import get_ident
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ..calibration import share_probabilities
from ..fitting.kernel_method import KernelMethod, is_auto
from ..fitting.parameters import with_parameters
from ..kernels import (
    RBF,
    Kernel,
    KernelSampler,
    MedianGrid,
    MedianScale,
    RandomPolynomial,
    RandomRBF,
    RandomSigmoid,
    resolve_kernels,
)
from ..kernels.evaluation import evaluate_pairs
from ..kernels.pairs import pair_up
from ..kernels.samplers import spread_uniform
from ..maps.empirical import EmpiricalKernelMap, fit_landmark_map
from ..members.coordinate_ridge import fit_ridge_to_coordinates
from ..members.kernel_ridge import fit_kernel_ridge_member
from ..members.mhks_search import ALPHAS, TUNING_ROWS, typical_part
from ..members.projected import ProjectedFit, ProjectedMember, coordinates
from ..seeds import draw_seed
from ..tables.rows import Rows
from ..validation import check_choice, check_count, check_folds, check_real

_PAPER = {"rbf": RandomRBF(), "poly": RandomPolynomial(), "sigmoid": RandomSigmoid()}
_SCALE_FREE = {
    "rbf": MedianScale("rbf"),
    "poly": RandomPolynomial(unit_free=True),
    "sigmoid": RandomSigmoid(unit_free=True),
}
KERNEL_NAMES = ("auto", "rbf", "poly", "sigmoid", "rbf+poly", "rbf+sigmoid", "rbf*poly")
AUTO_COMPONENTS = 50
#: Numbers of coordinates that leave-one-out compares, for ridges.
RIDGE_COMPONENTS = (10, 30, 100, 300)


@with_parameters
class KernelPCAEnsembleClassifier(KernelMethod):
    """Mean or vote of classifiers, each on its own kernel-PCA view of the data.

    A member draws kernel parameters from the scale of the data, centres the Gram matrix, keeps its
    leading eigenvectors as coordinates and trains a classifier on them, by default a ridge whose
    strength and number of coordinates have the least leave-one-out error. All members share one
    matrix of distances (or inner products); only the wanted eigenpairs are computed, and no matrix
    of n_samples² numbers is kept.

    Parameters
    ----------
    kernels : str, Kernel or sampler
        "auto" means Gaussians within a factor of two of the width whose kernel ridge has the least
        leave-one-out error on at most 300 rows. Other names are "rbf", "poly", "sigmoid",
        "rbf+poly", "rbf+sigmoid" and "rbf*poly"; a kernel is the same for every member, and a
        sampler draws one for each. Published: "rbf".
    rule : {"auto", "scale_free", "paper"}
        How a named kernel draws its parameters. The paper's rules depend on the unit of the data:
        multiplied by 10 they give other members, and at a mean distance of 1 its RBF members are
        all equal. The scale-free rules draw gamma = 2^u / median², u uniform in [-2, 2], and use
        dimensionless polynomial and sigmoid parameters. Either way the draws of the members are
        spread over their range, one in each of `n_estimators` equal parts. "auto" is "scale_free".
    estimator : "auto", classifier, "nearest", None or list of them
        What is trained on the coordinates: "auto" means ridge regression with honest scores in
        closed form, None a CART tree as in the paper, "nearest" the nearest neighbour,
        and a list is dealt out to the members in turn (a multi-model ensemble).
    n_components : int, float or "auto"
        Coordinates of a member: a number, a share of the number of features (rounded up), or
        "auto", chosen for each member by leave-one-out error, or by cross-validation where an
        estimator is given. Published: 10.
    n_landmarks : int or float
        Number of landmarks of a view, or their share of the rows, beyond `max_exact` rows.
    max_exact : int
        Above so many training rows a view is spanned by landmarks: two matrices of 10,000² doubles
        take 1.6 GB. Trees are then grown on coordinates rounded to 256 quantiles each.
    calibration_folds : int
        Number of parts of the training rows that are left out in turn to get the honest scores of
        a given estimator, on coordinates that do not depend on the classes; 0 means that there are
        none. A ridge has them in closed form.
    combine : {"auto", "vote", "mean"}
        Whether votes are counted as in the paper, or scores averaged, which "auto" means.

    Attributes
    ----------
    estimators_ : list of RidgeMember or ProjectedMember
        Each with `feature_map` (an EmpiricalKernelMap), and `coefs`, or `n_components` and
        `classifier` where an estimator is given.
    {honest}
    {fitted}

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
    kernels: Any = "auto"
    rule: str = "auto"
    estimator: Any = "auto"
    n_components: Any = "auto"
    n_landmarks: Any = 1000
    max_exact: int = 10_000
    calibration_folds: int = 5
    combine: str = "auto"
    n_jobs: int | None = None
    verbose: int = 0

    _coding = "one_hot"
    _stacks_scores = True
    _accept_chunks = True
    _combine_rules = ("vote", "mean")
    _auto: ClassVar[dict[str, Any]] = {"rule": "scale_free", "combine": "mean"}
    _paper: ClassVar[dict[str, Any]] = {
        **KernelMethod._paper,
        "kernels": "rbf",
        "rule": "paper",
        "estimator": None,
        "n_components": 10,
        "combine": "vote",
    }

    def _check_params(self, table):
        super()._check_params(table)
        check_choice(self.rule, "rule", ("scale_free", "paper"))
        if not isinstance(self.kernels, (Kernel, KernelSampler)):
            check_choice(self.kernels, "kernels", KERNEL_NAMES)
        check_count(self.max_exact, "max_exact", low=0)
        check_folds(self.calibration_folds, "calibration_folds")
        if table.n_rows > self.max_exact:
            table.count(self.n_landmarks, "n_landmarks")
        self._count_components(table)
        self._classifiers()

    def _count_components(self, table):
        """Return how many coordinates a view has before any are chosen."""
        n_components = self.n_components
        if isinstance(n_components, str):
            check_choice(n_components, "n_components", ("auto",))
            return RIDGE_COMPONENTS[-1] if is_auto(self.estimator) else AUTO_COMPONENTS
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
        whole = table
        if not table.in_memory and table.n_rows <= self.max_exact:
            # Few enough rows to be brought together.
            whole = table.take(np.arange(table.n_rows))
        found = super()._fit_members(whole, rng)
        if found.members[0].honest_scores is None:
            return found
        scored = table.scored_numbers
        members = [replace(m, honest_scores=m.honest_scores[scored]) for m in found.members]
        return found._replace(members=members)

    def _draw_kernels(self, table, rng):
        if not is_auto(self.kernels):
            return resolve_kernels(self._sampler(), table, self.n_estimators, rng)
        part = typical_part(table, TUNING_ROWS, rng)
        widths = MedianGrid().sample(table, MedianGrid().n_default, rng)
        centre = fit_kernel_ridge_member(part, widths, ALPHAS).kernel.gamma
        return [RBF(centre * 2.0**u) for u in spread_uniform(-1.0, 1.0, self.n_estimators, rng)]

    def _draw_members(self, table, rng):
        kernels = self._draw_kernels(table, rng)
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
        if is_auto(self.estimator):
            learn: Any = Together()
        else:
            learn = ProjectedFit(
                classifier,
                rng,
                is_auto(self.n_components),
                table.n_classes,
                self.calibration_folds,
                coarse=pairs is None,
            )
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
        if is_auto(self.estimator):
            return self._fit_ridge(table, feature_map, *fit)
        n_components, fitted, honest = fit
        return ProjectedMember(feature_map, n_components, fitted, table.n_classes, honest)

    def _fit_ridge(self, table, feature_map, Z, codes, sample_weight, copies):
        rows = Rows(0, Z, codes, sample_weight, table.n_classes, copies)
        width = self._count_components(table)
        numbers = RIDGE_COMPONENTS if is_auto(self.n_components) else (width,)
        return fit_ridge_to_coordinates(feature_map, Z, rows, numbers, ALPHAS)

    def _probabilities(self, scores):
        # Without honest scores, the scores of given estimators are shares.
        if "honest_" in vars(self):
            return super()._probabilities(scores)
        return share_probabilities(scores)

    def _why_not_honest(self):
        return "its estimator is given, and calibration_folds is 0"


class Together(NamedTuple):
    """Brings the coordinates of all parts together."""

    def __call__(self, parts):
        """Return coordinates, classes, weights and numbers of copies, as `coordinates` does."""
        if len(parts) == 1:
            return parts[0]
        return [None if part[0] is None else np.concatenate(part) for part in zip(*parts)]


def _as_classifier(estimator):
    if estimator is None or is_auto(estimator):
        return DecisionTreeClassifier()
    if isinstance(estimator, str):
        check_choice(estimator, "estimator", ("nearest",))
        return KNeighborsClassifier(1)
    if not hasattr(estimator, "fit") or not is_classifier(estimator):
        raise TypeError(
            f"estimator must be a classifier, 'nearest', None or a list of them, got {estimator!r}."
        )
    return estimator
