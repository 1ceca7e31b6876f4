"""Random vector functional link networks on rows that do not fit into memory: sums over blocks."""

from typing import Any, NamedTuple

import numpy as np

from ..maps.random_layer import hidden_batches, hidden_sums
from ..solvers.ridge import Moments
from ..solvers.ridge_loo import moments_loo_losses, moments_loo_path

BLOCK_ROWS = 4096


class Wiring(NamedTuple):
    """How inputs, hidden units and output of a network are connected.

    Attributes
    ----------
    activation : str
    direct_links : bool
        Whether the inputs are also connected to the output.
    fit_intercept : bool
        Whether the output has a bias.
    """

    activation: str
    direct_links: bool
    fit_intercept: bool

    def links(self, X):
        """Return the columns that are connected to the output directly."""
        columns = [np.ones((len(X), 1))] if self.fit_intercept else []
        if self.direct_links:
            columns.append(X)
        return np.hstack(columns) if columns else np.empty((len(X), 0))

    def hidden(self, X, layers):
        """Yield the hidden units of every layer."""
        return hidden_batches(X, layers, self.activation)

    def hidden_sums(self, X, layers, coefs):
        """Return the sum of hidden units times coefficients over all layers."""
        return hidden_sums(X, layers, self.activation, coefs)


class Networks(NamedTuple):
    """Hidden layers with the same wiring."""

    layers: list
    wiring: Wiring

    def features(self, X):
        """Yield the features [1, x, h(x)] of every network."""
        links = self.wiring.links(X)
        for H in self.wiring.hidden(X, self.layers):
            yield np.hstack([links, H])


def sum_moments(rows, networks):
    """Return a list of the moments of some rows, one for every network."""
    found: list[Any] = [None] * len(networks.layers)
    for block in rows.blocks(BLOCK_ROWS):
        T = block.targets("one_hot")
        for number, Z in enumerate(networks.features(block.X)):
            if found[number] is None:
                found[number] = Moments.zeros(Z.shape[1], T.shape[1])
            found[number].add(Z, T, block.sample_weight)
    return found


def search_in_parts(table, networks, alphas):
    """Return squared leave-one-out errors of shape (n_networks, n_alphas), in two passes."""
    moments = table.total(sum_moments, networks)
    losses = [moments_loo_losses(found, alphas) for found in moments]
    return table.total(_squared_errors, networks, losses) / table.class_weights.sum()


def _squared_errors(rows, networks, losses):
    errors: Any = 0.0
    for block in rows.blocks(BLOCK_ROWS):
        T, features = block.targets("one_hot"), networks.features(block.X)
        errors = errors + np.stack(
            [own(Z, T, block.sample_weight, block.left_out) for own, Z in zip(losses, features)]
        )
    return errors


def left_out_scores(rows, networks, moments, alphas):
    """Yield the leave-one-out scores by every network of some of the rows in its moments."""
    for layer, found, alpha in zip(networks.layers, moments, alphas):
        left_out, alone = moments_loo_path(found, [alpha]), networks._replace(layers=[layer])
        scores = []
        for block in rows.blocks(BLOCK_ROWS):
            (Z,), T = alone.features(block.X), block.targets("one_hot")
            scores.append(left_out(Z, T, block.sample_weight, block.left_out)[0])
        yield np.concatenate(scores)
