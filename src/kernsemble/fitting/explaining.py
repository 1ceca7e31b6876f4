"""Contributions of columns and of training rows to the scores of a fitted classifier."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from ..combine import Mean, Pooled, Weighted
from ..explain.explanation import Explanation, find_representers
from ..explain.product_games import MAX_PAIRS, exact_contributions, product_factors
from ..explain.shapley import Contributions, sampled_contributions
from ..kernels import evaluate
from ..members.member import KernelTerm
from ..targets import best_class
from ..threads import limited_threads, threads_for
from .walking import EnsembleGame, coordinate_groups

# How far the exact contributions may be from the score, relative to the size of the scores.
SAME = 1e-8


def seen_scores(clf, Z):
    """Return the class scores of rows that are already as the members see them."""
    blocks = gen_batches(len(Z), clf._rows_per_block(len(Z)))
    with limited_threads(threads_for(len(Z))):
        return np.concatenate([clf._block_scores(Z[rows]) for rows in blocks])


def explain_rows(
    clf, x, background, groups, names, values, training, *, n_orders, n_representers, rng
):
    """Return the `Explanation` of rows that are as the members see them.

    Parameters
    ----------
    clf : KernelEnsemble
    x : ndarray of shape (n_rows, n_columns)
    background : ndarray of shape (n_background, n_columns)
    groups : list of ndarray of int
        Columns that are explained together.
    names : ndarray of str of shape (n_groups,)
    values : ndarray of shape (n_rows, n_groups) or None
        What is in the columns, for people.
    training : ndarray of shape (n_training, n_columns) or None
        Training rows, of which the strongest for and against are found.
    n_orders, n_representers : int
    rng : RandomState
    """
    explained = PredictedClass.of(clf, x)
    scores = explained.score(x, np.arange(len(x)))
    # For each background row, its score for the predicted class of every row of x.
    means = explained.mean_scores(background)
    found = _exactly(explained, x, background, groups, scores - means)
    if found is None:
        game: Any = EnsembleGame(explained, x, background, groups)
        game = game if game.agrees() else game.rows
        shape = len(background), len(groups)
        found = sampled_contributions(game, len(x), shape, n_orders, rng)
    return Explanation(
        names,
        clf.classes_[explained.codes],
        scores,
        means,
        found.values,
        found.errors,
        values,
        _representers(explained, x, training, n_representers),
    )


class PredictedClass(NamedTuple):
    """The scores of the classes that a classifier predicts for some rows.

    Attributes
    ----------
    clf : KernelEnsemble
    codes : ndarray of int of shape (n_rows,)
        The predicted class of each row.
    """

    clf: Any
    codes: np.ndarray

    @classmethod
    def of(cls, clf, x):
        """Return the predicted classes of rows."""
        return cls(clf, best_class(seen_scores(clf, x)))

    def class_scores(self, Z):
        """Return the class scores of rows."""
        return seen_scores(self.clf, Z)

    def score(self, Z, owner):
        """Return the score of the class of row `owner[i]` at each row of `Z`."""
        return self.own_scores(self.class_scores(Z), self.codes[owner])

    @staticmethod
    def own_scores(S, codes):
        """Return the score of one class for each row of class scores."""
        if S.shape[1] == 1:
            return np.where(codes == 1, S[:, 0], -S[:, 0])
        return S[np.arange(len(S)), codes]

    def mean_scores(self, background):
        """Return the mean score of each row's class over the background rows."""
        mean = seen_scores(self.clf, background).mean(axis=0)
        return np.where(self.codes == 1, mean[0], -mean[0]) if len(mean) == 1 else mean[self.codes]

    def coefs(self, term, coding):
        """Return the coefficients of a term for the class of each row, or None.

        Returns
        -------
        ndarray of shape (n_training, n_rows) or None
            None when the score of a class is not linear in the target columns.
        """
        n_outputs, n_classes = term.coefs.shape[1], len(self.clf.classes_)
        if n_classes == 2:
            margin = term.coefs[:, -1] - (term.coefs[:, 0] if n_outputs == 2 else 0.0)
            return margin[:, None] * np.where(self.codes == 1, 1.0, -1.0)
        return None if coding == "ovo" else term.coefs[:, self.codes]


class WeightedTerm(NamedTuple):
    """A kernel term of a member, the coding of the member, and its weight."""

    term: KernelTerm
    coding: str
    weight: float


def _weights(combination, n_members):
    """Return the weights of the members, or None if they are not combined linearly."""
    if type(combination) is Mean:
        return np.full(n_members, 1.0 / n_members)
    return combination.weights if type(combination) is Weighted else None


def _terms(clf, weights):
    """Return the `WeightedTerm` of all members that have kernel terms, and whether all have."""
    found, complete = [], True
    for member, weight in zip(clf.estimators_, weights):
        terms = member.kernel_terms()
        complete = complete and terms is not None
        found += [WeightedTerm(term, member.coding, weight) for term in terms or []]
    return found, complete


def _exactly(explained, x, background, groups, difference):
    """Return exact contributions, or None where the classifier has no product kernels."""
    clf = explained.clf
    weights = _weights(clf.combination_, len(clf.estimators_))
    if weights is None:
        return None
    terms, complete = _terms(clf, weights)
    values = _exact_values(explained, terms, x, background, groups) if complete else None
    # A classifier may do more to its scores than its members say.
    allowed = SAME * max(1.0, np.abs(difference).max())
    if values is None or not np.abs(values.sum(axis=1) - difference).max() <= allowed:
        return None
    return Contributions(values, np.zeros_like(values))


def _exact_values(explained, terms, x, background, groups):
    """Return the contributions to a weighted sum of kernel terms, or None if one is no product."""
    if sum(len(t.term.rows) for t in terms) * len(background) > MAX_PAIRS:
        return None
    place = np.full(x.shape[1], -1)
    for g, columns in enumerate(groups):
        place[columns] = g
    values = np.zeros((len(x), len(groups)))
    for term, coding, weight in terms:
        places = coordinate_groups(term.look, (x, background), place)
        coefs = explained.coefs(term, coding)
        if places is None or coefs is None or product_factors(term.kernel) is None:
            return None
        values += exact_contributions(
            term.kernel,
            term.look(x),
            term.look(background),
            term.rows,
            weight * coefs,
            places,
            len(groups),
        )
    return values


def _representers(explained, x, training, n_shown):
    """Return the training rows that speak for and against, as far as members compare with them.

    Members are weighted as in the ensemble; where it pools probabilities, their scores are also
    divided by their temperatures, which is what a small change of a score does to first order.
    """
    from scipy.spatial import cKDTree

    clf = explained.clf
    weights = _weights(clf.combination_, len(clf.estimators_))
    if type(clf.combination_) is Pooled:
        weights = clf.combination_.weights / clf.combination_.temperatures
    if training is None or weights is None or not n_shown:
        return None
    votes, known = np.zeros((len(x), len(training))), False
    for term, coding, weight in _terms(clf, weights)[0]:
        coefs = explained.coefs(term, coding)
        if coefs is None or term.of_landmarks or sparse.issparse(term.rows):
            continue
        # Members hold equal rows once, in an order of their own.
        gaps, numbers = cKDTree(term.look(training)).query(term.rows)
        found = gaps <= SAME * max(1.0, np.abs(term.rows).max())
        K = evaluate([term.kernel], term.look(x).astype(np.float64), term.rows)[0]
        np.add.at(votes.T, numbers[found], (weight * K * coefs.T).T[found])
        known = known or bool(found.any())
    return find_representers(votes, n_shown) if known else None
