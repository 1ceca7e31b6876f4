"""Random vector functional link networks: ridge regression on inputs and random hidden units."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..solvers.ridge import Moments, solve_moments, solve_ridge
from ..solvers.ridge_loo import (
    loo_loss,
    loo_path,
    moments_loo_losses,
    solve_ridge_loo,
)
from ..solvers.ridge_spectrum import feature_spectrum
from ..threads import limited_blas, threads_for_features
from .grid_search import least_loss
from .member import Member
from .rvfl_parts import Networks, Wiring, left_out_scores, search_in_parts, sum_moments

# A scale that lowers the leave-one-out error by no more than this share of it ends the search.
MIN_GAIN = 0.003


@dataclass(frozen=True, eq=False)
class RVFLMember(Member):
    """A network with scores [1, x, act(x weights + biases)] @ coefs.

    The wiring says whether the 1 and the x are there, so `coefs` has shape (n_links + n_hidden,
    n_outputs). Honest scores are leave-one-out scores.
    """

    layer: Any
    wiring: Wiring
    coefs: np.ndarray
    alpha: float
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        (H,) = self.wiring.hidden(X, [self.layer])
        return self.join(self.wiring.links(X), H)

    def join(self, links, H):
        """Return the scores of rows from their links and hidden units."""
        n_links = links.shape[1]
        return links @ self.coefs[:n_links] + H @ self.coefs[n_links:]


def search_rvfl(table, layer, scales, alphas, wiring, starts=None):
    """Return squared leave-one-out errors of shape (n_scales, n_alphas) for one hidden layer.

    Errors of scales that were not tried are NaN.

    Parameters
    ----------
    table : Table
    layer : RandomLayer
        The hidden layer, drawn at scale 1.
    scales, alphas : ndarray
    wiring : Wiring
    starts : sequence of int, default=None
        Numbers of the scales that are tried before the neighbours of the best one; None means all.
        Rows that are not in memory are read as often for one scale as for all, so all are tried.
    """
    scaled = [layer.scaled(scale) for scale in scales]
    if not table.holds(_n_columns(table, scaled)):
        return search_in_parts(table, Networks(scaled, wiring), alphas)
    rows = table.all
    return search_scales(rows.X, scaled, alphas, wiring, rows, starts)


def search_scales(X, scaled, alphas, wiring, rows, starts=None):
    """Do as `search_rvfl` for one layer at several scales, which sees X instead of the rows."""
    T, links = rows.targets("one_hot"), wiring.links(rows.X)
    n_links = links.shape[1]
    # All scales share one buffer, because allocating it takes as long as the activations.
    Z = np.empty((rows.n_rows, n_links + scaled[0].n_hidden))
    Z[:, :n_links] = links

    def solve(s):
        (Z[:, n_links:],) = wiring.hidden(X, [scaled[s]])
        return loo_losses(Z, T, alphas, rows), None

    numbers = range(len(scaled)) if starts is None else starts
    with limited_blas(threads_for_features(*Z.shape)):
        return least_loss(solve, numbers, len(scaled), alphas, min_gain=MIN_GAIN)[0]


def loo_losses(Z, T, alphas, rows):
    """Return the squared leave-one-out errors of the ridge on features, one for each strength."""
    if Z.shape[1] < len(Z):
        moments = Moments.zeros(Z.shape[1], T.shape[1]).add(Z, T, rows.sample_weight)
        summed = moments_loo_losses(moments, alphas)(Z, T, rows.sample_weight, rows.left_out)
        return summed / rows.weights.sum()
    S = loo_path(feature_spectrum(Z, rows.sample_weight), T, alphas, rows.left_out)
    return loo_loss(S, T, rows.sample_weight)


def fit_rvfl_members(table, layers, alphas, wiring, *, honest=True):
    """Fit one network per hidden layer, each with its ridge strength, and return a list of them.

    `honest` says whether to compute leave-one-out scores, which takes a third of the time.
    """
    if not table.holds(_n_columns(table, layers)):
        moments = table.total(sum_moments, Networks(layers, wiring))
        return members_of_moments(moments, layers, alphas, wiring, table.scored if honest else None)
    rows = table.all
    T, links = rows.targets("one_hot"), wiring.links(rows.X)
    n_links = links.shape[1]
    # All networks share one buffer, because allocating it takes as long as the activations.
    Z = np.empty((rows.n_rows, n_links + max(layer.n_hidden for layer in layers)))
    Z[:, :n_links] = links
    members = []
    with limited_blas(threads_for_features(*Z.shape)):
        for layer, alpha, H in zip(layers, alphas, wiring.hidden(rows.X, layers)):
            n_columns = n_links + layer.n_hidden
            Z[:, n_links:n_columns] = H
            if honest:
                weights = rows.sample_weight, rows.left_out
                W, left_out = solve_ridge_loo(Z[:, :n_columns], T, alpha, *weights)
            else:
                W, left_out = solve_ridge(Z[:, :n_columns], T, alpha, rows.sample_weight), None
            members.append(RVFLMember(layer, wiring, W, alpha, left_out))
    return members


def fit_bagged_members(rows, layers, alphas, wiring, rng, *, honest=True):
    """Fit one network per hidden layer, each to rows drawn with replacement; return a list of them.

    A network gives its score to a row that it did not draw, and its leave-one-out score to any
    other row, so that all rows have honest scores by every network.

    Parameters
    ----------
    rows : Rows
    layers, alphas, wiring
        See `fit_rvfl_members`.
    rng : RandomState
    honest : bool, default=True
    """
    members = []
    for layer, alpha in zip(layers, alphas):
        bag = draw_bag(rows, rng)
        moments = sum_moments(bag, Networks([layer], wiring))
        honest_rows = bag if honest else None
        members += members_of_moments(moments, [layer], [alpha], wiring, honest_rows)
    return members


def draw_bag(rows, rng):
    """Return the rows with weights for as many of them drawn with replacement as there are.

    A row that was not drawn has weight zero.
    """
    if rows.copies is None:
        drawn = np.bincount(rng.randint(rows.n_rows, size=rows.n_rows), minlength=rows.n_rows)
        return rows._replace(sample_weight=rows.weights * drawn)
    n_copies = rows.copies.sum()
    drawn = rng.multinomial(int(n_copies), rows.copies / n_copies)
    return rows._replace(sample_weight=rows.weights / rows.copies * drawn)


def members_of_moments(moments, layers, alphas, wiring, honest_rows):
    """Return the networks of given moments, one per hidden layer.

    They have leave-one-out scores of `honest_rows`, or none if it is None.
    """
    scores = [None] * len(layers)
    if honest_rows is not None:
        scores = left_out_scores(honest_rows, Networks(layers, wiring), moments, alphas)
    return [
        RVFLMember(layer, wiring, solve_moments(found, alpha), alpha, left_out)
        for layer, found, alpha, left_out in zip(layers, moments, alphas, scores)
    ]


def _n_columns(table, layers):
    return table.shape[1] + max(layer.n_hidden for layer in layers)
