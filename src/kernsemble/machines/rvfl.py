"""The random vector functional link network."""

from dataclasses import KW_ONLY
from typing import Any, NamedTuple

from ..fitting.found import Found
from ..fitting.incremental import IncrementalEnsemble
from ..fitting.kernel_method import is_auto
from ..fitting.parameters import with_parameters
from ..maps.random_layer import ACTIVATIONS
from ..members.networks import tune_network
from ..members.rvfl import fit_rvfl_members, members_of_moments
from ..members.rvfl_parts import Networks, Wiring, sum_moments
from ..strengths import SCALE_STARTS, SCALES, STRENGTHS
from ..validation import check_choice, check_count, resolve_grid


@with_parameters
class RVFLClassifier(IncrementalEnsemble):
    """Ridge regression of class indicators on the inputs and on random hidden units.

    With h(x) = act(x A + b), A uniform in (-s, s), b uniform in (0, s) and s the weight scale, the
    output weights W minimise sum_i s_i |[1, x_i, h(x_i)] W - t_i|² + alpha |W|² over one-hot
    targets t.

    Parameters
    ----------
    n_hidden : int
        Number of hidden units.
    activation : {"sigmoid", "tanh", "radbas", "sine", "relu"}
        Function of the hidden units; "radbas" is exp(-t²).
    weight_scale : float, array-like or "auto"
        Range of the random weights, or candidates of which leave-one-out chooses; "auto" means
        2^-5, …, 2^2, of which those on the way from 1/2 to the best are tried, for the price of
        about four fits of a network, and all with `preset="paper"`.
    direct_links : bool
        Whether the inputs go to the output as well.
    fit_intercept : bool
        Whether the output has a bias, penalised like every other weight.

    Attributes
    ----------
    weight_scale_, alpha_ : float
        The chosen weight scale and strength.
    estimators_ : list of one RVFLMember
    {honest}
    {fitted}

    References
    ----------
    L. Zhang and P. N. Suganthan, "A comprehensive evaluation of random vector functional link
    networks", Information Sciences 367, 2016.
    """

    n_hidden: int = 100
    _: KW_ONLY
    activation: str = "sigmoid"
    weight_scale: Any = "auto"
    direct_links: bool = True
    alpha: Any = "auto"
    fit_intercept: bool = True

    _coding = "one_hot"
    _accept_sparse = False
    _accept_chunks = True

    def _check_params(self, table):
        super()._check_params(table)
        check_network(self)

    @property
    def _wiring(self):
        return Wiring(self.activation, self.direct_links, self.fit_intercept)

    def _fit_members(self, table, rng):
        layer, scale, alpha = self._tune(table, rng)
        members = fit_rvfl_members(table, [layer], [alpha], self._wiring)
        return Found(members, {"weight_scale_": scale, "alpha_": alpha})

    def _tune(self, table, rng):
        scales = resolve_grid(self.weight_scale, "weight_scale", SCALES)
        alphas = resolve_grid(self.alpha, "alpha", STRENGTHS)
        starts = first_scales(self)
        return tune_network(table, self.n_hidden, scales, alphas, self._wiring, rng, starts)

    def _plan(self, table, rng):
        layer, scale, alpha = self._tune(table, rng)
        return Plan([layer], [alpha], {"weight_scale_": scale, "alpha_": alpha})

    def _sum_rows(self, rows, plan):
        return sum_moments(rows, Networks(plan.layers, self._wiring))

    def _solve_sums(self, table, plan, sums):
        members = members_of_moments(sums, plan.layers, plan.alphas, self._wiring, table.all)
        return Found(members, plan.attributes)


class Plan(NamedTuple):
    """The hidden layers and strengths of networks, and what is known about them."""

    layers: list
    alphas: Any
    attributes: dict


def first_scales(clf):
    """Return the numbers of the weight scales that are tried first; None means that all are."""
    by_default = is_auto(clf.weight_scale) and clf.preset == "auto"
    return SCALE_STARTS if by_default else None


def check_network(clf):
    """Raise an error that names the parameter of a random network that is not right."""
    check_count(clf.n_hidden, "n_hidden")
    check_choice(clf.activation, "activation", ACTIVATIONS)
    resolve_grid(clf.weight_scale, "weight_scale", SCALES)
    resolve_grid(clf.alpha, "alpha", STRENGTHS)
