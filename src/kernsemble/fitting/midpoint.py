"""Kernel learners whose threshold lies midway between two class representatives."""

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from ..solvers.tasks import two_sided_columns
from ..targets import target_codes
from .kernel_learner import KernelLearner

__all__ = ["MidpointKernelLearner"]


class MidpointKernelLearner(KernelLearner):
    """Base class of the learners that score two representatives of a task's classes +1 and -1.

    Such a machine takes the classes for equally frequent and equally dear, which is what
    `class_weight="balanced"` asks for. Other class weights move the threshold: for scores normal
    about +1 and -1 with variance v, weights in the ratio r move it by v ln(r) / 2.
    """

    def _fit_members(self, X, T, sample_weight, rng):
        (member,) = super()._fit_members(X, T, sample_weight, rng)
        if self.class_weight is None or isinstance(self.class_weight, str):
            return [member]
        S = member.scores(X) if member.honest_scores is None else member.honest_scores
        shift = self._threshold_shift(S, T)
        honest = None if member.honest_scores is None else member.honest_scores + shift
        return [member._replace(bias=member.bias + shift, honest_scores=honest)]

    def _threshold_shift(self, S, T):
        labels = self.classes_[target_codes(T, self._coding)]
        dearness = compute_sample_weight(self.class_weight, labels)
        shift = np.zeros(T.shape[1])
        for column, rows, signs in two_sided_columns(np.where(dearness[:, None] > 0, T, 0.0)):
            sides = [rows[signs > 0], rows[signs < 0]]
            variance = np.mean([np.var(S[side, column]) for side in sides])
            ratio = dearness[sides[0]].mean() / dearness[sides[1]].mean()
            shift[column] = 0.5 * variance * np.log(ratio)
        return shift
