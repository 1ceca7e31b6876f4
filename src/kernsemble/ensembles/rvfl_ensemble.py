"""An ensemble of random vector functional link networks with perturbed parameters."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from ..machines.rvfl import RVFLClassifier
from ..maps.random_layer import draw_layer, hidden_batches
from ..members.rvfl import fit_rvfl_members, linked_columns, members_of_moments
from ..tables import as_table
from ..targets import decode_scores, with_tie_break
from ..validation import check_choice, check_count

__all__ = ["RVFLEnsembleClassifier"]

# Networks fitted by one task; one chunk has one seed, whatever the number of workers.
CHUNK = 25
# Leaving rows out of a network costs as much as fitting it, and the mean of so many networks
# barely moves when more join.
N_HONEST = 100


class RVFLEnsembleClassifier(RVFLClassifier):
    """Many random vector functional link networks around one that leave-one-out has tuned.

    Each network draws its own hidden layer, and its number of units, its scale and its ridge
    strength are those of the tuned network times random factors.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of networks.
    n_hidden : int, default=100
        Hidden units of the tuned network.
    activation : {"sigmoid", "tanh", "radbas", "sine", "relu"}, default="sigmoid"
        "radbas" is exp(-t²).
    scale : float, array-like or "loo", default="loo"
        Range of the random weights, or candidates, of which leave-one-out chooses.
    direct_links : bool, default=True
        Whether the inputs go to the output as well.
    output_bias : bool, default=True
        Whether the output has a bias, penalised like every other weight.
    alpha : float, array-like or "loo", default="loo"
        Ridge strength, or candidates; "loo" means 2^-14, …, 2^5.
    perturbation : {"one_sided", "symmetric"} or None, default="one_sided"
        Factors 1 + u, u uniform in (0, 1), as in the paper; 2^u, u uniform in (-1, 1), which
        leaves the tuned values in the middle; or none, so that only the hidden layers differ.
    combine : {"mean", "vote"}, default="mean"
        How scores of the networks become one.
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, default=None
        Chunks of networks fitted at once.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    scale_, alpha_ : float
        Those of the tuned network.
    loo_scores_ : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        Combined class scores of the training rows of positive weight by the first 100 networks,
        each leaving the row out; with two classes one column, positive for `classes_[1]`. Of
        20,000 rows where rows come in chunks.
    loo_accuracy_ : float
    estimators_ : list of RVFLMember
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the softmax of scores, fitted on `loo_scores_`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The paper calls its one-sided factors small noise; their mean is 1.5.

    References
    ----------
    L. Zhang and P. N. Suganthan, "Benchmarking Ensemble Classifiers with Novel Co-Trained Kernel
    Ridge Regression and Random Vector Functional Link Ensembles", IEEE Computational Intelligence
    Magazine, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import RVFLEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RVFLEnsembleClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> bool(clf.loo_accuracy_ > 0.95)
    True
    """

    def __init__(
        self,
        n_estimators=500,
        *,
        n_hidden=100,
        activation="sigmoid",
        scale="loo",
        direct_links=True,
        output_bias=True,
        alpha="loo",
        perturbation="one_sided",
        combine="mean",
        class_weight=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        super().__init__(
            n_hidden,
            activation=activation,
            scale=scale,
            direct_links=direct_links,
            output_bias=output_bias,
            alpha=alpha,
            class_weight=class_weight,
            random_state=random_state,
        )
        self.n_estimators = n_estimators
        self.perturbation = perturbation
        self.combine = combine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_base_params(self):
        check_count(self.n_estimators, "n_estimators")
        check_choice(self.combine, "combine", ("mean", "vote"))
        if self.perturbation is not None:
            check_choice(self.perturbation, "perturbation", ("one_sided", "symmetric"))

    def _fit_members(self, X, T, sample_weight, rng):
        self._tune(X, T, sample_weight, rng)
        # Past the single network's own road.
        chunks = super(RVFLClassifier, self)._fit_members(X, T, sample_weight, rng)
        tally = sum((chunk.tally for chunk in chunks), Tally())
        self._judge(tally.result(self.combine), as_table(X, T, sample_weight).honest)
        return [member for chunk in chunks for member in chunk.members]

    def _draw_members(self, X, T, rng):
        chunks = gen_batches(self.n_estimators, CHUNK)
        return [{"size": c.stop - c.start, "loo": c.start < N_HONEST} for c in chunks]

    def _fit_member(self, X, T, sample_weight, rng, size, loo):
        layers, alphas = self._draw_networks(size, X.shape[1], rng)
        members = fit_rvfl_members(X, T, layers, alphas, sample_weight, loo=loo, **self._network())
        return _Chunk(members, self._count(members if loo else []))

    def _draw_networks(self, size, n_inputs, rng):
        """Return the hidden layers and the strengths of some networks."""
        factors = self._draw_factors(size, rng)
        layers = [
            draw_layer(n_inputs, max(1, round(self.n_hidden * h)), self.scale_ * s, rng)
            for h, s, _ in factors
        ]
        return layers, self.alpha_ * factors[:, 2]

    def _count(self, members):
        """Return the tally of honest scores, which the members then give up."""
        tally = Tally()
        for member in members:
            tally.add(decode_scores(member.honest_scores, len(self.classes_), self._coding))
            # Hundreds of networks times all rows would be larger than everything else.
            member.honest_scores = None
        return tally

    def _begin(self, rows, rng):
        self._tune(rows.X, rows.T, rows.sample_weight, rng)
        chunks = self._draw_members(rows.X, rows.T, rng)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(chunks))
        drawn = [
            self._draw_networks(chunk["size"], rows.X.shape[1], np.random.RandomState(seed))
            for chunk, seed in zip(chunks, seeds)
        ]
        self._layers = [layer for layers, _ in drawn for layer in layers]
        self._alphas: Any = np.concatenate([alphas for _, alphas in drawn])

    def _solve_sums(self, rows):
        members, tally = [], Tally()
        for batch in gen_batches(len(self._layers), CHUNK):
            honest = batch.start < N_HONEST
            part = members_of_moments(
                self._sums[batch],
                self._layers[batch],
                self._alphas[batch],
                rows if honest else None,
                self._network(),
            )
            tally += self._count(part if honest else [])
            members += part
        self._judge(tally.result(self.combine), rows)
        return members

    def _draw_factors(self, size, rng):
        """Return the factors of hidden units, scale and strength, of shape (size, 3)."""
        if self.perturbation is None:
            return np.ones((size, 3))
        if self.perturbation == "one_sided":
            return 1.0 + rng.uniform(size=(size, 3))
        return 2.0 ** rng.uniform(-1.0, 1.0, size=(size, 3))

    def _fit_combination(self, codes, sample_weight):
        self._fit_temperature(self.loo_scores_, codes, sample_weight)

    def _block_scores(self, X):
        links = linked_columns(X, self.direct_links, self.output_bias)
        n_links, n_classes, tally = links.shape[1], len(self.classes_), Tally()
        layers = [member.layer for member in self.estimators_]
        for member, H in zip(self.estimators_, hidden_batches(X, layers, self.activation)):
            S = links @ member.coefs[:n_links] + H @ member.coefs[n_links:]
            tally.add(decode_scores(S, n_classes, self._coding))
        return tally.result(self.combine)


class Tally:
    """Sums of class scores and of votes over networks, one network at a time."""

    def __init__(self):
        self.n_members, self.scores, self.votes = 0, 0.0, 0.0

    def add(self, S):
        """Count one network's class scores."""
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


class _Chunk(NamedTuple):
    members: list
    tally: Tally
