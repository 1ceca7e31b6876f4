"""Boosted trees, fitted without each fold in turn: the models of the folds are the member."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..trees.boosted import BoostedTrees, BoostGrowth, Nodes, share_scores
from ..trees.joined import JoinedTrees, join_trees
from .member import Member

# Trees have other settings beyond each of these numbers of rows.
ROWS = (6000, 100_000, 400_000)
# Length of a step. For more classes than the last numbers, where a step takes longer, it is at
# least the number before them; for very many rows, where fewer trees are grown and overfit less, it
# is longer too.
LEARNING_RATES, CLASSES_RATE, FEW_CLASSES = (0.1, 0.1, 0.2, 0.3), 0.15, (3, 2, 2, 2)
# A rare class has hardly any curvature, and without this its leaves would take huge values.
L2_REGULARIZATION = (5.0, 5.0, 20.0, 20.0)
# Shares of the columns that a tree may split and that a split chooses from, and the most of them.
TREE_SHARES, SPLIT_SHARES, MAX_TREE_COLUMNS = (1.0, 0.7, 0.85, 0.85), (0.5, 0.5, 0.85, 0.85), 500
MAX_LEAVES = (15, 31, 31, 31)
# Share of the rows that a leaf has at least, up to these numbers of rows for two classes and for
# more, some of which may be rare.
LEAF_SHARE, MAX_LEAF_ROWS = 0.02, ((20, 20, 100, 100), (10, 10, 50, 50))
MAX_LEVELS = 255
# The order of levels is found as if every level had this many further rows of average classes.
PRIOR_ROWS = 5.0


@dataclass(frozen=True, eq=False)
class FoldBooster:
    """Boosted trees that see the levels of categories in the order of their class shares.

    Attributes
    ----------
    model : BoostedTrees
        Fitted to class codes, some of which may be absent from a fold.
    ranks : list of tuple
        Numbers of the columns with categories, each with the places of its levels.
    """

    model: BoostedTrees
    ranks: list

    def class_shares(self, X, n_classes):
        """Return the probabilities of all classes; those that were not seen have none."""
        P = np.zeros((X.shape[0], n_classes))
        P[:, self.model.classes_] = self.model.predict_proba(see_ranks(X, self.ranks))
        return P


class Growing(NamedTuple):
    """The model of a fold as it is between two rounds of a race.

    Attributes
    ----------
    booster : FoldBooster
    rest_scores : ndarray of shape (n_outputs, n_rest)
        Scores of the rows that it is fitted to.
    fold_scores : ndarray of shape (n_fold, n_outputs)
        Scores of the rows of the fold.
    """

    booster: FoldBooster
    rest_scores: np.ndarray
    fold_scores: np.ndarray


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
        models = [booster.model for booster in self.models]
        trees = join_trees(models, [booster.ranks for booster in self.models])
        return JoinedMember(trees, [model.classes_ for model in models], self.n_classes)


@dataclass(frozen=True, eq=False)
class JoinedMember(Member):
    """The same trees for one call of compiled code, to predict with.

    Attributes
    ----------
    trees : JoinedTrees
    classes : list of ndarray
        The classes of every model.
    n_classes : int
    """

    trees: JoinedTrees
    classes: list
    n_classes: int

    def scores(self, X):
        S, n_models = self.trees.scores(X), len(self.classes)
        if all(len(present) == self.n_classes for present in self.classes):
            # One call turns the scores of all models into shares.
            S = S.reshape(n_models, -1, X.shape[0]).transpose(0, 2, 1)
            P = share_scores(S.reshape(-1, S.shape[2]))
            return P.reshape(n_models, X.shape[0], -1).sum(axis=0) / n_models
        total, first = np.zeros((X.shape[0], self.n_classes)), 0
        for present in self.classes:
            last = first + (len(present) if len(present) > 2 else 1)
            total[:, present] += share_scores(S[first:last].T)
            first = last
        return total / n_models

    def compact(self):
        return self


def plan_growth(table):
    """Return the `BoostGrowth` of trees for the rows of a table."""
    n_columns, size = table.shape[1], int(np.searchsorted(ROWS, table.n_rows))
    rate, many_classes = LEARNING_RATES[size], table.n_classes > FEW_CLASSES[size]
    n_drawn = min(int(np.ceil(TREE_SHARES[size] * n_columns)), MAX_TREE_COLUMNS)
    most = MAX_LEAF_ROWS[table.n_classes > 2][size]
    return BoostGrowth(
        learning_rate=max(rate, CLASSES_RATE) if many_classes else rate,
        l2=L2_REGULARIZATION[size],
        max_leaves=MAX_LEAVES[size],
        min_rows=min(max(int(LEAF_SHARE * table.n_rows), 2), most),
        n_drawn=n_drawn,
        n_tried=min(int(np.ceil(SPLIT_SHARES[size] * n_columns)), n_drawn),
    )


def see_ranks(X, ranks):
    """Return rows with the places of levels in place of their codes."""
    if not ranks:
        return X
    Z = np.array(X, dtype=np.float64)
    for column, places in ranks:
        known = ~np.isnan(Z[:, column])
        Z[known, column] = places[Z[known, column].astype(np.intp)]
    return Z


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


class Boosted(NamedTuple):
    """The model of a fold, and the class shares of the fold.

    Attributes
    ----------
    growing : Growing or None
        None when the rows show a single class.
    shares, earlier : ndarray of shape (n_fold, n_classes)
        Class shares with all trees, and with three quarters of them.
    """

    growing: Growing | None
    shares: np.ndarray
    earlier: np.ndarray


def boost_fold(table, binned, pair, n_steps, growing=None, seed=0):
    """Grow the model of a fold to `n_steps` steps; return it as `Boosted`.

    Parameters
    ----------
    table : Table
    binned : BinnedRows
        All rows of the table.
    pair : tuple
        The numbers of the rows to fit, and those of the fold.
    n_steps : int
        Number of trees for every output.
    growing : Growing, default=None
        The model of the same fold with fewer steps.
    seed : int, default=0
    """
    from ..trees.boost import boost

    rest, fold = pair
    rows = table.all
    if not table.columns.n_levels.any():
        # Numbers are read from their bins.
        rows = rows._replace(X=rows.X[:, :0])
    rows = rows.pick(rest)
    present, codes = np.unique(rows.codes, return_inverse=True)
    prior = np.bincount(rows.codes, rows.sample_weight, minlength=table.n_classes)
    prior = prior / prior.sum()
    if len(present) < 2:
        shares = np.tile(prior, (len(fold), 1))
        return Boosted(None, shares, shares)
    if growing is None:
        growing = _start(table, rows, fold, prior[present], present)
    booster, rest_scores, fold_scores = growing
    columns = [column for column, _ in booster.ranks]
    seen = see_ranks(rows.X, booster.ranks)[:, columns]
    own, before = binned.take(rest).replaced(columns, seen), booster.model
    rest_scores = rest_scores.copy()
    todo = plan_growth(table), seed, before.n_steps, n_steps - before.n_steps
    nodes = Nodes(*boost(own, codes, rows.weights, rest_scores, *todo))
    trees, new = before.with_more(nodes), see_ranks(table[fold], booster.ranks)
    until = max(n_steps - n_steps // 4, before.n_steps)
    early_scores = trees.add_to(fold_scores, new, before.n_steps, until)
    fold_scores = trees.add_to(early_scores, new, until, n_steps)
    shares, earlier = np.zeros((2, len(fold), table.n_classes))
    shares[:, present] = share_scores(fold_scores)
    earlier[:, present] = share_scores(early_scores)
    grown = Growing(FoldBooster(trees, booster.ranks), rest_scores, fold_scores)
    return Boosted(grown, shares, earlier)


def _start(table, rows, fold, shares, present):
    """Return the model without trees, which knows the shares of the classes that are present."""
    start = np.log(shares) if len(present) > 2 else np.log(shares[1:] / shares[0])
    trees = BoostedTrees(Nodes.none(), start, present, table.shape[1])
    booster = FoldBooster(trees, rank_levels(rows, table.columns.n_levels))
    return Growing(booster, np.tile(start[:, None], rows.n_rows), np.tile(start, (len(fold), 1)))


def join_folds(table, folds, boosters, shares):
    """Return the `BoostedMember` of the models and class shares of all folds.

    A fold is given by the numbers of its rows.
    """
    honest = np.empty((table.n_rows, table.n_classes))
    for fold, S in zip(folds, shares):
        honest[fold] = S
    return BoostedMember(boosters, table.n_classes, honest)
