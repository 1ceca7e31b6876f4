"""Kernel ridge regressions on several views, tuned apart and then drawn together."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..kernels import evaluate
from ..solvers.co_ridge import solve_co_ridge
from ..solvers.ridge_loo import loo_loss, select_alpha
from ..solvers.ridge_spectrum import feature_spectrum, gram_spectrum
from .kernel_ridge import (
    KernelRidgeMember,
    ShareTargets,
    fit_kernel_ridge_member,
    fit_landmark_member,
)
from .ridge import RidgeMember

__all__ = ["CoRidgeSearch", "View", "ViewMember", "combine_views", "fit_co_ridge_members"]


class View(NamedTuple):
    """One way to look at the rows.

    Attributes
    ----------
    transformer : fitted transformer or None
        None means the rows as they are.
    kernels : list of Kernel
        Candidates, of which the view alone chooses.
    """

    transformer: Any
    kernels: list

    def rows(self, X):
        """Return the rows of `X` as the view sees them."""
        return X if self.transformer is None else self.transformer.transform(X)


class ViewMember(NamedTuple):
    """A ridge on one view.

    Attributes
    ----------
    view : View
    model : KernelRidgeMember or RidgeMember
    alpha : float
    """

    view: View
    model: Any
    alpha: float

    @property
    def kernel(self):
        dense = isinstance(self.model, KernelRidgeMember)
        return self.model.kernel if dense else self.model.feature_map.kernel_

    @property
    def honest_scores(self):
        return self.model.honest_scores

    def scores(self, X):
        return self.model.scores(self.view.rows(X))


class CoRidgeSearch(NamedTuple):
    """Members of all views, the chosen coupling and the losses of all couplings."""

    members: list
    coupling: float
    losses: np.ndarray


def combine_views(scores, rule):
    """Return the mean ("avg") or the largest ("max") score of the views, class by class."""
    return np.mean(scores, axis=0) if rule == "avg" else np.max(scores, axis=0)


def fit_co_ridge_members(
    views,
    alphas,
    couplings,
    X,
    T,
    sample_weight=None,
    *,
    combine,
    intercept=True,
    X_unlabelled=None,
    seed=None,
    **map_options,
):
    """Tune every view by its own leave-one-out error, then the coupling by that of all views.

    Parameters
    ----------
    views : list of View
    alphas, couplings : ndarray
        Candidates.
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_outputs)
    sample_weight : ndarray of shape (n_samples,), default=None
    combine : {"max", "avg"}
        Whose leave-one-out error the coupling minimises; equal errors go to the weaker coupling.
    intercept : bool, default=True
    X_unlabelled : {ndarray, CSR matrix} of shape (n_unlabelled, n_features), default=None
        Rows on which the views shall agree.
    seed : int, default=None
    **map_options
        Of `EmpiricalKernelMap`; when there are any, views are landmark features.

    Returns
    -------
    CoRidgeSearch
    """
    targets = ShareTargets(T, sample_weight, intercept)
    n, n_unlabelled = len(T), 0 if X_unlabelled is None else X_unlabelled.shape[0]
    labelled = np.arange(n + n_unlabelled) < n
    columns = np.vstack([targets.columns, np.zeros((n_unlabelled, targets.columns.shape[1]))])
    weights = np.concatenate([targets.weights, np.ones(n_unlabelled)])
    searches, spectra, bases = [], [], []
    for view in views:
        rows = view.rows(X)
        if map_options:
            found = fit_landmark_member(
                view.kernels,
                alphas,
                rows,
                T,
                sample_weight,
                intercept=intercept,
                seed=seed,
                **map_options,
            )
        else:
            found = fit_kernel_ridge_member(
                view.kernels, alphas, rows, T, sample_weight, intercept=intercept
            )
        everything = _stack(rows, None if X_unlabelled is None else view.rows(X_unlabelled))
        basis, spectrum = _basis(found, everything, weights, n_unlabelled > 0)
        searches.append(found)
        spectra.append(spectrum)
        bases.append(basis)
    strengths = [found.alpha for found in searches]
    losses = np.empty(len(couplings))
    best: Any = None
    for c, coupling in enumerate(couplings):
        fit = solve_co_ridge(spectra, columns, strengths, coupling, labelled, loo=True)
        honest = [targets.left_out(S[:n]) for S in fit.loo_scores]
        losses[c] = loo_loss(combine_views(honest, combine)[None], T, sample_weight)[0]
        if select_alpha(losses[: c + 1], -couplings[: c + 1]) == c:
            best = float(coupling), fit.coefs, honest
    coupling, coefs, honest = best
    members = [
        ViewMember(view, _model(found, basis, targets, A, S), found.alpha)
        for view, found, basis, A, S in zip(views, searches, bases, coefs, honest)
    ]
    return CoRidgeSearch(members, coupling, losses)


def _stack(rows, more):
    rows = rows.astype(np.float64, copy=False)
    if more is None:
        return rows
    return sparse.vstack([rows, more], "csr") if sparse.issparse(rows) else np.vstack([rows, more])


def _basis(found, rows, weights, new_rows):
    """Return what the coefficients multiply, rows or their features, and its spectrum."""
    if isinstance(found.member, RidgeMember):
        Z = found.member.feature_map.transform(rows)
        return Z, feature_spectrum(Z, weights)
    if found.spectrum is None or new_rows:
        return rows, gram_spectrum(evaluate([found.kernel], rows)[0], weights)
    return rows, found.spectrum


def _model(found, basis, targets, coefs, honest):
    coefs = targets.centred(coefs)
    if isinstance(found.member, RidgeMember):
        return found.member._replace(
            coefs=np.vstack([basis.T @ coefs, targets.shares]), honest_scores=honest
        )
    return KernelRidgeMember(found.kernel, basis, coefs, targets.shares, honest)
