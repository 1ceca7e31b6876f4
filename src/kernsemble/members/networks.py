"""Ensembles of random vector functional link networks around a tuned one."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from ..maps.random_layer import RandomLayer, draw_layer, join_layers
from ..maps.views import SeenRows, View
from ..seeds import draw_seed, draw_seeds
from ..targets import as_shares, with_tie_break
from .grid_search import best_place
from .member import HiddenUnits, Member
from .rvfl import fit_rvfl_members, search_rvfl
from .rvfl_parts import Wiring

# Number of networks that one task fits. Each task has one seed, whatever the number of workers.
TASK_NETWORKS = 25
# Largest number of networks with honest scores, which take time. The honest scores of more networks
# would hardly change their mean.
N_HONEST = 100


class TunedNetwork(NamedTuple):
    """A hidden layer, with the scale and the ridge strength of least leave-one-out error."""

    layer: RandomLayer
    scale: float
    alpha: float


def tune_network(table, n_hidden, scales, alphas, wiring, rng, starts=None):
    """Draw a hidden layer and choose its scale and strength from candidates by leave-one-out error.

    `starts` are those of `search_rvfl`. Returns a `TunedNetwork`.
    """
    layer = draw_layer(table.shape[1], n_hidden, 1.0, rng)
    s = a = 0
    if len(scales) * len(alphas) > 1:
        s, a = best_place(search_rvfl(table, layer, scales, alphas, wiring, starts), alphas)
    return TunedNetwork(layer.scaled(float(scales[s])), float(scales[s]), float(alphas[a]))


def network_tasks(n_networks):
    """Return for every task its number of networks, and whether it computes honest scores."""
    batches = gen_batches(n_networks, TASK_NETWORKS)
    return [{"size": b.stop - b.start, "honest": b.start < N_HONEST} for b in batches]


def draw_networks(size, n_inputs, n_hidden, tuned, perturbation, rng):
    """Return the hidden layers and the ridge strengths of `size` networks around a tuned one.

    The perturbation ("one_sided", "symmetric" or None) says which random factors multiply the
    number of hidden units, the scale and the strength.
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
    """Sums of class scores and of votes over networks."""

    def __init__(self):
        self.n_members, self.scores, self.votes = 0, 0.0, 0.0

    def add(self, S):
        """Add the class scores of one network."""
        self.n_members += 1
        self.scores = self.scores + S
        self.votes = self.votes + (np.sign(S) if S.shape[1] == 1 else S.max(1)[:, None] == S)

    def __add__(self, other):
        both = Tally()
        both.n_members = self.n_members + other.n_members
        both.scores, both.votes = self.scores + other.scores, self.votes + other.votes
        return both

    def result(self, rule):
        """Return the mean scores, or the shares of votes with ties broken by the mean scores."""
        mean, n = self.scores / self.n_members, self.n_members
        if rule == "mean":
            return mean
        return with_tie_break(self.votes / n, mean, step=0.5 / n)


class TalliedNetworks(NamedTuple):
    """Networks without honest scores, and the tally of their honest scores."""

    members: list
    tally: Tally


def tally_up(members):
    """Return the networks without their honest scores, and the tally of these.

    The scores of hundreds of networks for all rows would take more memory than everything else.
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
    if rule == "mean":
        n_links = links.shape[1]
        total = links @ sum(network.coefs[:n_links] for network in networks)
        total += wiring.hidden_sums(X, layers, [network.coefs[n_links:] for network in networks])
        return networks[0].decode(total) / len(networks)
    for network, H in zip(networks, wiring.hidden(X, layers)):
        tally.add(network.decode(network.join(links, H)))
    return tally.result(rule)


def join_networks(networks):
    """Return one network whose scores are the mean of those of several with the same wiring."""
    first, n = networks[0], len(networks)
    n_links = len(first.coefs) - first.layer.n_hidden
    links = sum(network.coefs[:n_links] for network in networks)
    hidden = [network.coefs[n_links:] for network in networks]
    layer = join_layers([network.layer for network in networks])
    alpha = float(np.mean([network.alpha for network in networks]))
    return replace(first, layer=layer, coefs=np.vstack([links, *hidden]) / n, alpha=alpha)


@dataclass(frozen=True, eq=False)
class NetworksMember(Member):
    """Networks on a view as one member, whose scores are their mean margins as class shares."""

    view: View
    networks: list[Any]
    honest_scores: np.ndarray | None = None

    def scores(self, X):
        return self.scores_through(SeenRows(X))

    def scores_through(self, seen):
        return as_shares(combined_scores(self.networks, seen(self.view), "mean"))

    def compact(self):
        return replace(self, networks=[join_networks(self.networks)])

    def hidden_units(self):
        first, n = self.networks[0], len(self.networks)
        if not (first.wiring.fit_intercept and first.wiring.direct_links):
            return None
        n_inputs = len(first.layer.weights)
        # The margins of two classes are one column; those of more are halved, as shares are.
        coefs = [network.decode(network.coefs) / n for network in self.networks]
        share = 0.5 if coefs[0].shape[1] > 1 else 1.0
        shared = share * sum(own[: n_inputs + 1] for own in coefs)
        return HiddenUnits(
            self.view,
            first.wiring.activation,
            np.hstack([network.layer.weights for network in self.networks]),
            np.concatenate([network.layer.biases for network in self.networks]),
            share * np.vstack([own[n_inputs + 1 :] for own in coefs]),
            shared[1:],
            shared[0] + (0.5 if share < 1.0 else 0.0),
        )


def fit_networks_member(table, view, n_networks, n_hidden, scales, alphas, rng):
    """Fit a `NetworksMember` with one-sided perturbations to a view of a table."""
    rng = np.random.RandomState(draw_seed(rng))
    seen, wiring = table.seen_as(view), Wiring("sigmoid", True, True)
    tuned = tune_network(seen, n_hidden, scales, alphas, wiring, rng)
    tasks, networks, tally = network_tasks(n_networks), [], Tally()
    sizes = seen.shape[1], n_hidden
    for task, seed in zip(tasks, draw_seeds(rng, len(tasks))):
        own_rng = np.random.RandomState(seed)
        layers, strengths = draw_networks(task["size"], *sizes, tuned, "one_sided", own_rng)
        members = fit_rvfl_members(seen, layers, strengths, wiring, honest=task["honest"])
        batch = tally_up(members)
        networks += batch.members
        tally = tally + batch.tally
    return NetworksMember(view, networks, as_shares(tally.result("mean")))
