"""Kernel learners whose threshold lies midway between two class representatives."""

from dataclasses import replace

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from ..solvers.tasks import two_sided_columns
from .kernel_learner import KernelLearner
from .parameters import with_parameters


@with_parameters
class MidpointKernelLearner(KernelLearner):
    """Base class of the learners that score two representatives of a problem's classes +1 and -1.

    Such a machine takes the classes for equally frequent and equally costly, which is what
    `class_weight="balanced"` asks for. Other class weights move the threshold: for scores normal
    about +1 and -1 with variance v, weights in the ratio r move it by v ln(r) / 2.
    """

    def _fit_members(self, table, rng):
        found = super()._fit_members(table, rng)
        if self.class_weight is None or isinstance(self.class_weight, str):
            return found
        (member,) = found.members
        S = member.scores(table.all.X) if member.honest_scores is None else member.honest_scores
        shift = self._threshold_shift(S, table)
        honest = None if member.honest_scores is None else member.honest_scores + shift
        moved = replace(member, bias=member.bias + shift, honest_scores=honest)
        return found._replace(members=[moved])

    def _threshold_shift(self, S, table):
        rows = table.all
        costs = compute_sample_weight(self.class_weight, table.classes[rows.codes])
        T = np.where(costs[:, None] > 0, rows.targets(self._coding), 0.0)
        shift = np.zeros(T.shape[1])
        for column, taking_part, signs in two_sided_columns(T):
            sides = [taking_part[signs > 0], taking_part[signs < 0]]
            variance = np.mean([np.var(S[side, column]) for side in sides])
            ratio = costs[sides[0]].mean() / costs[sides[1]].mean()
            shift[column] = 0.5 * variance * np.log(ratio)
        return shift
