"""Ensemble deep random vector functional link network."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from ..fitting.found import Found
from ..fitting.kernel_method import KernelMethod
from ..fitting.parameters import with_parameters
from ..machines.rvfl import check_network, first_scales
from ..members.deep_rvfl import fit_deep_members, stacked_units
from ..members.rvfl_parts import Wiring
from ..strengths import SCALES, STRENGTHS
from ..validation import resolve_grid


@with_parameters
class EdRVFLClassifier(KernelMethod):
    """Stacked random layers, every one of which is a member with a ridge of its own.

    Layer l has the hidden units h_l(x) = act([x, h_(l-1)(x)] A_l + b_l) with random A_l and b_l,
    and the first layer sees x alone. The output weights of member l minimise
    sum_i s_i |[1, x_i, h_l(x_i)] W - t_i|² + alpha_l |W|² over one-hot targets t, in closed form,
    and its scale and strength are those of least leave-one-out error. The ensemble is the mean of
    the members; with one layer it is `RVFLClassifier`.

    Parameters
    ----------
    n_estimators : int
        Number of layers.
    n_hidden : int
        Number of hidden units of a layer.
    activation : {"sigmoid", "tanh", "radbas", "sine", "relu"}
        Function of the hidden units; "radbas" is exp(-t²).
    weight_scale : float, array-like or "auto"
        Range of the random weights, or candidates of which leave-one-out chooses for every layer;
        "auto" means 2^-5, …, 2^2, of which those on the way from 1/2 to the best are tried, for the
        price of about four fits, and all with `preset="paper"`.
    direct_links : bool
        Whether the inputs go to the outputs of all layers as well.
    fit_intercept : bool
        Whether the outputs have a bias, penalised like every other weight.
    combine : {"mean", "vote", "weighted", "stacked"}
        How member scores become one; the last two are fitted on honest scores.

    Attributes
    ----------
    estimators_ : list of DeepRVFLMember
        One member for every layer, each with its `layers` up to its own, and its `alpha`.
    {honest}
    {fitted}

    References
    ----------
    Shi, Katuwal, Suganthan and Tanveer (2021), Random vector functional link neural network based
    ensemble deep learning, Pattern Recognition 117.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import EdRVFLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EdRVFLClassifier(5, n_hidden=20, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    >>> len(clf.estimators_)
    5
    """

    n_estimators: int = 10
    _: KW_ONLY
    n_hidden: int = 100
    activation: str = "sigmoid"
    weight_scale: Any = "auto"
    direct_links: bool = True
    alpha: Any = "auto"
    fit_intercept: bool = True
    combine: str = "mean"

    _coding = "one_hot"
    _stacks_scores = True
    _accept_sparse = False

    def _check_params(self, table):
        super()._check_params(table)
        check_network(self)

    def _fit_members(self, table, rng):
        scales = resolve_grid(self.weight_scale, "weight_scale", SCALES)
        alphas = resolve_grid(self.alpha, "alpha", STRENGTHS)
        wiring = Wiring(self.activation, self.direct_links, self.fit_intercept)
        sizes = self.n_estimators, self.n_hidden
        starts = first_scales(self)
        return Found(fit_deep_members(table, *sizes, scales, alphas, wiring, rng, starts))

    def _block_scores(self, X):
        # One pass through the layers serves all members.
        deepest = self.estimators_[-1]
        units = stacked_units(X, deepest.layers, deepest.wiring)
        links = deepest.wiring.links(X)
        scores = [m.decode(m.join(links, H)) for m, H in zip(self.estimators_, units)]
        return self.combination_(np.stack(scores))
