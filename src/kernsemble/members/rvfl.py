"""A random vector functional link network: ridge on inputs and random hidden units."""

import numpy as np

from ..maps.random_layer import hidden_batches
from ..solvers.ridge import Moments, solve_ridge
from ..solvers.ridge_loo import loo_loss, loo_path, moments_loo_path, solve_ridge_loo
from ..solvers.ridge_spectrum import feature_spectrum
from ..tables import as_table
from .rvfl_parts import (
    Networks,
    left_out_scores,
    linked_columns,
    search_in_parts,
    solve_networks,
    sum_moments,
)

__all__ = ["RVFLMember", "fit_rvfl_members", "linked_columns", "members_of_moments", "search_rvfl"]

# Features of one network that are held at once; those of more rows are made again in every pass.
HELD_VALUES = 1 << 26


class RVFLMember:
    """Scores [1, x, act(x weights + biases)] @ coefs, with or without the 1 and the x.

    Attributes
    ----------
    layer : RandomLayer
    coefs : ndarray of shape (n_links + n_hidden, n_outputs)
    alpha : float
    honest_scores : ndarray of shape (n_samples, n_outputs) or None
        Leave-one-out scores of the training rows.
    """

    def __init__(
        self, layer, coefs, alpha, honest_scores, *, activation, direct_links, output_bias
    ):
        self.layer = layer
        self.coefs = coefs
        self.alpha = alpha
        self.honest_scores = honest_scores
        self.activation = activation
        self.direct_links = direct_links
        self.output_bias = output_bias

    def scores(self, X):
        """Return the scores of rows, of shape (n_samples, n_outputs)."""
        links = linked_columns(X, self.direct_links, self.output_bias)
        (H,) = hidden_batches(X, [self.layer], self.activation)
        n_links = links.shape[1]
        return links @ self.coefs[:n_links] + H @ self.coefs[n_links:]


def search_rvfl(
    X, T, layer, scales, alphas, sample_weight=None, *, activation, direct_links, output_bias
):
    """Return the squared leave-one-out errors of one hidden layer at several scales.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or Table
    T : ndarray of shape (n_samples, n_outputs)
        None for a table, which has its own targets and weights.
    layer : RandomLayer
        Drawn at scale 1.
    scales, alphas : ndarray
        Candidates.
    sample_weight : ndarray of shape (n_samples,), default=None
    activation : str
    direct_links, output_bias : bool

    Returns
    -------
    losses : ndarray of shape (n_scales, n_alphas)
    """
    scaled = [layer.scaled(scale) for scale in scales]
    if _in_parts(X, scaled):
        networks = Networks(scaled, activation, direct_links, output_bias)
        return search_in_parts(as_table(X, T, sample_weight), networks, alphas)
    links = linked_columns(X, direct_links, output_bias)
    losses = np.empty((len(scales), len(alphas)))
    for row, H in zip(losses, hidden_batches(X, scaled, activation)):
        Z = np.hstack([links, H])
        if Z.shape[1] < len(Z):
            moments = Moments.zeros(Z.shape[1], T.shape[1]).add(Z, T, sample_weight)
            S = moments_loo_path(moments, alphas)(Z, T, sample_weight)
        else:
            S = loo_path(feature_spectrum(Z, sample_weight), T, alphas)
        row[:] = loo_loss(S, T, sample_weight)
    return losses


def fit_rvfl_members(
    X, T, layers, alphas, sample_weight=None, *, activation, direct_links, output_bias, loo=True
):
    """Fit one network per hidden layer.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features) or Table
    T : ndarray of shape (n_samples, n_outputs)
        None for a table.
    layers : list of RandomLayer
    alphas : sequence of float
        Ridge strength of each network.
    sample_weight : ndarray of shape (n_samples,), default=None
    activation : str
    direct_links, output_bias : bool
    loo : bool, default=True
        Whether to compute leave-one-out scores, a third of the work; of a table those of its
        `honest` rows.

    Returns
    -------
    list of RVFLMember
    """
    settings = {
        "activation": activation,
        "direct_links": direct_links,
        "output_bias": output_bias,
    }
    if _in_parts(X, layers):
        table = as_table(X, T, sample_weight)
        moments = table.total(sum_moments, Networks(layers, **settings))
        return members_of_moments(moments, layers, alphas, table.honest if loo else None, settings)
    links = linked_columns(X, direct_links, output_bias)
    n_links = links.shape[1]
    # One buffer for all: allocating it anew would cost as much as the activations.
    Z = np.empty((len(X), n_links + max(layer.n_hidden for layer in layers)))
    Z[:, :n_links] = links
    members = []
    for layer, alpha, H in zip(layers, alphas, hidden_batches(X, layers, activation)):
        n_columns = n_links + layer.n_hidden
        Z[:, n_links:n_columns] = H
        if loo:
            W, honest = solve_ridge_loo(Z[:, :n_columns], T, alpha, sample_weight)
        else:
            W, honest = solve_ridge(Z[:, :n_columns], T, alpha, sample_weight), None
        members.append(RVFLMember(layer, W, alpha, honest, **settings))
    return members


def members_of_moments(moments, layers, alphas, honest_rows, settings):
    """Return the networks of given moments, with leave-one-out scores of some rows or without.

    Parameters
    ----------
    moments : list of Moments
    layers : list of RandomLayer
    alphas : sequence of float
    honest_rows : Rows or None
    settings : dict
        `activation`, `direct_links` and `output_bias`.
    """
    coefs = solve_networks(moments, alphas)
    scores = [None] * len(layers)
    if honest_rows is not None:
        networks = Networks(layers, **settings)
        scores = left_out_scores(honest_rows, networks, moments, alphas)
    return [
        RVFLMember(layer, W, alpha, honest, **settings)
        for layer, W, alpha, honest in zip(layers, coefs, alphas, scores)
    ]


def _in_parts(X, layers):
    if not isinstance(X, np.ndarray):
        return True
    n_columns = X.shape[1] + max(layer.n_hidden for layer in layers)
    return X.shape[0] > n_columns and X.shape[0] * n_columns > HELD_VALUES
