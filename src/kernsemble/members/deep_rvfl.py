"""Stacked random layers, each with a ridge of its own on the inputs and its hidden units."""

from dataclasses import dataclass

import numpy as np

from ..maps.random_layer import RandomLayer, draw_layer
from ..solvers.ridge_loo import solve_ridge_loo
from .grid_search import best_place
from .member import Member
from .rvfl import search_scales
from .rvfl_parts import Wiring


@dataclass(frozen=True, eq=False)
class DeepRVFLMember(Member):
    """A stack of random layers with scores [1, x, h(x)] @ coefs, h(x) the units of the last layer.

    Honest scores are leave-one-out scores.
    """

    layers: tuple[RandomLayer, ...]
    wiring: Wiring
    coefs: np.ndarray
    alpha: float
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        *_, H = stacked_units(X, self.layers, self.wiring)
        return self.join(self.wiring.links(X), H)

    def join(self, links, H):
        """Return the scores of rows from their links and the units of the last layer."""
        n_links = links.shape[1]
        return links @ self.coefs[:n_links] + H @ self.coefs[n_links:]


def stacked_units(X, layers, wiring):
    """Yield the hidden units of every layer; a layer sees the inputs and the units before it."""
    seen = X.astype(np.float64, copy=False)
    for layer in layers:
        (H,) = wiring.hidden(seen, [layer])
        yield H
        seen = np.hstack([X, H])


def fit_deep_members(table, n_layers, n_hidden, scales, alphas, wiring, rng, starts=None):
    """Fit a `DeepRVFLMember` for every layer, and return a list of them.

    Each layer is drawn at random, and the scale of its weights and the strength of its ridge are
    those of least squared leave-one-out error. `starts` are those of `search_rvfl`.
    """
    rows = table.all
    T, links = rows.targets("one_hot"), wiring.links(rows.X)
    seen, members = rows.X, []
    layers: tuple[RandomLayer, ...] = ()
    for _ in range(n_layers):
        drawn = draw_layer(seen.shape[1], n_hidden, 1.0, rng)
        scaled = [drawn.scaled(float(scale)) for scale in scales]
        s, a = best_place(search_scales(seen, scaled, alphas, wiring, rows, starts), alphas)
        layers, alpha = (*layers, scaled[s]), float(alphas[a])
        (H,) = wiring.hidden(seen, [scaled[s]])
        weights = rows.sample_weight, rows.left_out
        W, left_out = solve_ridge_loo(np.hstack([links, H]), T, alpha, *weights)
        members.append(DeepRVFLMember(layers, wiring, W, alpha, left_out))
        seen = np.hstack([rows.X, H])
    return members
