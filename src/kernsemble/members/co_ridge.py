"""Kernel ridge regressions on several views, first tuned separately and then coupled."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..kernels import Kernel, evaluate
from ..maps.views import View
from ..solvers.co_ridge import solve_co_ridge
from ..solvers.ridge_loo import loo_loss
from ..solvers.ridge_spectrum import feature_spectrum, gram_spectrum
from .grid_search import least_loss
from .kernel_ridge import (
    ShareTargets,
    fit_kernel_ridge_member,
    fit_landmark_member,
    kernel_ridge_member,
)
from .ridge import RidgeMember
from .ridge_walk import walk_kernel_ridge_member
from .viewed import ViewedMember

# Of a grid of couplings, every third one is tried before the neighbours of the best.
COUPLING_STEP = 3


class ViewKernels(NamedTuple):
    """A view of the rows, and the candidate kernels from which one is chosen for it.

    `every` says whether all of them are compared, rather than a few and their neighbours.
    """

    view: View
    kernels: list[Kernel]
    every: bool = True


class CoRidgeSearch(NamedTuple):
    """The members of all views with their kernels and strengths, and the loss of each coupling."""

    members: list
    kernels: list
    alphas: list
    coupling: float
    losses: np.ndarray


def combine_views(scores, rule):
    """Return the mean or, for the rule "max", the largest score of the views for each class."""
    return np.mean(scores, axis=0) if rule == "mean" else np.max(scores, axis=0)


def fit_co_ridge_members(
    table,
    views,
    alphas,
    couplings,
    *,
    combine,
    every_coupling,
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
        How scores are combined. The coupling minimises the leave-one-out error of the combined
        scores; of equal errors, the first coupling is chosen.
    every_coupling : bool
        Whether all couplings are compared, rather than a few and the neighbours of the best.
    intercept : bool, default=True
    X_unlabelled : {ndarray, CSR matrix} of shape (n_unlabelled, n_features), default=None
        Unlabelled rows on which the views should agree.
    seed : int, default=None
    **map_options
        Options of `EmpiricalKernelMap`. If there are any, the ridges are fitted to landmark
        features.

    Returns
    -------
    CoRidgeSearch
    """
    rows, n_unlabelled = table.all, 0 if X_unlabelled is None else X_unlabelled.shape[0]
    n, T, sample_weight = rows.n_rows, rows.targets("one_hot"), rows.sample_weight
    targets = ShareTargets(T, sample_weight, intercept, left_out=rows.left_out)
    labelled = np.arange(n + n_unlabelled) < n
    columns = np.vstack([targets.columns, np.zeros((n_unlabelled, targets.columns.shape[1]))])
    weights = np.concatenate([targets.weights, np.ones(n_unlabelled)])
    searches, spectra, bases = [], [], []
    for view, kernels, every in views:
        seen = table.seen_as(view)
        fit = fit_kernel_ridge_member if every else walk_kernel_ridge_member
        if map_options:
            fit = partial(fit_landmark_member, seed=seed, **map_options)
        found = fit(seen, kernels, alphas, intercept=intercept)
        everything = _stack(seen.all.X, None if X_unlabelled is None else view(X_unlabelled))
        basis, spectrum = _basis(found, everything, weights, n_unlabelled > 0)
        searches.append(found)
        spectra.append(spectrum)
        bases.append(basis)
    strengths = [found.alpha for found in searches]

    def solve(c):
        solution = solve_co_ridge(
            spectra, columns, strengths, couplings[c], labelled, loo=True, left_out=rows.left_out
        )
        honest = [targets.left_out(S[:n]) for S in solution.loo_scores]
        loss = loo_loss(combine_views(honest, combine)[None], T, sample_weight)
        return loss, (solution.coefs, honest)

    starts = range(0, len(couplings), 1 if every_coupling else COUPLING_STEP)
    losses, c, _, (coefs, honest) = least_loss(solve, starts, len(couplings), np.zeros(1))
    members = [
        ViewedMember(view.view, _model(found, basis, targets, A), S)
        for view, found, basis, A, S in zip(views, searches, bases, coefs, honest)
    ]
    kernels = [found.kernel for found in searches]
    return CoRidgeSearch(members, kernels, strengths, float(couplings[c]), losses[:, 0])


def _stack(rows, more):
    rows = rows.astype(np.float64, copy=False)
    if more is None:
        return rows
    return sparse.vstack([rows, more], "csr") if sparse.issparse(rows) else np.vstack([rows, more])


def _basis(found, rows, weights, new_rows):
    """Return the rows or features that the coefficients belong to, and their spectrum."""
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
    return kernel_ridge_member(found.kernel, basis, coefs, targets.shares)
