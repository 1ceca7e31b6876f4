"""An ensemble of random vector functional link networks with perturbed parameters."""

from dataclasses import KW_ONLY

import numpy as np
from sklearn.utils import gen_batches

from ..calibration import HonestScores
from ..combine import Mean, Vote
from ..fitting.found import Found
from ..fitting.parameters import with_parameters
from ..machines.rvfl import Plan, RVFLClassifier
from ..members.networks import (
    N_HONEST,
    TASK_NETWORKS,
    Tally,
    combined_scores,
    draw_networks,
    network_tasks,
    tally_up,
)
from ..members.rvfl import fit_bagged_members, fit_rvfl_members, members_of_moments
from ..seeds import draw_seeds
from ..validation import check_choice, check_instance


@with_parameters
class RVFLEnsembleClassifier(RVFLClassifier):
    """Many random vector functional link networks around one that leave-one-out has tuned.

    Each network draws its own hidden layer, and its number of units, its weight scale and its ridge
    strength are those of the tuned network times random factors. Bagged networks, with which the
    paper compares them, differ in their rows instead: `bootstrap=True, perturbation=None`.

    Parameters
    ----------
    perturbation : {"one_sided", "symmetric"} or None
        Random factors of each network: 1 + u with u uniform in (0, 1), as in the paper; 2^u with u
        uniform in (-1, 1), which leaves the tuned values in the middle; or none, so that only the
        hidden layers differ.
    bootstrap : bool
        Whether every network is fitted to as many rows as there are, drawn with replacement. All
        rows must then be in memory.

    Attributes
    ----------
    weight_scale_, alpha_ : float
        Weight scale and strength of the tuned network.
    estimators_ : list of RVFLMember
    {honest}
    {fitted}

    Notes
    -----
    The paper calls its one-sided factors small noise; their mean is 1.5. Honest scores are those of
    the first 100 networks, each leaving the row out.

    {zhang_suganthan_2017}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import RVFLEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> perturbed = RVFLEnsembleClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> bagged = RVFLEnsembleClassifier(
    ...     50, perturbation=None, bootstrap=True, random_state=0
    ... ).fit(X[::2], y[::2])
    >>> min(perturbed.score(X[1::2], y[1::2]), bagged.score(X[1::2], y[1::2])) > 0.9
    True
    """

    n_estimators: int = 500
    _: KW_ONLY
    n_hidden: int = 100
    perturbation: str | None = "one_sided"
    bootstrap: bool = False
    combine: str = "mean"
    n_jobs: int | None = None
    verbose: int = 0

    _combine_rules = ("mean", "vote")

    def _check_params(self, table):
        super()._check_params(table)
        if self.perturbation is not None:
            check_choice(self.perturbation, "perturbation", ("one_sided", "symmetric"))
        check_instance(self.bootstrap, "bootstrap", (bool, np.bool_), "True or False")
        if self.bootstrap and not table.in_memory:
            raise ValueError(
                "bootstrap=True draws rows for every network and needs all of them in memory, got "
                "chunks; use perturbation for networks that differ, with bootstrap=False."
            )

    def _fit_members(self, table, rng):
        tuned = self._tune(table, rng)
        drawn = [{**task, "tuned": tuned} for task in network_tasks(self.n_estimators)]
        batches = self._fit_each(table, rng, drawn)
        attributes = {"weight_scale_": tuned.scale, "alpha_": tuned.alpha}
        return self._join(batches, attributes, table.scored, table.scored_numbers)

    def _fit_member(self, table, rng, size, honest, tuned):
        """Fit the networks of one task."""
        layers, alphas = self._draw_networks(size, table.shape[1], tuned, rng)
        networks = layers, alphas, self._wiring
        if self.bootstrap:
            return tally_up(fit_bagged_members(table.all, *networks, rng, honest=honest))
        return tally_up(fit_rvfl_members(table, *networks, honest=honest))

    def _draw_networks(self, size, n_inputs, tuned, rng):
        return draw_networks(size, n_inputs, self.n_hidden, tuned, self.perturbation, rng)

    def _join(self, batches, attributes, rows, numbers):
        """Return the networks of all tasks, with the combined honest scores of some rows."""
        tally = sum((batch.tally for batch in batches), Tally())
        honest = HonestScores.of(tally.result(self.combine), rows, numbers)
        members = [member for batch in batches for member in batch.members]
        return Found(members, attributes, honest, Mean() if self.combine == "mean" else Vote())

    def _plan(self, table, rng):
        if self.bootstrap:
            raise ValueError(
                "bootstrap=True needs all rows at once; partial_fit takes bootstrap=False."
            )
        tuned, tasks = self._tune(table, rng), network_tasks(self.n_estimators)
        drawn = [
            self._draw_networks(task["size"], table.shape[1], tuned, np.random.RandomState(seed))
            for task, seed in zip(tasks, draw_seeds(rng, len(tasks)))
        ]
        layers = [layer for some, _ in drawn for layer in some]
        alphas = np.concatenate([alphas for _, alphas in drawn])
        return Plan(layers, alphas, {"weight_scale_": tuned.scale, "alpha_": tuned.alpha})

    def _solve_sums(self, table, plan, sums):
        batches = []
        for batch in gen_batches(len(plan.layers), TASK_NETWORKS):
            rows = table.all if batch.start < N_HONEST else None
            members = members_of_moments(
                sums[batch], plan.layers[batch], plan.alphas[batch], self._wiring, rows
            )
            batches.append(tally_up(members))
        return self._join(batches, plan.attributes, table.all, table.scored_numbers)

    def _block_scores(self, X):
        return combined_scores(self.estimators_, X, self.combine)
