"""Kernel ridge regressions on several views, tuned apart and then drawn together."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..kernels import Kernel, evaluate
from ..maps.views import View
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
from .viewed import ViewedMember

__all__ = ["CoRidgeSearch", "ViewKernels", "combine_views", "fit_co_ridge_members"]


class ViewKernels(NamedTuple):
    """A view of the rows, and the kernels of which it alone chooses one.

    Attributes
    ----------
    view : View
    kernels : list of Kernel
    """

    view: View
    kernels: list[Kernel]


class CoRidgeSearch(NamedTuple):
    """The members of all views with their kernels and strengths, and the search for a coupling."""

    members: list
    kernels: list
    alphas: list
    coupling: float
    losses: np.ndarray


def combine_views(scores, rule):
    """Return the mean ("mean") or the largest ("max") score of the views, class by class."""
    return np.mean(scores, axis=0) if rule == "mean" else np.max(scores, axis=0)


def fit_co_ridge_members(
    table,
    views,
    alphas,
    couplings,
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
    table : Table
    views : list of ViewKernels
    alphas, couplings : ndarray
        Candidates.
    combine : {"max", "mean"}
        The combined scores whose leave-one-out error the coupling minimises; equal errors go to the
        weaker coupling.
    intercept : bool, default=True
    X_unlabelled : {ndarray, CSR matrix} of shape (n_unlabelled, n_features), default=None
        Further rows on which the views shall agree.
    seed : int, default=None
    **map_options
        Options of `EmpiricalKernelMap`; when there are any, views are landmark features.

    Returns
    -------
    CoRidgeSearch
    """
    rows, n_unlabelled = table.all, 0 if X_unlabelled is None else X_unlabelled.shape[0]
    n, T, sample_weight = rows.n_rows, rows.targets("one_hot"), rows.sample_weight
    targets = ShareTargets(T, sample_weight, intercept)
    labelled = np.arange(n + n_unlabelled) < n
    columns = np.vstack([targets.columns, np.zeros((n_unlabelled, targets.columns.shape[1]))])
    weights = np.concatenate([targets.weights, np.ones(n_unlabelled)])
    searches, spectra, bases = [], [], []
    for view, kernels in views:
        seen = table.seen_as(view)
        if map_options:
            found = fit_landmark_member(
                seen, kernels, alphas, intercept=intercept, seed=seed, **map_options
            )
        else:
            found = fit_kernel_ridge_member(seen, kernels, alphas, intercept=intercept)
        everything = _stack(seen.all.X, None if X_unlabelled is None else view(X_unlabelled))
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
        ViewedMember(view, _model(found, basis, targets, A), S)
        for (view, _), found, basis, A, S in zip(views, searches, bases, coefs, honest)
    ]
    kernels = [found.kernel for found in searches]
    return CoRidgeSearch(members, kernels, strengths, coupling, losses)


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


def _model(found, basis, targets, coefs):
    coefs = targets.centred(coefs)
    if isinstance(found.member, RidgeMember):
        coefs = np.vstack([basis.T @ coefs, targets.shares])
        return replace(found.member, coefs=coefs, honest_scores=None)
    return KernelRidgeMember(found.kernel, basis, coefs, targets.shares, None)
