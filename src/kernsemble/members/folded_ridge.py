"""Kernel ridges on landmarks, with honest scores by folds, at the cost of one fit.

The sums of squares of all rows but those of a fold are the sums of all rows less the sums of the
fold. One pass over the rows therefore gives the normal equations of every fold, for every strength,
and their squared errors; a second pass scores the rows. All kernels of one distance are evaluated
on the same distances.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..kernels.evaluation import evaluate
from ..solvers.lapack import factor_in_place, solve_factored
from ..workers import spread
from .kernel_expansion import KernelExpansion, KernelPart

BLOCK_ROWS = 4096
# Share of the mean diagonal of a Gram matrix of the landmarks that is added to it, so that equal
# landmarks do no harm.
JITTER = 1e-7
# Share of the trace of a sum of squares that is added to its diagonal, because rounding may make
# its smallest eigenvalues negative.
ROUNDING = 1e-14
# Largest number of coefficients of the candidates of a family that are held.
KEPT_VALUES = 1 << 22


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

    def blocks(self, fold):
        """Return the row numbers of a fold, at most `BLOCK_ROWS` at a time."""
        start, end = self.ends[fold - 1] if fold else 0, self.ends[fold]
        firsts = range(start, end, BLOCK_ROWS)
        return [self.order[first : min(first + BLOCK_ROWS, end)] for first in firsts]


class Candidates(NamedTuple):
    """Kernels and strengths of which the pair of least squared error is chosen."""

    kernels: list
    alphas: np.ndarray

    def pairs(self):
        """Return all pairs, kernel by kernel."""
        return [(kernel, alpha) for kernel in self.kernels for alpha in self.alphas]


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
    searched = []
    for family in families:
        pairs = [(tried[id(kernel)], float(alpha)) for kernel, alpha in family.pairs()]
        searched.append(_search(pairs) if len(pairs) > 1 else _use_up(*pairs[0]))
    honest = _score_folds(rows, landmarks, [own.scoring for own in searched], folds)
    return [
        Chosen(own.ridge.member(own.solution, S), own.ridge.kernel, own.alpha)
        for own, S in zip(searched, honest)
    ]


class _Searched(NamedTuple):
    """The ridge and the strength that were chosen, their solution, and what scores every fold.

    What scores a fold is a kernel with coefficients and shares.
    """

    ridge: Any
    alpha: float
    solution: tuple
    scoring: list


def _search(pairs):
    """Return what the best pair of a ridge and a strength comes to."""
    n_folds, whole = len(pairs[0][0].by_fold), pairs[0][0].whole
    # With hundreds of classes it takes less memory to solve again for what was chosen.
    keep = len(pairs) * n_folds * whole.cross.size <= KEPT_VALUES

    def try_without(fold):
        system, kept, losses = np.empty_like(whole.gram), [], []
        for ridge, alpha in pairs:
            solution = ridge.solve(alpha, system, ridge.by_fold[fold])
            kept.append(solution if keep else None)
            losses.append(_squared_error(ridge.by_fold[fold], solution))
        return kept, losses

    kept, losses = zip(*spread(try_without, range(n_folds)))
    best, by_fold = choose_by_folds(np.array(losses).T)
    system, scoring = np.empty_like(whole.gram), []
    for fold, place in enumerate(by_fold):
        (ridge, alpha), own = pairs[place], kept[fold][place]
        solution = ridge.solve(alpha, system, ridge.by_fold[fold]) if own is None else own
        scoring.append((ridge.kernel, solution))
    ridge, alpha = pairs[best]
    return _Searched(ridge, alpha, ridge.solve(alpha, system), scoring)


def _use_up(ridge, alpha):
    """Return what the only pair comes to, in the memory of its sums, which are no longer there."""
    whole, by_fold = ridge.whole, ridge.by_fold
    base = np.multiply(ridge.span, alpha, out=ridge.span)
    base += whole.gram
    traces = [np.trace(own.gram) for own in (whole, *by_fold)]

    def solve(fold):
        if fold is None:
            np.copyto(whole.gram, base)
            return _solve_system(whole.gram, whole, traces[0])
        own = by_fold[fold]
        system = np.subtract(base, own.gram, out=own.gram)
        return _solve_system(system, whole, traces[0] - traces[1 + fold], own)

    *scoring, solution = spread(solve, [*range(len(by_fold)), None])
    return _Searched(ridge, alpha, solution, [(ridge.kernel, own) for own in scoring])


def choose_by_folds(losses):
    """Return the candidate of least loss, and for every fold the one that the others would choose.

    A fold that is scored by a candidate which its own rows have chosen is not scored honestly: the
    best of forty candidates has been lucky on them.

    Parameters
    ----------
    losses : ndarray of shape (n_candidates, n_folds)
    """
    total = losses.sum(axis=1)
    return int(np.argmin(total)), np.argmin(total[:, None] - losses, axis=0).tolist()


class HeldOut(NamedTuple):
    """Ridges of several kernels and strengths, fitted to some rows, and their errors on others.

    Attributes
    ----------
    ridges : list of _Ridge
        One for each kernel.
    alphas : ndarray of shape (n_alphas,)
    losses : ndarray of shape (n_kernels, n_alphas)
        Squared errors on the other rows.
    X : ndarray of shape (n_others, n_features)
        The other rows.
    """

    ridges: list
    alphas: np.ndarray
    losses: np.ndarray
    X: Any

    def member(self, place):
        """Return the ridge at a place among all pairs of kernels and strengths."""
        ridge = self.ridges[place // len(self.alphas)]
        return ridge.member(ridge.solve(self._alpha(place), np.empty_like(ridge.span)))

    def chosen(self, place, own_place):
        """Return the ridge at a place, with honest scores by the one at another, as `Chosen`."""
        member = self.member(place)
        honest = (member if own_place == place else self.member(own_place)).scores(self.X)
        kernel = self.ridges[place // len(self.alphas)].kernel
        return Chosen(replace(member, honest_scores=honest), kernel, self._alpha(place))

    def _alpha(self, place):
        return float(self.alphas[place % len(self.alphas)])


def choose_together(held_out):
    """Return the `Chosen` of every fold, all with the kernel and strength of the same place.

    The place is that of the least squared error of all folds together. The honest scores of a fold
    are those at the place that the other folds would choose.

    Parameters
    ----------
    held_out : list of HeldOut
        One for each fold, with as many kernels and strengths.
    """
    best, by_fold = choose_by_folds(np.array([own.losses.ravel() for own in held_out]).T)
    return [own.chosen(best, place) for own, place in zip(held_out, by_fold)]


def fit_held_out_ridges(rows, landmarks, family, rest, fold):
    """Fit ridges on landmarks to the rows `rest`; return `HeldOut` with the rows `fold`."""
    order = np.concatenate([rest, fold])
    parts = Folds(order, np.array([len(rest), len(order)]))
    ridges: list[_Ridge] = []
    losses = []
    for kernel, (own, other) in zip(
        family.kernels, _sum_folds(rows, landmarks, family.kernels, parts)
    ):
        # The targets are the same for all kernels, and with many classes their squares are large.
        whole = own._replace(squares=ridges[0].whole.squares if ridges else own.squares)
        ridges.append(_Ridge(kernel, landmarks, [], whole))
        system = np.empty_like(whole.gram)
        solutions = [ridges[-1].solve(float(alpha), system) for alpha in family.alphas]
        losses.append([_squared_error(other, solution) for solution in solutions])
    return HeldOut(ridges, family.alphas, np.array(losses), rows.X[fold])


def sum_rows(rows, view, landmarks, kernels):
    """Return for each kernel the sums over rows, as plain tuples; a term of a table's total."""
    seen = rows._replace(X=view(rows.X))
    n = len(rows.codes)
    return [tuple(_add(own)) for own in _sum_folds(seen, landmarks, kernels, _one_fold(n))]


class _Ridge:
    """The normal equations of one kernel: for all rows, and without each fold."""

    def __init__(self, kernel, landmarks, by_fold, whole):
        self.kernel, self.landmarks = kernel, landmarks
        self.by_fold, self.whole = by_fold, whole
        (self.span,) = evaluate([kernel], landmarks)
        self.span.flat[:: landmarks.shape[0] + 1] += (
            JITTER * np.trace(self.span) / landmarks.shape[0]
        )

    def member(self, solution, honest=None):
        """Return the ridge of a solution, with the given honest scores."""
        coefs, shares = solution
        part = KernelPart(self.kernel, self.landmarks, coefs)
        return KernelExpansion([part], shares, honest, "one_hot", True)

    def solve(self, alpha, system, left_out=None):
        """Return coefficients and shares of all rows but those of the sums `left_out`.

        The matrix `system` is memory to work in: to fetch fresh one takes longer than to fill it.
        """
        np.multiply(self.span, alpha, out=system)
        system += self.whole.gram
        trace = np.trace(self.whole.gram)
        if left_out is not None:
            system -= left_out.gram
            trace -= np.trace(left_out.gram)
        return _solve_system(system, self.whole, trace, left_out)


def _solve_system(system, whole, trace, left_out=None):
    """Return the coefficients for the targets less their mean p, and p.

    Parameters
    ----------
    system : ndarray of shape (n_landmarks, n_landmarks)
        It is overwritten.
    whole, left_out : Sums
        Sums of all rows, and of those that play no part.
    trace : float
        Trace of the sum of squares in the system.
    """
    _, cross, squares = whole
    if left_out is not None:
        cross, squares = cross - left_out.cross, squares - left_out.squares
    system.flat[:: len(system) + 1] += ROUNDING * trace
    coefs = solve_factored(factor_in_place(system), cross)
    shares = squares[-1, :-1] / squares[-1, -1]
    return coefs[:, :-1] - coefs[:, -1:] * shares, shares


def _squared_error(sums, solution):
    """Return the weighted sum of |k'A + p - t|² over the rows of some sums."""
    coefs, shares = solution
    targets, ones = sums.cross[:, :-1], sums.cross[:, -1]
    weight, t, tt = sums.squares[-1, -1], sums.squares[-1, :-1], sums.squares[:-1, :-1]
    quadratic = sums.gram @ coefs - 2.0 * targets + 2.0 * np.outer(ones, shares)
    return np.sum(coefs * quadratic) + np.trace(tt) - 2.0 * shares @ t + weight * shares @ shares


def _sum_folds(rows, landmarks, kernels, folds):
    """Return for each kernel a list of the `Sums` of every fold."""
    T = np.hstack([rows.targets("one_hot"), np.ones((len(rows.codes), 1))])
    m, c = landmarks.shape[0], T.shape[1]

    def sum_fold(fold):
        sums = [Sums(np.zeros((m, m)), np.zeros((m, c)), np.zeros((c, c))) for _ in kernels]
        for number, block in enumerate(folds.blocks(fold)):
            root = np.sqrt(rows.weights[block])[:, None]
            targets = T[block] * root
            # The squares of values in single precision would drown small strengths in rounding.
            X = rows.X[block].astype(np.float64, copy=False)
            for K, own in zip(evaluate(kernels, X, landmarks), sums):
                K *= root
                # NumPy computes only half of the product of a matrix with its own transpose.
                if number:
                    own.gram[:] += K.T @ K
                else:
                    np.matmul(K.T, K, out=own.gram)
                own.cross[:] += K.T @ targets
                own.squares[:] += targets.T @ targets
        return sums

    return [list(own) for own in zip(*spread(sum_fold, range(len(folds.ends))))]


def _score_folds(rows, landmarks, scoring, folds):
    """Return for each family the scores of the rows by what scores their fold."""
    honest = [np.empty((rows.n_rows, rows.n_classes)) for _ in scoring]

    def score_fold(fold):
        own = [by_fold[fold] for by_fold in scoring]
        for block in folds.blocks(fold):
            part = rows.X[block].astype(np.float64, copy=False)
            grams = evaluate([kernel for kernel, _ in own], part, landmarks)
            for K, (_, (coefs, shares)), S in zip(grams, own, honest):
                S[block] = K @ coefs + shares

    spread(score_fold, range(len(folds.ends)))
    return honest


def _one_fold(n_rows):
    return Folds(np.arange(n_rows), np.array([n_rows]))


def _add(sums):
    first, *others = sums
    if not others:
        return first
    total = Sums(*(part.copy() for part in first))
    for own in others:
        for mine, theirs in zip(total, own):
            mine += theirs
    return total
