"""Kernel ridges on landmarks, with honest scores by folds, at the cost of one fit.

The sums of squares of all rows but those of a fold are the sums of all rows less the sums of the
fold. One pass over the rows therefore gives the normal equations of every fold, for every strength,
and their squared errors; a second pass scores the rows. All kernels of one distance are evaluated
on the same distances.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..kernels.evaluation import evaluate
from .kernel_expansion import KernelExpansion, KernelPart

BLOCK_ROWS = 4096
# Share of the mean diagonal of a Gram matrix of the landmarks that is added to it, so that equal
# landmarks do no harm.
JITTER = 1e-7
# Share of the trace of a sum of squares that is added to its diagonal, because rounding may make
# its smallest eigenvalues negative.
ROUNDING = 1e-14


class Folds(NamedTuple):
    """Rows in the order of their folds.

    Attributes
    ----------
    order : ndarray of int of shape (n_rows,)
        Row numbers, fold by fold.
    ends : ndarray of int of shape (n_folds,)
        Where each fold ends in that order.
    """

    order: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, fold_of_row, n_folds):
        """Return the folds from the fold of every row."""
        order = np.argsort(fold_of_row, kind="stable")
        return cls(order, np.cumsum(np.bincount(fold_of_row, minlength=n_folds)))

    def pairs(self):
        """Return for every fold the numbers of the other rows and of its own."""
        starts = [0, *self.ends[:-1]]
        return [
            (np.sort(np.delete(self.order, slice(start, end))), np.sort(self.order[start:end]))
            for start, end in zip(starts, self.ends)
            if end > start
        ]

    def blocks(self):
        """Yield pairs (fold, row numbers) of at most `BLOCK_ROWS` rows."""
        start = 0
        for fold, end in enumerate(self.ends):
            for first in range(start, end, BLOCK_ROWS):
                yield fold, self.order[first : min(first + BLOCK_ROWS, end)]
            start = end


class Candidates(NamedTuple):
    """Kernels and strengths of which the pair of least squared error is chosen."""

    kernels: list
    alphas: np.ndarray


class Chosen(NamedTuple):
    """A fitted ridge with the kernel and strength that were chosen."""

    member: Any
    kernel: Any
    alpha: float


class Sums(NamedTuple):
    """Weighted sums over rows, where k are a row's kernel values and t its targets and a 1.

    Attributes
    ----------
    gram : ndarray of shape (n_landmarks, n_landmarks)
        Sum of k k'.
    cross : ndarray of shape (n_landmarks, n_outputs + 1)
        Sum of k t'.
    squares : ndarray of shape (n_outputs + 1, n_outputs + 1)
        Sum of t t'.
    """

    gram: np.ndarray
    cross: np.ndarray
    squares: np.ndarray

    def less(self, other):
        """Return the sums over the rows that `other` does not have."""
        return Sums(*(mine - theirs for mine, theirs in zip(self, other)))


def fit_folded_ridges(rows, landmarks, families, folds, sum_all=None):
    """Fit a ridge on landmarks for every family, with honest scores by folds.

    Parameters
    ----------
    rows : Rows
        Rows of a view.
    landmarks : ndarray of shape (n_landmarks, n_features)
    families : list of Candidates
    folds : Folds
    sum_all : callable, default=None
        Kernels → for each the `Sums` of all rows that the ridge is fitted to; None means `rows`.

    Returns
    -------
    list of Chosen
        One for each family; its member is a `KernelExpansion`.
    """
    kernels = [kernel for family in families for kernel in family.kernels]
    by_fold = _sum_folds(rows, landmarks, kernels, folds)
    wholes = [_add(own) for own in by_fold] if sum_all is None else sum_all(kernels)
    tried = {}
    for kernel, own, whole in zip(kernels, by_fold, wholes):
        tried[id(kernel)] = _Ridge(kernel, landmarks, own, whole)
    best = []
    for family in families:
        ridges = [tried[id(kernel)] for kernel in family.kernels]
        best.append(min((r.choose(family.alphas) for r in ridges), key=lambda found: found.loss))
    honest = _score_folds(rows.X, landmarks, best, folds)
    return [
        Chosen(found.ridge.member(found.alpha, S), found.ridge.kernel, found.alpha)
        for found, S in zip(best, honest)
    ]


def fit_held_out_ridge(rows, landmarks, family, rest, fold):
    """Fit a ridge on landmarks to the rows `rest`, of the least squared error on the rows `fold`.

    Returns `Chosen`, whose member has the scores of the rows `fold` as its honest scores.
    """
    order = np.concatenate([rest, fold])
    parts = Folds(order, np.array([len(rest), len(order)]))
    by_part = _sum_folds(rows, landmarks, family.kernels, parts)
    found = min(
        (
            _Ridge(kernel, landmarks, own[1:], _add(own)).choose(family.alphas)
            for kernel, own in zip(family.kernels, by_part)
        ),
        key=lambda found: found.loss,
    )
    (coefs, shares), kernel = found.solutions[0], found.ridge.kernel
    member = KernelExpansion([KernelPart(kernel, landmarks, coefs)], shares, None, "one_hot", True)
    scored = KernelExpansion(member.parts, shares, member.scores(rows.X[fold]), "one_hot", True)
    return Chosen(scored, kernel, found.alpha)


def sum_rows(rows, view, landmarks, kernels):
    """Return for each kernel the sums over rows, as plain tuples; a term of a table's total."""
    seen = rows._replace(X=view(rows.X))
    n = len(rows.codes)
    return [tuple(_add(own)) for own in _sum_folds(seen, landmarks, kernels, _one_fold(n))]


class _Found(NamedTuple):
    """The strength of least squared error, that error, and the solutions of the folds."""

    ridge: Any
    alpha: float
    loss: float
    solutions: list


class _Ridge:
    """The normal equations of one kernel: for all rows, and without each fold."""

    def __init__(self, kernel, landmarks, by_fold, whole):
        self.kernel, self.landmarks = kernel, landmarks
        self.by_fold, self.whole = by_fold, whole
        (self.span,) = evaluate([kernel], landmarks)
        self.span.flat[:: landmarks.shape[0] + 1] += (
            JITTER * np.trace(self.span) / landmarks.shape[0]
        )

    def choose(self, alphas):
        """Return the strength of least squared error on the folds."""
        tried = [self._try(float(alpha)) for alpha in alphas]
        return min(tried, key=lambda found: found.loss)

    def member(self, alpha, honest):
        """Return the ridge of one strength on all rows, with the given honest scores."""
        coefs, shares = self._solve(self.whole, alpha)
        part = KernelPart(self.kernel, self.landmarks, coefs)
        return KernelExpansion([part], shares, honest, "one_hot", True)

    def _try(self, alpha):
        loss, solutions = 0.0, []
        for own in self.by_fold:
            coefs, shares = self._solve(self.whole.less(own), alpha)
            solutions.append((coefs, shares))
            loss += _squared_error(own, coefs, shares)
        return _Found(self, alpha, loss, solutions)

    def _solve(self, sums, alpha):
        """Return the coefficients for the targets less their mean p, and p."""
        system = sums.gram + alpha * self.span
        system.flat[:: len(system) + 1] += ROUNDING * np.trace(sums.gram)
        factor = cho_factor(system, overwrite_a=True, check_finite=False)
        coefs = cho_solve(factor, sums.cross, check_finite=False)
        shares = sums.squares[-1, :-1] / sums.squares[-1, -1]
        return coefs[:, :-1] - coefs[:, -1:] * shares, shares


def _squared_error(sums, coefs, shares):
    """Return the weighted sum of |k'A + p - t|² over the rows of some sums."""
    targets, ones = sums.cross[:, :-1], sums.cross[:, -1]
    weight, t, tt = sums.squares[-1, -1], sums.squares[-1, :-1], sums.squares[:-1, :-1]
    quadratic = sums.gram @ coefs - 2.0 * targets + 2.0 * np.outer(ones, shares)
    return np.sum(coefs * quadratic) + np.trace(tt) - 2.0 * shares @ t + weight * shares @ shares


def _sum_folds(rows, landmarks, kernels, folds):
    """Return for each kernel a list of the `Sums` of every fold."""
    T = np.hstack([rows.targets("one_hot"), np.ones((len(rows.codes), 1))])
    m, c = landmarks.shape[0], T.shape[1]
    sums = [
        [Sums(np.zeros((m, m)), np.zeros((m, c)), np.zeros((c, c))) for _ in folds.ends]
        for _ in kernels
    ]
    for fold, numbers in folds.blocks():
        root = np.sqrt(rows.weights[numbers])[:, None]
        targets = T[numbers] * root
        # The squares of values in single precision would drown small strengths in rounding.
        X = rows.X[numbers].astype(np.float64, copy=False)
        for K, by_fold in zip(evaluate(kernels, X, landmarks), sums):
            own = by_fold[fold]
            K *= root
            # NumPy computes only half of the product of a matrix with its own transpose.
            np.add(own.gram, K.T @ K, out=own.gram)
            np.add(own.cross, K.T @ targets, out=own.cross)
            np.add(own.squares, targets.T @ targets, out=own.squares)
    return sums


def _score_folds(X, landmarks, best, folds):
    n_outputs = len(best[0].solutions[0][1])
    honest = [np.empty((X.shape[0], n_outputs)) for _ in best]
    for fold, numbers in folds.blocks():
        part = X[numbers].astype(np.float64, copy=False)
        grams = evaluate([found.ridge.kernel for found in best], part, landmarks)
        for K, found, S in zip(grams, best, honest):
            coefs, shares = found.solutions[fold]
            S[numbers] = K @ coefs + shares
    return honest


def _one_fold(n_rows):
    return Folds(np.arange(n_rows), np.array([n_rows]))


def _add(sums):
    return Sums(*(sum(parts) for parts in zip(*sums)))
