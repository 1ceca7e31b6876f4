"""Kernel ridge classification tuned by exact leave-one-out."""

from dataclasses import KW_ONLY
from typing import Any, NamedTuple

import numpy as np

from ..calibration import HonestScores
from ..fitting.found import Found
from ..fitting.incremental import IncrementalEnsemble
from ..fitting.kernel_method import is_auto
from ..fitting.parameters import with_parameters
from ..kernels import MedianGrid, resolve_kernels
from ..maps import EmpiricalKernelMap
from ..maps.landmarks import LANDMARK_RULES
from ..members.kernel_ridge import (
    LandmarkFeatures,
    fit_kernel_ridge_member,
    fit_landmark_member,
    landmark_member,
    landmark_sums,
)
from ..members.ridge_walk import walk_kernel_ridge_member
from ..seeds import draw_seed
from ..strengths import STRENGTHS
from ..validation import check_choice, resolve_grid

#: Above this many rows "auto" means landmarks.
DENSE_ROWS = 5000
DEFAULT_LANDMARKS = 1000


@with_parameters
class KernelRidgeClassifier(IncrementalEnsemble):
    """Kernel ridge regression of class indicators, tuned by exact leave-one-out.

    With p the class shares, f(x) = p + sum_i a_i k(x, x_i) minimises

        sum_i s_i |f(x_i) - t_i|² + alpha |f - p|²

    over one-hot targets t. One eigendecomposition per kernel gives the scores of every row by the
    model fitted without it, for all strengths at once; kernel and strength are those of least
    squared leave-one-out error, and equal errors go to the larger strength. Of six kernels or more
    on 800 rows or more, a quarter of the rows rules out most first. With the defaults, a sample
    finds the neighbourhood and a few Cholesky factors the rest, for the price of about five fits.

    Parameters
    ----------
    kernels : Kernel, list of Kernel or sampler
        Candidates, of which leave-one-out chooses one. None means `MedianGrid(high=6)`, Gaussian
        widths in powers of two around the median distance, and with `preset="paper"`
        `MedianGrid()`. They are compared one and all there, and where `alpha` is given.
    n_landmarks : int, float, "auto" or None
        Number of training rows that span the features, or their share; None means all rows, and
        "auto" means all up to 5,000 rows and 1,000 above.
    fit_intercept : bool
        Whether to start from the class shares; False fits the indicators themselves.

    Attributes
    ----------
    kernel_ : Kernel
        The chosen kernel.
    alpha_ : float
        The chosen strength.
    kernel_candidates_ : list of Kernel
        The kernels that were compared, the rows of `honest_losses_`.
    honest_losses_ : ndarray of shape (n_kernels, n_alphas)
        Mean squared leave-one-out error of each candidate, NaN for those that were ruled out.
    estimators_ : list of one member
    {honest}
    {fitted}

    Notes
    -----
    Leaving a row out also takes it out of the class shares, and the scores account for that.

    {zhang_suganthan_2017}
    """

    kernels: Any = None
    _: KW_ONLY
    n_landmarks: Any = "auto"
    landmarks: str = "uniform"
    alpha: Any = "auto"
    fit_intercept: bool = True

    _coding = "one_hot"
    _accept_chunks = True

    def _check_params(self, table):
        super()._check_params(table)
        resolve_grid(self.alpha, "alpha", STRENGTHS)
        check_choice(self.landmarks, "landmarks", LANDMARK_RULES)
        resolve_landmarks(self.n_landmarks, table)

    def _fit_members(self, table, rng):
        kernels = resolve_kernels(self.kernels, table, None, rng, default=default_widths(self))
        n_landmarks = resolve_landmarks(self.n_landmarks, table)
        if n_landmarks is None:
            alphas = resolve_grid(self.alpha, "alpha", STRENGTHS)
            # Few enough rows to be brought together.
            whole = table if table.in_memory else table.take(np.arange(table.n_rows))
            by_default = self.kernels is None and is_auto(self.alpha) and self.preset == "auto"
            fit = walk_kernel_ridge_member if by_default else fit_kernel_ridge_member
            found = fit(whole, kernels, alphas, intercept=self.fit_intercept)
            scores = found.member.decode(found.member.honest_scores)
            honest = HonestScores.of(scores, whole.all, whole.scored_numbers)
            return Found([found.member], _chosen(kernels, found), honest)
        found = self._fit_landmarks(table, kernels, n_landmarks, rng)
        return Found([found.member], _chosen(kernels, found))

    def _fit_landmarks(self, table, kernels, n_landmarks, rng):
        return fit_landmark_member(
            table,
            kernels,
            resolve_grid(self.alpha, "alpha", STRENGTHS),
            intercept=self.fit_intercept,
            seed=draw_seed(rng),
            n_landmarks=n_landmarks,
            landmarks=self.landmarks,
        )

    def _plan(self, table, rng):
        kernels = resolve_kernels(self.kernels, table, None, rng, default=default_widths(self))
        # Without landmarks every later row would have to be one.
        n_landmarks = resolve_landmarks(self.n_landmarks, table)
        n_landmarks = n_landmarks or min(table.n_rows, DEFAULT_LANDMARKS)
        found = self._fit_landmarks(table, kernels, n_landmarks, rng)
        return Plan(found.member.feature_map, _chosen(kernels, found))

    def _sum_rows(self, rows, plan):
        return landmark_sums(rows, plan.feature_map)

    def _solve_sums(self, table, plan, sums):
        moments, targets = sums
        features = LandmarkFeatures(plan.feature_map, self.fit_intercept, targets)
        member = landmark_member(features, moments, plan.attributes["alpha_"], table.all)
        return Found([member], plan.attributes)


class Plan(NamedTuple):
    """The landmark features that the first chunk chose, and what is known about them."""

    feature_map: EmpiricalKernelMap
    attributes: dict


def default_widths(clf):
    """Return the sampler of the kernels that are compared if none are given."""
    # Classes that wind around each other, as two spirals do, need narrower kernels than others.
    return MedianGrid() if clf.preset == "paper" else MedianGrid(high=6)


def _chosen(kernels, found):
    return {
        "kernel_": found.kernel,
        "alpha_": found.alpha,
        "kernel_candidates_": kernels,
        "honest_losses_": found.losses,
    }


def resolve_landmarks(n_landmarks, table):
    """Return the number of landmarks, None for a dense kernel matrix."""
    if isinstance(n_landmarks, str):
        check_choice(n_landmarks, "n_landmarks", ("auto",))
        return None if table.n_rows <= DENSE_ROWS else DEFAULT_LANDMARKS
    if n_landmarks is None:
        return None
    return table.count(n_landmarks, "n_landmarks")
