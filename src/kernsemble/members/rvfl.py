"""Random vector functional link networks: ridge regression on inputs and random hidden units."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..solvers.ridge import Moments, solve_ridge
from ..solvers.ridge_loo import loo_loss, loo_path, moments_loo_path, solve_ridge_loo
from ..solvers.ridge_spectrum import feature_spectrum
from .member import Member
from .rvfl_parts import (
    Networks,
    Wiring,
    left_out_scores,
    search_in_parts,
    solve_networks,
    sum_moments,
)

__all__ = ["RVFLMember", "fit_rvfl_members", "members_of_moments", "search_rvfl"]


@dataclass(frozen=True, eq=False)
class RVFLMember(Member):
    """Scores [1, x, act(x weights + biases)] @ coefs, with or without the 1 and the x.

    Attributes
    ----------
    layer : RandomLayer
    wiring : Wiring
    coefs : ndarray of shape (n_links + n_hidden, n_outputs)
    alpha : float
    honest_scores : ndarray of shape (n_scored, n_outputs) or None
        Leave-one-out scores of training rows.
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
        """Return the scores of rows whose links and hidden units are known."""
        n_links = links.shape[1]
        return links @ self.coefs[:n_links] + H @ self.coefs[n_links:]


def search_rvfl(table, layer, scales, alphas, wiring):
    """Return the squared leave-one-out errors of one hidden layer at several scales.

    Parameters
    ----------
    table : Table
    layer : RandomLayer
        Drawn at scale 1.
    scales, alphas : ndarray
        Candidates.
    wiring : Wiring

    Returns
    -------
    losses : ndarray of shape (n_scales, n_alphas)
    """
    scaled = [layer.scaled(scale) for scale in scales]
    if not table.holds(_n_columns(table, scaled)):
        return search_in_parts(table, Networks(scaled, wiring), alphas)
    rows = table.all
    T, links = rows.targets("one_hot"), wiring.links(rows.X)
    losses = np.empty((len(scales), len(alphas)))
    for row, H in zip(losses, wiring.hidden(rows.X, scaled)):
        Z = np.hstack([links, H])
        if Z.shape[1] < len(Z):
            moments = Moments.zeros(Z.shape[1], T.shape[1]).add(Z, T, rows.sample_weight)
            S = moments_loo_path(moments, alphas)(Z, T, rows.sample_weight)
        else:
            S = loo_path(feature_spectrum(Z, rows.sample_weight), T, alphas)
        row[:] = loo_loss(S, T, rows.sample_weight)
    return losses


def fit_rvfl_members(table, layers, alphas, wiring, *, honest=True):
    """Fit one network per hidden layer.

    Parameters
    ----------
    table : Table
    layers : list of RandomLayer
    alphas : sequence of float
        Ridge strength of each network.
    wiring : Wiring
    honest : bool, default=True
        Whether to compute leave-one-out scores, which is a third of the work.

    Returns
    -------
    list of RVFLMember
    """
    if not table.holds(_n_columns(table, layers)):
        moments = table.total(sum_moments, Networks(layers, wiring))
        return members_of_moments(moments, layers, alphas, wiring, table.scored if honest else None)
    rows = table.all
    T, links = rows.targets("one_hot"), wiring.links(rows.X)
    n_links = links.shape[1]
    # One buffer serves all networks: allocating it anew would cost as much as the activations.
    Z = np.empty((rows.n_rows, n_links + max(layer.n_hidden for layer in layers)))
    Z[:, :n_links] = links
    members = []
    for layer, alpha, H in zip(layers, alphas, wiring.hidden(rows.X, layers)):
        n_columns = n_links + layer.n_hidden
        Z[:, n_links:n_columns] = H
        if honest:
            W, left_out = solve_ridge_loo(Z[:, :n_columns], T, alpha, rows.sample_weight)
        else:
            W, left_out = solve_ridge(Z[:, :n_columns], T, alpha, rows.sample_weight), None
        members.append(RVFLMember(layer, wiring, W, alpha, left_out))
    return members


def members_of_moments(moments, layers, alphas, wiring, honest_rows):
    """Return the networks of given moments, with leave-one-out scores of some rows or without.

    Parameters
    ----------
    moments : list of Moments
    layers : list of RandomLayer
    alphas : sequence of float
    wiring : Wiring
    honest_rows : Rows or None
    """
    scores = [None] * len(layers)
    if honest_rows is not None:
        scores = left_out_scores(honest_rows, Networks(layers, wiring), moments, alphas)
    coefs = solve_networks(moments, alphas)
    return [
        RVFLMember(layer, wiring, W, alpha, left_out)
        for layer, W, alpha, left_out in zip(layers, coefs, alphas, scores)
    ]


def _n_columns(table, layers):
    return table.shape[1] + max(layer.n_hidden for layer in layers)
