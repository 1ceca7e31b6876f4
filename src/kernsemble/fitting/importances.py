"""Importances of the columns of a fitted classifier, from rows that it did not see."""

from functools import partial

import numpy as np
from sklearn.base import clone

from ..explain.importance import Importances, shuffled_changes, squared_gradients
from ..tables.draws import inner_folds
from .explaining import seen_scores

# Number of parts when the training rows are given, each scored by a model that did not see it.
N_FOLDS = 5


def shuffle_importances(clf, X, y, groups, sample_weight, n_folds, n_repeats, rng):
    """Return the rise of the log-loss when columns of rows that were not seen are shuffled.

    The parameters are those of `AnswersMixin.importance`; `groups` are names and columns.
    """
    codes = _codes(clf, y)
    if n_folds == "auto":
        n_folds = _choose_folds(clf, codes)
    names, columns = groups
    if n_folds is None:
        rows = clf._checked(X)
        changes = shuffled_changes(_probabilities(clf, clf), rows, codes, columns, n_repeats, rng)
        return Importances.of(names, changes, "shuffle", sample_weight)
    changes = np.zeros((len(names), len(codes)))
    for rest, fold in inner_folds(codes, n_folds, rng):
        weights = None if sample_weight is None else sample_weight[rest]
        part = clone(clf).fit(_rows(X, rest), np.asarray(y)[rest], weights)
        rows = part._checked(_rows(X, fold))
        changes[:, fold] = shuffled_changes(
            _probabilities(part, clf), rows, codes[fold], columns, n_repeats, rng
        )
    return Importances.of(names, changes, "shuffle", sample_weight)


def gradient_importances(clf, X, groups):
    """Return the mean squared derivative of the class scores by standardised column."""
    names, columns = groups
    squares = squared_gradients(partial(seen_scores, clf), X)
    by_group = np.array([squares[own].sum(axis=0) for own in columns])
    return Importances.of(names, by_group, "gradients")


def decrease_importances(clf, groups):
    """Return the mean share that each group has in a tree's decrease of the Gini impurity."""
    names, columns = groups
    shares = np.array([member.importances() for member in clf.estimators_])
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    by_group = np.array([shares[:, own].sum(axis=1) for own in columns])
    return Importances.of(names, by_group, "decrease")


def _codes(clf, y):
    """Return the positions of labels among the classes of the classifier."""
    y = np.asarray(y)
    codes = np.searchsorted(clf.classes_, y).clip(max=len(clf.classes_) - 1)
    if not np.array_equal(clf.classes_[codes], y):
        unknown = np.setdiff1d(y, clf.classes_).tolist()[:5]
        raise ValueError(f"y has labels that were not in training: {unknown}.")
    return codes


def _choose_folds(clf, codes):
    """Return the number of folds: none for new rows, some for the training rows."""
    if "honest_" not in vars(clf):
        raise ValueError(
            f"This {type(clf).__name__} cannot tell whether X holds its training rows; "
            f"pass n_folds={N_FOLDS} if it does, n_folds=None if it holds new rows."
        )
    own = np.sort(clf.honest_.rows)
    same = len(own) == len(codes) and np.array_equal(clf.honest_.codes, codes[clf.honest_.rows])
    return N_FOLDS if same else None


def _probabilities(part, clf):
    """Return the function of rows that gives `part`'s probabilities of the classes of `clf`."""
    places = np.searchsorted(clf.classes_, part.classes_)

    def probabilities(rows):
        P = np.zeros((len(rows), len(clf.classes_)))
        P[:, places] = part._probabilities(seen_scores(part, rows))
        return P

    return probabilities


def _rows(X, numbers):
    return X.iloc[numbers] if hasattr(X, "iloc") else np.asarray(X)[numbers]
