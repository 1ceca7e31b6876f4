"""Ensembles of random vector functional link networks around one that leave-one-out has tuned."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from ..maps.random_layer import RandomLayer, draw_layer
from ..maps.views import View
from ..seeds import draw_seed, draw_seeds
from ..solvers.ridge_loo import select_alpha
from ..targets import as_shares, with_tie_break
from .member import Member
from .rvfl import fit_rvfl_members, search_rvfl
from .rvfl_parts import Wiring

__all__ = [
    "N_HONEST",
    "TASK_NETWORKS",
    "NetworksMember",
    "Tally",
    "TunedNetwork",
    "combined_scores",
    "draw_networks",
    "fit_networks_member",
    "network_tasks",
    "tally_up",
    "tune_network",
]

# Networks fitted by one task; one task has one seed, whatever the number of workers.
TASK_NETWORKS = 25
# Leaving rows out of a network costs as much as fitting it, and the mean of so many networks
# barely moves when more join.
N_HONEST = 100


class TunedNetwork(NamedTuple):
    """A hidden layer with the scale and the ridge strength that leave-one-out prefers."""

    layer: RandomLayer
    scale: float
    alpha: float


def tune_network(table, n_hidden, scales, alphas, wiring, rng):
    """Draw a hidden layer, and choose its scale and ridge strength by leave-one-out error.

    Parameters
    ----------
    table : Table
    n_hidden : int
    scales, alphas : ndarray
        Candidates.
    wiring : Wiring
    rng : RandomState

    Returns
    -------
    TunedNetwork
    """
    layer = draw_layer(table.shape[1], n_hidden, 1.0, rng)
    s = a = 0
    if len(scales) * len(alphas) > 1:
        losses = search_rvfl(table, layer, scales, alphas, wiring)
        s, a = divmod(select_alpha(losses.ravel(), np.tile(alphas, len(scales))), len(alphas))
    return TunedNetwork(layer.scaled(float(scales[s])), float(scales[s]), float(alphas[a]))


def network_tasks(n_networks):
    """Return the number of networks of every task, and whether it computes honest scores."""
    batches = gen_batches(n_networks, TASK_NETWORKS)
    return [{"size": b.stop - b.start, "honest": b.start < N_HONEST} for b in batches]


def draw_networks(size, n_inputs, n_hidden, tuned, perturbation, rng):
    """Return the hidden layers and the ridge strengths of networks around a tuned one.

    Parameters
    ----------
    size : int
        Number of networks.
    n_inputs, n_hidden : int
    tuned : TunedNetwork
    perturbation : {"one_sided", "symmetric"} or None
        Which random factors the hidden units, the scale and the strength get.
    rng : RandomState
    """
    if perturbation is None:
        factors = np.ones((size, 3))
    elif perturbation == "one_sided":
        factors = 1.0 + rng.uniform(size=(size, 3))
    else:
        factors = 2.0 ** rng.uniform(-1.0, 1.0, size=(size, 3))
    layers = [
        draw_layer(n_inputs, max(1, round(n_hidden * h)), tuned.scale * s, rng)
        for h, s, _ in factors
    ]
    return layers, tuned.alpha * factors[:, 2]


class Tally:
    """Sums of class scores and of votes over networks, one network at a time."""

    def __init__(self):
        self.n_members, self.scores, self.votes = 0, 0.0, 0.0

    def add(self, S):
        """Count the class scores of one network."""
        self.n_members += 1
        self.scores = self.scores + S
        self.votes = self.votes + (np.sign(S) if S.shape[1] == 1 else S.max(1)[:, None] == S)

    def __add__(self, other):
        both = Tally()
        both.n_members = self.n_members + other.n_members
        both.scores, both.votes = self.scores + other.scores, self.votes + other.votes
        return both

    def result(self, rule):
        """Return the mean score, or the share of votes with ties broken by it."""
        mean, n = self.scores / self.n_members, self.n_members
        if rule == "mean":
            return mean
        return with_tie_break(self.votes / n, mean, step=0.5 / n)


class TalliedNetworks(NamedTuple):
    """Networks without honest scores, and the tally of those they had."""

    members: list
    tally: Tally


def tally_up(members):
    """Return the networks with their honest scores counted and given up.

    Scores of hundreds of networks for all rows would be larger than everything else.
    """
    tally = Tally()
    for member in members:
        if member.honest_scores is not None:
            tally.add(member.decode(member.honest_scores))
    return TalliedNetworks([member.without_honest_scores() for member in members], tally)


def combined_scores(networks, X, rule):
    """Return the class scores of rows by networks of the same wiring."""
    wiring, tally = networks[0].wiring, Tally()
    links = wiring.links(X)
    layers = [network.layer for network in networks]
    for network, H in zip(networks, wiring.hidden(X, layers)):
        tally.add(network.decode(network.join(links, H)))
    return tally.result(rule)


@dataclass(frozen=True, eq=False)
class NetworksMember(Member):
    """Networks on a view as one member, with their mean margins as class shares.

    Attributes
    ----------
    view : View
    networks : list of RVFLMember
    honest_scores : ndarray of shape (n_rows, n_classes) or None
    """

    view: View
    networks: list[Any]
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        return as_shares(combined_scores(self.networks, self.view(X), "mean"))


def fit_networks_member(table, view, n_networks, n_hidden, scales, alphas, rng):
    """Fit networks with one-sided perturbations to a table seen through a view.

    Returns
    -------
    NetworksMember
    """
    rng = np.random.RandomState(draw_seed(rng))
    seen, wiring = table.seen_as(view), Wiring("sigmoid", True, True)
    tuned = tune_network(seen, n_hidden, scales, alphas, wiring, rng)
    tasks, networks, tally = network_tasks(n_networks), [], Tally()
    for task, seed in zip(tasks, draw_seeds(rng, len(tasks))):
        layers, strengths = draw_networks(
            task["size"],
            seen.shape[1],
            n_hidden,
            tuned,
            "one_sided",
            np.random.RandomState(seed),
        )
        members = fit_rvfl_members(seen, layers, strengths, wiring, honest=task["honest"])
        batch = tally_up(members)
        networks += batch.members
        tally = tally + batch.tally
    return NetworksMember(view, networks, as_shares(tally.result("mean")))
