"""Members on a view of the rows, and any scikit-learn classifier as a member."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from .projected import fit_classifier, seeded_clone

__all__ = ["EstimatorMember", "ViewedMember", "fit_estimator_member", "inner_folds"]


class ViewedMember(NamedTuple):
    """A member that sees the rows through a view.

    Attributes
    ----------
    view : callable
        Rows → rows.
    member : object with scores(X)
    """

    view: Any
    member: Any

    def scores(self, X):
        return self.member.scores(self.view(X))


class EstimatorMember(NamedTuple):
    """A classifier fitted to class codes, of which some may have been missing.

    Attributes
    ----------
    classifier : classifier
    n_classes : int
    """

    classifier: Any
    n_classes: int

    def scores(self, X):
        """Return the share of each class: probabilities, or 1 for the predicted class."""
        S = np.zeros((X.shape[0], self.n_classes))
        if hasattr(self.classifier, "predict_proba"):
            S[:, self.classifier.classes_] = self.classifier.predict_proba(X)
        else:
            S[np.arange(X.shape[0]), self.classifier.predict(X)] = 1.0
        return S


def fit_estimator_member(estimator, X, codes, n_classes, sample_weight, rng, *, n_folds=5):
    """Fit a clone of a classifier, and score every row by one that did not see its fold.

    Returns
    -------
    member : EstimatorMember
    honest : ndarray of shape (n_samples, n_classes)
    """
    classifier = seeded_clone(estimator, rng)
    honest = np.tile(np.bincount(codes, minlength=n_classes) / len(codes), (len(codes), 1))
    for rest, fold in inner_folds(codes, n_folds, rng):
        if len(np.unique(codes[rest])) < 2:
            continue
        weights = None if sample_weight is None else sample_weight[rest]
        part = fit_classifier(seeded_clone(classifier, rng), X[rest], codes[rest], weights)
        honest[fold] = EstimatorMember(part, n_classes).scores(X[fold])
    fitted = fit_classifier(classifier, X, codes, sample_weight)
    return EstimatorMember(fitted, n_classes), honest


def inner_folds(codes, n_folds, rng):
    """Return pairs (rest, fold) of row numbers, stratified where the classes allow."""
    n_folds = min(n_folds, len(codes))
    frequent = np.bincount(codes).max() >= n_folds
    splitter = StratifiedKFold if frequent else KFold
    seed = rng.randint(np.iinfo(np.int32).max)
    with warnings.catch_warnings():
        # Classes of fewer rows than folds are spread as far as they go.
        warnings.simplefilter("ignore", UserWarning)
        splits = splitter(n_folds, shuffle=True, random_state=seed).split(codes, codes)
        return list(splits)
