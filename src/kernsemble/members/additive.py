"""Logistic regression on curves of the columns, fitted without each fold in turn.

The scores of the models are linear in the same coordinates, so their mean is one linear model: the
member. It takes a fraction of the time of a kernel member, and where columns act one by one, as in
many tables of people and loans, nothing else predicts probabilities as well.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn.utils.extmath import safe_sparse_dot

from ..maps.additive_view import fit_additive_view
from ..solvers.logistic import solve_logistic
from ..threads import limited_blas, threads_for
from .member import Member
from .plans import Bundle, Grown
from .viewed import ViewedMember

# Inverse strengths, the strongest penalty first; the search ends where the log-loss rises.
INVERSE_STRENGTHS = (0.01, 0.1, 1.0, 10.0)
TOL, MAX_ITER = 1e-3, 100
# Largest number of rows times columns times classes of a model: with curves in the first round, at
# all in the first round, and in the others. Beyond, the member costs more than it earns.
MAX_CURVED, MAX_FIRST, MAX_LATER = 4e6, 2e7, 1e8


@dataclass(frozen=True, eq=False)
class LinearMember(Member):
    """Scores that are linear in the columns.

    Attributes
    ----------
    coefs : ndarray of shape (n_columns + 1, n_classes)
        The last row is the bias.
    honest_scores : ndarray of shape (n_samples, n_classes) or None
    """

    coefs: np.ndarray
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        """Return log-odds."""
        return safe_sparse_dot(X, self.coefs[:-1], dense_output=True) + self.coefs[-1]


class Choice(NamedTuple):
    """The inverse strength that the first round chose, and where the next fits start.

    Attributes
    ----------
    inverse_strength : float
    starts : list
        For every fold the coefficients of the last fit, of shape (n_outputs, n_columns + 1), or
        None if there was none.
    """

    inverse_strength: float
    starts: list


def plan_additive(training, level, states, seed):
    """Fit logistic regressions to curves of the columns, or to the columns where those are many."""
    ((name, choice),) = states.items()
    if level > 0 and not training.grows(level):
        return []
    cost = _work(training, look_at(training), len(training.stage(level).numbers))
    if cost > (MAX_FIRST if level == 0 else MAX_LATER):
        return []
    return [Bundle.single(name, (_fit, level, choice), cost)]


def look_at(training):
    """Return the view of the member: that of curves, unless there are too many."""
    return training.shared("additive view", lambda: _make_view(training))


def _make_view(training):
    scaled, X = training.views["scaled"], training.local.all.X
    if sparse.issparse(X):
        return scaled
    curves = fit_additive_view(scaled, training.views["ranks"], X)
    return curves if _work(training, curves, len(training.first)) <= MAX_CURVED else scaled


def _work(training, view, n_rows):
    """Return the number of multiplications by the coefficients of a model of some rows."""
    X = training.local.all.X
    per_row = X.nnz / X.shape[0] if sparse.issparse(X) else view(X[:1]).shape[1]
    return n_rows * per_row * training.local.n_classes


def _fit(training, level, choice):
    stage, view = training.stage(level), look_at(training)
    rows = stage.table.all
    rows = rows._replace(X=view(rows.X))
    with limited_blas(threads_for(rows.n_rows)):
        found = fit_additive_member(rows, stage.folds.pairs(), choice)
    return Grown(ViewedMember.of(view, found.member), found.choice)


class Fitted(NamedTuple):
    """A member, and what a fit to more rows starts from."""

    member: LinearMember
    choice: Choice


def fit_additive_member(rows, folds, choice=None):
    """Return the `LinearMember` of the strength of least log-loss on the folds, as `Fitted`.

    Parameters
    ----------
    rows : Rows
        Coordinates, classes and weights.
    folds : list of tuple
        For every fold the numbers of the other rows and of its own.
    choice : Choice, default=None
        What an earlier fit to some of the rows has chosen, with the same folds.
    """
    chosen, starts = choice or Choice(0.0, [None] * len(folds))
    best: tuple | None = None
    for inverse in [chosen] if chosen else INVERSE_STRENGTHS:
        fitted = [_fit_fold(inverse, start, rows, rest) for start, (rest, _) in zip(starts, folds)]
        coefs, starts = [own for own, _ in fitted], [start for _, start in fitted]
        honest = np.empty((rows.n_rows, rows.n_classes))
        for own, (_, fold) in zip(coefs, folds):
            honest[fold] = LinearMember(own).scores(rows.X[fold])
        loss = _log_loss(honest, rows)
        if best is not None and loss >= best[0]:
            break
        best = loss, LinearMember(np.mean(coefs, axis=0), honest), inverse
    assert best is not None
    _, member, inverse = best
    return Fitted(member, Choice(inverse, starts))


def _fit_fold(inverse_strength, start, rows, rest):
    """Fit a model to some rows; return its coefficients for all classes and where the next starts.

    Both are those of the model, the second for the classes that these rows show.
    """
    codes, X = rows.codes[rest], rows.X[rest]
    weights = None if rows.sample_weight is None else rows.sample_weight[rest]
    # A class that these rows do not show is as likely as one further row would make it.
    shares = np.bincount(codes, minlength=rows.n_classes) / len(codes)
    coefs = np.zeros((X.shape[1] + 1, rows.n_classes))
    coefs[-1] = np.log(np.maximum(shares, 1.0 / (len(codes) + 1.0)))
    present = np.flatnonzero(shares)
    if len(present) < 2:
        return coefs, None
    n_outputs = 1 if len(present) == 2 else len(present)
    if start is not None and len(start) != n_outputs:
        start = None
    strength = 1.0 / (inverse_strength * (len(codes) if weights is None else weights.sum()))
    problem = X, np.searchsorted(present, codes), len(present), strength, start, weights
    # A fit that is ended early is as good, since its log-loss is measured.
    found = solve_logistic(*problem, tol=TOL, max_iter=MAX_ITER)
    coefs[:, present] = np.vstack([-0.5 * found, 0.5 * found]).T if n_outputs == 1 else found.T
    return coefs, found


def _log_loss(honest, rows):
    own = log_softmax(honest, axis=1)[np.arange(rows.n_rows), rows.codes]
    return -float(np.average(own, weights=rows.sample_weight))
