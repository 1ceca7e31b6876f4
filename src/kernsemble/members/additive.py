"""Logistic regression on curves of the columns, fitted without each fold in turn.

The scores of the models are linear in the same coordinates, so their mean is one linear model: the
member. It takes a fraction of the time of a kernel member, and where columns act one by one, as in
many tables of people and loans, nothing else predicts probabilities as well.
"""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.extmath import safe_sparse_dot

from ..maps.additive_view import fit_additive_view
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
    """The inverse strength that the first round chose, and the models of its folds."""

    inverse_strength: float
    models: list


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
    if choice is None:
        options = {"tol": TOL, "max_iter": MAX_ITER, "warm_start": True}
        choice = Choice(0.0, [LogisticRegression(**options) for _ in folds])
    strengths = [choice.inverse_strength] if choice.inverse_strength else INVERSE_STRENGTHS
    best: tuple[float, Fitted] | None = None
    for inverse in strengths:
        coefs = [
            _fit_fold(model.set_params(C=inverse), rows, rest)
            for model, (rest, _) in zip(choice.models, folds)
        ]
        honest = np.empty((rows.n_rows, rows.n_classes))
        for own, (_, fold) in zip(coefs, folds):
            honest[fold] = LinearMember(own).scores(rows.X[fold])
        loss = _log_loss(honest, rows)
        if best is not None and loss >= best[0]:
            break
        member = LinearMember(np.mean(coefs, axis=0), honest)
        best = loss, Fitted(member, Choice(inverse, choice.models))
    assert best is not None
    return best[1]


def _fit_fold(model, rows, rest):
    """Fit a model to some rows, and return its coefficients for all classes."""
    codes, X, weights = rows.codes[rest], rows.X[rest], rows.sample_weight
    # A class that these rows do not show is as likely as one further row would make it.
    shares = np.bincount(codes, minlength=rows.n_classes) / len(codes)
    coefs = np.zeros((X.shape[1] + 1, rows.n_classes))
    coefs[-1] = np.log(np.maximum(shares, 1.0 / (len(codes) + 1.0)))
    present = np.flatnonzero(shares)
    if len(present) < 2:
        return coefs
    with warnings.catch_warnings():
        # A fit that is ended early is as good, since its log-loss is measured.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, codes, sample_weight=None if weights is None else weights[rest])
    found = np.vstack([model.coef_.T, model.intercept_])
    if len(present) == 2:
        found = np.hstack([-0.5 * found, 0.5 * found])
    coefs[:, present] = found
    return coefs


def _log_loss(honest, rows):
    own = log_softmax(honest, axis=1)[np.arange(rows.n_rows), rows.codes]
    return -float(np.average(own, weights=rows.sample_weight))
