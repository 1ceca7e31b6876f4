"""Boosted trees, fitted without each fold in turn: the models of the folds are the member."""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from ..threads import limited_threads, threads_for
from ..trees.boosted import BoostedTrees, read_boosted_trees
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
# How many more rows than dense algebra the loops of boosting need before threads pay.
PER_THREAD = 10
# The order of levels is found as if every level had this many further rows of average classes.
PRIOR_ROWS = 5.0


@dataclass(frozen=True, eq=False)
class FoldBooster:
    """Boosted trees that see the levels of categories in the order of their class shares.

    The trees could split categories by themselves, but such a model holds functions, and a model
    file may not.

    Attributes
    ----------
    model : HistGradientBoostingClassifier or BoostedTrees
        Fitted to class codes, some of which may be absent from a fold.
    ranks : list of tuple or None
        Numbers of the columns with categories, each with the places of its levels. None if the
        model is not fitted yet.
    """

    model: Any
    ranks: list | None = None

    def seen(self, X):
        """Return the rows with the places of levels in place of their codes."""
        if not self.ranks:
            return X
        Z = np.array(X, dtype=np.float64)
        for column, places in self.ranks:
            known = ~np.isnan(Z[:, column])
            Z[known, column] = places[Z[known, column].astype(np.intp)]
        return Z

    def class_shares(self, X, n_classes):
        """Return the probabilities of all classes; those that were not seen have none."""
        P = np.zeros((X.shape[0], n_classes))
        P[:, self.model.classes_] = self.model.predict_proba(self.seen(X))
        return P

    def first_steps(self, n_steps):
        """Return the model as it was after so many steps, or None if that cannot be told."""
        trees = read_boosted_trees(self.model)
        return None if trees is None else replace(self, model=trees.first_steps(n_steps))

    def compact(self):
        """Return the same trees in the form that predicts fastest."""
        if isinstance(self.model, BoostedTrees):
            return self
        trees = read_boosted_trees(self.model)
        return self if trees is None else replace(self, model=trees)


@dataclass(frozen=True, eq=False)
class BoostedMember(Member):
    """Boosted trees of several folds, whose mean probabilities predict.

    A row of a fold was seen by all models but one, whose probabilities are its honest scores.

    Attributes
    ----------
    models : list of FoldBooster
    n_classes : int
    honest_scores : ndarray of shape (n_samples, n_classes) or None
    """

    models: list
    n_classes: int
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        """Return mean probabilities."""
        shares = [model.class_shares(X, self.n_classes) for model in self.models]
        return sum(shares) / len(shares)

    def compact(self):
        return replace(self, models=[model.compact() for model in self.models])


def new_booster(table, seed):
    """Return a model without trees for the rows of a table."""
    n_rows = int(LEAF_SHARE * table.n_rows)
    model = HistGradientBoostingClassifier(
        learning_rate=LEARNING_RATES[table.n_classes > 3],
        l2_regularization=L2_REGULARIZATION,
        max_features=MAX_FEATURES,
        max_leaf_nodes=MAX_LEAVES[table.n_rows > FEW_ROWS],
        min_samples_leaf=min(max(n_rows, 2), MAX_LEAF_ROWS),
        categorical_features=None,
        early_stopping=False,
        warm_start=True,
        random_state=int(seed),
    )
    return FoldBooster(model)


def rank_levels(rows, n_levels):
    """Return the place of every level among those of its column, ordered by class shares.

    With two classes, the best split of a category into two groups keeps this order. With more, the
    levels are ordered along the direction in which their shares differ most.

    Parameters
    ----------
    rows : Rows
    n_levels : ndarray of int of shape (n_columns,)
        0 for columns of numbers.

    Returns
    -------
    list of tuple
        Number of a column, and an ndarray of its levels' places.
    """
    prior = np.bincount(rows.codes, rows.weights, minlength=rows.n_classes)
    prior = prior / prior.sum()
    ranks = []
    for column in np.flatnonzero((n_levels > 0) & (n_levels <= MAX_LEVELS)):
        values, counts = rows.X[:, column], np.zeros((n_levels[column], rows.n_classes))
        known = ~np.isnan(values)
        np.add.at(counts, (values[known].astype(np.intp), rows.codes[known]), rows.weights[known])
        total = counts.sum(axis=1, keepdims=True)
        # A level of few rows stays near the others.
        apart = (counts + PRIOR_ROWS * prior) / (total + PRIOR_ROWS) - prior
        direction = np.linalg.svd(np.sqrt(total) * apart, full_matrices=False)[2][0]
        places = np.empty(n_levels[column])
        places[np.argsort(apart @ direction, kind="stable")] = np.arange(n_levels[column])
        ranks.append((int(column), places))
    return ranks


def boost_fold(table, rest, fold, n_trees, booster):
    """Grow a model to `n_trees` trees per class on the rows `rest`, and score the rows `fold`.

    Returns the model, or None when the rows show a single class, and the class shares of the fold.
    """
    rows = table.rows(rest)
    if len(np.unique(rows.codes)) < 2:
        shares = np.bincount(rows.codes, rows.sample_weight, minlength=table.n_classes)
        return None, np.tile(shares / shares.sum(), (len(fold), 1))
    ranks = rank_levels(rows, table.columns.n_levels) if booster.ranks is None else booster.ranks
    # A warm start changes the model in place, and the earlier one may still be wanted.
    grown = FoldBooster(deepcopy(booster.model).set_params(max_iter=n_trees), ranks)
    # The threads of a loop over a few thousand rows wait for each other longer than they work.
    with limited_threads(threads_for(rows.n_rows / PER_THREAD)):
        grown.model.fit(grown.seen(rows.X), rows.codes, sample_weight=rows.sample_weight)
        return grown, grown.class_shares(table[fold], table.n_classes)


def join_folds(table, folds, fitted):
    """Return the `BoostedMember` of the models and scores of all folds."""
    honest = np.empty((table.n_rows, table.n_classes))
    for (_, fold), (_, S) in zip(folds, fitted):
        honest[fold] = S
    models = [model for model, _ in fitted if model is not None]
    return BoostedMember(models, table.n_classes, honest)
