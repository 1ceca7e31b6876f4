"""Kernel learners whose threshold lies midway between two class representatives."""

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from ..solvers.tasks import two_sided_columns
from .kernel_learner import KernelLearner
from .parameters import with_parameters


@with_parameters
class MidpointKernelLearner(KernelLearner):
    """Base class of the learners that score two representatives of a problem's classes +1 and -1.

    Such a machine takes the classes for equally frequent and equally costly. The weights of the
    classes move its threshold: for scores normal about +1 and -1 with variance v, total weights in
    the ratio r move it by v ln(r) / 2. With `class_weight="balanced"` they are equal. With
    `preset="paper"` only class weights that are given as numbers move the threshold.
    """

    def _on_one_scale(self, member, table):
        rows = table.all
        T = np.where(rows.weights[:, None] > 0, rows.targets(self._coding), 0.0)
        S = member.scores(rows.X) if member.honest_scores is None else member.honest_scores
        shift = threshold_shift(S, T, rows.weights, self._costs(table))
        return super()._on_one_scale(member.on_lines(np.ones(1), shift), table)

    def _costs(self, table):
        """Return what each row counts in the weight of its class."""
        rows = table.all
        if self.preset == "auto":
            return rows.weights
        given = None if isinstance(self.class_weight, str) else self.class_weight
        costs = compute_sample_weight(given, table.classes[rows.codes])
        return costs / np.bincount(rows.codes)[rows.codes]

    def _decided(self, S, tasks):
        if self.preset != "auto":
            return S
        return S + threshold_shift(S, tasks.T, tasks.weight, tasks.weight)


def threshold_shift(S, T, weights, costs):
    """Return by how much each problem's scores move.

    `weights` say how many rows a row stands for, and `costs` what it counts in the weight of its
    class.
    """
    shift = np.zeros(T.shape[1])
    for column, taking_part, signs in two_sided_columns(T):
        sides = [taking_part[signs > 0], taking_part[signs < 0]]
        variance = np.mean([_variance(S[side, column], weights[side]) for side in sides])
        ratio = costs[sides[0]].sum() / costs[sides[1]].sum()
        shift[column] = 0.5 * variance * np.log(ratio)
    return shift


def _variance(values, weights):
    mean = np.average(values, weights=weights)
    return np.average((values - mean) ** 2, weights=weights)
