"""A member that is any scikit-learn classifier on explicit features."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from ..seeds import draw_seed
from ..tables.draws import inner_folds
from .member import Member

# Number of quantiles to which coordinates are rounded (as many as histogram-based boosting has
# bins), and number of rows from which they are computed.
N_LEVELS = 256
N_SAMPLED = 10_000
# The trees of scikit-learn treat values less than 1e-7 apart as equal. If no coordinate of a view
# is larger than this, the view is magnified for them.
TINY = 2.0**-10
# Numbers of coordinates that cross-validation compares.
N_COMPONENTS = (2, 5, 10, 20, 50)


@dataclass(frozen=True, eq=False)
class ProjectedMember(Member):
    """A fitted feature map and a classifier on its first coordinates.

    Attributes
    ----------
    feature_map : transformer
    n_components : int
        Number of coordinates that the classifier uses.
    classifier : classifier
        Fitted to class codes.
    n_classes : int
    honest_scores : ndarray of shape (n_rows, n_classes) or None
    """

    feature_map: Any
    n_components: int
    classifier: Any
    n_classes: int
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        """Return the share of each class: probabilities, or 1 for the predicted class."""
        Z = self.feature_map.transform(X)[:, : self.n_components]
        return share_scores(self.classifier, Z, self.n_classes)


def share_scores(classifier, X, n_classes):
    """Return the share that a classifier of class codes gives to each class.

    The shares are its probabilities, or 1 for the predicted class. A class without training rows
    has share 0.
    """
    S = np.zeros((X.shape[0], n_classes))
    if hasattr(classifier, "predict_proba"):
        S[:, classifier.classes_] = classifier.predict_proba(X)
    else:
        S[np.arange(X.shape[0]), classifier.predict(X)] = 1.0
    return S


def coordinates(rows, feature_map):
    """Return the coordinates of some rows, with their classes, weights and numbers of copies."""
    return feature_map.transform(rows.X), rows.codes, rows.sample_weight, rows.copies


class ProjectedFit(NamedTuple):
    """Fits a classifier to coordinates that come in parts.

    The coordinates, `n_components` numbers per row, are brought together in one process, because
    that is what any classifier can use.

    Attributes
    ----------
    classifier : classifier
    rng : RandomState
    choose : bool
        Whether the number of coordinates is chosen by cross-validation.
    n_classes : int
    n_folds : int
        Number of folds that give honest scores; 0 means that there are none.
    coarse : bool, default=False
        Whether trees are grown on coordinates rounded to quantiles, which is faster.
    """

    classifier: Any
    rng: np.random.RandomState
    choose: bool
    n_classes: int
    n_folds: int
    coarse: bool = False

    def __call__(self, parts):
        """Return the number of coordinates, the fitted classifier and honest scores or None.

        `parts` is a list of tuples (coordinates, class codes, sample weights or None, numbers of
        copies or None).
        """
        blocks, classes, weights, copies = zip(*parts)
        Z = blocks[0] if len(parts) == 1 else np.concatenate(blocks)
        codes = np.concatenate(classes)
        sample_weight = None if weights[0] is None else np.concatenate(weights)
        classifier = seeded_clone(self.classifier, self.rng)
        weighs = has_fit_parameter(classifier, "sample_weight")
        first = None
        if copies[0] is not None and (self.choose or self.n_folds or not weighs):
            number = np.concatenate(copies).astype(int)
            first = np.cumsum(number) - number
            Z, codes, sample_weight = _every_copy(Z, codes, sample_weight, number)
        if self.coarse and isinstance(classifier, DecisionTreeClassifier):
            Z = round_to_quantiles(Z)
        n_components = Z.shape[1]
        if self.choose:
            n_components = choose_components(classifier, Z, codes, self.rng)
        Z, honest = np.ascontiguousarray(Z[:, :n_components]), None
        if self.n_folds:
            honest = fold_scores(
                classifier,
                Z,
                codes,
                sample_weight,
                self.n_classes,
                self.n_folds,
                self.rng,
                fit=fit_to_view,
            )
            if first is not None:
                # Copies of a row are in different folds; its score is their mean.
                honest = np.add.reduceat(honest, first) / number[:, None]
        return n_components, fit_to_view(classifier, Z, codes, sample_weight), honest


def _every_copy(Z, codes, sample_weight, number):
    """Return every copy of the rows as a row of its own."""
    each = np.repeat(sample_weight / number, number)
    weights = None if (each == 1.0).all() else each
    return np.repeat(Z, number, axis=0), np.repeat(codes, number), weights


def seeded_clone(classifier, rng):
    """Return a clone whose `random_state` parameters, nested ones too, are drawn from `rng`."""
    copy = clone(classifier)
    seeds = {
        name: draw_seed(rng)
        for name in sorted(copy.get_params())
        if name == "random_state" or name.endswith("__random_state")
    }
    return copy.set_params(**seeds)


def fit_classifier(classifier, Z, codes, sample_weight=None):
    """Fit `classifier` and return it; weights that it does not take are an error."""
    if sample_weight is None:
        return classifier.fit(Z, codes)
    if not has_fit_parameter(classifier, "sample_weight"):
        raise ValueError(
            f"estimator {classifier!r} does not take sample_weight; fit without sample_weight and "
            "class_weight, or choose an estimator whose fit takes sample_weight."
        )
    return classifier.fit(Z, codes, sample_weight=sample_weight)


def fold_scores(classifier, X, codes, sample_weight, n_classes, n_folds, rng, fit=fit_classifier):
    """Return class shares of rows by clones of a classifier that were fitted without their fold.

    Rows of a fold without which only one class is left have the class shares of all rows.
    """
    S = np.tile(np.bincount(codes, minlength=n_classes) / len(codes), (len(codes), 1))
    for rest, fold in inner_folds(codes, n_folds, rng):
        if len(np.unique(codes[rest])) < 2:
            continue
        some = None if sample_weight is None else sample_weight[rest]
        part = fit(seeded_clone(classifier, rng), X[rest], codes[rest], some)
        S[fold] = share_scores(part, X[fold], n_classes)
    return S


def fit_to_view(classifier, Z, codes, sample_weight=None):
    """Fit `classifier` to coordinates, which may be tiny, and return it."""
    scale = tree_scale(classifier, Z)
    if scale == 1.0:
        return fit_classifier(classifier, Z, codes, sample_weight)
    tree = fit_classifier(classifier, scale * Z, codes, sample_weight).tree_
    # The scale is a power of two, so the thresholds in the units of the view are exact.
    tree.threshold[tree.feature >= 0] /= scale
    return classifier


def tree_scale(classifier, Z):
    """Return the power of two by which `Z` is multiplied so that a tree can tell its rows apart."""
    if not isinstance(classifier, DecisionTreeClassifier):
        return 1.0
    largest = np.abs(Z).max(initial=0.0)
    # A tree predicts from float32 values, among which smaller numbers are zero.
    return 2.0 ** -np.frexp(largest)[1] if np.finfo(np.float32).tiny < largest < TINY else 1.0


def round_to_quantiles(Z):
    """Return `Z` with each coordinate moved to the nearest of 256 of its quantiles.

    Growing a tree on many rows is mostly sorting, and equal values are sorted fast. A tree splits
    half way between neighbouring values, so a row reaches the same leaf as its rounded copy.
    """
    rounded = np.empty_like(Z)
    sample = Z[:: max(1, Z.shape[0] // N_SAMPLED)]
    quantiles = np.quantile(sample, np.linspace(0.0, 1.0, N_LEVELS), axis=0, method="nearest")
    for number, column in enumerate(quantiles.T):
        levels = np.unique(column)
        middles = 0.5 * (levels[1:] + levels[:-1])
        rounded[:, number] = levels[np.searchsorted(middles, Z[:, number])]
    return rounded


def choose_components(classifier, Z, codes, rng):
    """Return the number of leading coordinates with which `classifier` predicts best.

    Cross-validation compares a few numbers and, if that is not more, the number of all coordinates.
    The estimate is honest although the kernel map was fitted to every row, because the map does not
    depend on the classes. The smallest number within one standard error of the best is chosen.
    """
    n_rows, width = Z.shape
    tried = [m for m in N_COMPONENTS if m < width] + [min(width, max(N_COMPONENTS))]
    if n_rows < 6 or len(tried) == 1:
        return tried[-1]
    scale = tree_scale(classifier, Z)
    if scale != 1.0:
        Z = scale * Z
    folds = inner_folds(codes, 3, rng)
    hits = [(cross_val_predict(classifier, Z[:, :m], codes, cv=folds) == codes) for m in tried]
    means = np.array([hit.mean() for hit in hits])
    best = means.argmax()
    error = np.sqrt(means[best] * (1.0 - means[best]) / n_rows)
    return tried[int(np.argmax(means >= means[best] - error))]
