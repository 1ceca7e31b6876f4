"""Boosted trees, fitted without each fold in turn: the models of the folds are the member."""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from .member import Member

# Length of a step for up to three classes and for more, where every step grows more trees.
LEARNING_RATES = (0.1, 0.15)
# A rare class has hardly any curvature, and without this its leaves would take huge values.
L2_REGULARIZATION = 5.0
# Share of the columns that a split may choose from.
MAX_FEATURES = 0.5
# Leaves of a tree for few rows and for many.
MAX_LEAVES, FEW_ROWS = (15, 31), 6000
# Share of the rows that a leaf has at least, up to the usual twenty rows.
LEAF_SHARE, MAX_LEAF_ROWS = 0.02, 20
MAX_LEVELS = 255


@dataclass(frozen=True, eq=False)
class BoostedMember(Member):
    """Boosted trees of several folds, whose mean probabilities predict.

    A row of a fold was seen by all models but one, whose probabilities are its honest scores.

    Attributes
    ----------
    models : list of HistGradientBoostingClassifier
        Fitted to class codes, some of which may be absent from a fold.
    n_classes : int
    honest_scores : ndarray of shape (n_samples, n_classes) or None
    """

    models: list
    n_classes: int
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        """Return mean probabilities."""
        shares = [class_shares(model, X, self.n_classes) for model in self.models]
        return sum(shares) / len(shares)


def class_shares(model, X, n_classes):
    """Return the probabilities of all classes; those that the model has not seen have none."""
    P = np.zeros((X.shape[0], n_classes))
    P[:, model.classes_] = model.predict_proba(X)
    return P


def new_booster(table, seed):
    """Return a classifier without trees for the columns of a table."""
    columns = table.columns
    is_category = (columns.n_levels > 0) & (columns.n_levels <= MAX_LEVELS)
    n_rows = int(LEAF_SHARE * table.n_rows)
    return HistGradientBoostingClassifier(
        learning_rate=LEARNING_RATES[table.n_classes > 3],
        l2_regularization=L2_REGULARIZATION,
        max_features=MAX_FEATURES,
        max_leaf_nodes=MAX_LEAVES[table.n_rows > FEW_ROWS],
        min_samples_leaf=min(max(n_rows, 2), MAX_LEAF_ROWS),
        categorical_features=is_category if is_category.any() else None,
        early_stopping=False,
        warm_start=True,
        random_state=int(seed),
    )


def boost_fold(table, rest, fold, n_trees, model):
    """Grow a model to `n_trees` trees per class on the rows `rest`, and score the rows `fold`.

    Returns the model, or None when the rows show a single class, and the class shares of the fold.
    """
    rows = table.rows(rest)
    if len(np.unique(rows.codes)) < 2:
        shares = np.bincount(rows.codes, rows.sample_weight, minlength=table.n_classes)
        return None, np.tile(shares / shares.sum(), (len(fold), 1))
    # A warm start changes the model in place, and the earlier one may still be wanted.
    grown = deepcopy(model).set_params(max_iter=n_trees)
    grown.fit(rows.X, rows.codes, sample_weight=rows.sample_weight)
    return grown, class_shares(grown, table[fold], table.n_classes)


def join_folds(table, folds, fitted):
    """Return the `BoostedMember` of the models and scores of all folds."""
    honest = np.empty((table.n_rows, table.n_classes))
    for (_, fold), (_, S) in zip(folds, fitted):
        honest[fold] = S
    models = [model for model, _ in fitted if model is not None]
    return BoostedMember(models, table.n_classes, honest)
