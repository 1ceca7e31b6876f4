"""The random vector functional link network."""

import numpy as np

from ..fitting.base import KernelEnsemble
from ..fitting.incremental import IncrementalMixin
from ..maps.random_layer import ACTIVATIONS, draw_layer
from ..members.rvfl import fit_rvfl_members, members_of_moments, search_rvfl
from ..members.rvfl_parts import Networks, sum_moments
from ..solvers.ridge_loo import select_alpha
from ..tables import as_table
from ..validation import check_choice, check_count
from .kernel_ridge import STRENGTHS, resolve_grid, weighted_accuracy

__all__ = ["RVFLClassifier"]

#: Scales of the random weights tried by "loo".
SCALES = 2.0 ** np.arange(-5, 3)


class RVFLClassifier(IncrementalMixin, KernelEnsemble):
    """Ridge regression of class indicators on the inputs and on random hidden units.

    With h(x) = act(x A + b), A uniform in (-scale, scale) and b uniform in (0, scale), the output
    weights W minimise sum_i s_i |[1, x_i, h(x_i)] W - t_i|² + alpha |W|² over one-hot targets t.

    Parameters
    ----------
    n_hidden : int, default=100
        Number of hidden units.
    activation : {"sigmoid", "tanh", "radbas", "sine", "relu"}, default="sigmoid"
        "radbas" is exp(-t²).
    scale : float, array-like or "loo", default="loo"
        Range of the random weights, or candidates, of which leave-one-out chooses; "loo" means
        2^-5, …, 2^2.
    direct_links : bool, default=True
        Whether the inputs go to the output as well.
    output_bias : bool, default=True
        Whether the output has a bias, penalised like every other weight.
    alpha : float, array-like or "loo", default="loo"
        Ridge strength, or candidates; "loo" means 2^-14, …, 2^5.
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    scale_, alpha_ : float
        The chosen scale and strength.
    loo_scores_ : ndarray of shape (n_samples, n_classes)
        Score of every training row of positive weight by the output weights fitted without it;
        of 20,000 of them where rows come in chunks.
    loo_accuracy_ : float
        Their weighted accuracy.
    estimators_ : list of one RVFLMember
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax of scores, fitted on `loo_scores_`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    L. Zhang and P. N. Suganthan, "A comprehensive evaluation of random vector functional link
    networks", Information Sciences 367, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import RVFLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RVFLClassifier(random_state=0).fit(X, y)
    >>> bool(clf.loo_accuracy_ > 0.95)
    True
    """

    _coding = "one_hot"
    _accept_sparse = False
    _accept_chunks = True

    def __init__(
        self,
        n_hidden=100,
        *,
        activation="sigmoid",
        scale="loo",
        direct_links=True,
        output_bias=True,
        alpha="loo",
        class_weight=None,
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.activation = activation
        self.scale = scale
        self.direct_links = direct_links
        self.output_bias = output_bias
        self.alpha = alpha
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self, X):
        check_count(self.n_hidden, "n_hidden")
        check_choice(self.activation, "activation", ACTIVATIONS)
        resolve_grid(self.scale, "scale", SCALES)
        resolve_grid(self.alpha, "alpha", STRENGTHS)

    def _fit_members(self, X, T, sample_weight, rng):
        layer = self._tune(X, T, sample_weight, rng)
        (member,) = fit_rvfl_members(X, T, [layer], [self.alpha_], sample_weight, **self._network())
        self._judge(member.honest_scores, as_table(X, T, sample_weight).honest)
        return [member]

    def _tune(self, X, T, sample_weight, rng):
        """Choose scale and strength, and return the hidden layer at that scale."""
        layer = draw_layer(X.shape[1], self.n_hidden, 1.0, rng)
        self.scale_, self.alpha_ = self._choose(X, T, sample_weight, layer)
        return layer.scaled(self.scale_)

    def _judge(self, scores, rows):
        self.loo_scores_ = scores
        margins = np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores
        self.loo_accuracy_ = weighted_accuracy(margins, rows.T, rows.sample_weight)

    def _begin(self, rows, rng):
        self._layers = [self._tune(rows.X, rows.T, rows.sample_weight, rng)]
        self._alphas = [self.alpha_]

    def _sum_rows(self, rows):
        return sum_moments(rows, Networks(self._layers, **self._network()))

    def _solve_sums(self, rows):
        members = members_of_moments(self._sums, self._layers, self._alphas, rows, self._network())
        self._judge(members[0].honest_scores, rows)
        return members

    def _network(self):
        return {
            "activation": self.activation,
            "direct_links": self.direct_links,
            "output_bias": self.output_bias,
        }

    def _choose(self, X, T, sample_weight, layer):
        """Return the scale and the strength of least leave-one-out error for one hidden layer."""
        scales = resolve_grid(self.scale, "scale", SCALES)
        alphas = resolve_grid(self.alpha, "alpha", STRENGTHS)
        if len(scales) == len(alphas) == 1:
            return float(scales[0]), float(alphas[0])
        losses = search_rvfl(X, T, layer, scales, alphas, sample_weight, **self._network())
        s, a = divmod(select_alpha(losses.ravel(), np.tile(alphas, len(scales))), len(alphas))
        return float(scales[s]), float(alphas[a])
