"""Kernel ridges of several families on one view: exact for few rows, else on more landmarks in
every round."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .folded_ridge import Candidates, Sums, fit_folded_ridges, sum_rows
from .plans import Bundle, Grown
from .training_views import ALPHAS, list_widths
from .viewed import ViewedMember

# Number of rows whose distances say which widths are tried.
WIDTH_ROWS = 400


class Choice(NamedTuple):
    """The kernel and strength that an earlier round chose."""

    kernel: Any
    alpha: float


def family_of(name):
    """Return the family of kernels that a member's name ends with."""
    return name.split()[-1]


def plan_ridges(training, level, states, seed, *, view):
    """Fit kernel ridges on one view, all families on the same distances."""
    if training.is_exact:
        if level > 0:
            return []
        n = training.local.n_rows
        return [Bundle.single(name, (_fit_exact, view, name), n**3) for name in states]
    m = training.count_landmarks(level)
    if level > 0 and m == training.count_landmarks(level - 1) and not training.grows(level):
        return []
    rows = len(training.stage(level).numbers) if level == 0 else training.table.n_rows
    task = _fit_on_landmarks, level, view, dict(states)
    return [Bundle(tuple(states), [task], lambda results: results[0], rows * m**2 * len(states))]


def _fit_exact(training, view, name):
    tuned = training.tuned(view, family_of(name))
    return Grown(ViewedMember.of(training.views[view], tuned.member))


def _fit_on_landmarks(training, level, view, states):
    stage, seen = training.stage(level), training.seen(view)
    rows = seen.rows(stage.numbers)
    landmarks = seen[stage.landmarks]
    families = [
        list_candidates(level, family_of(name), rows.X, choice) for name, choice in states.items()
    ]
    sum_all = None
    if level > 0 and training.table.n_rows > seen.n_rows:
        sum_all = partial(_sum_table, training.table, training.views[view], landmarks)
    found = fit_folded_ridges(rows, landmarks, families, stage.folds, sum_all)
    return {
        name: Grown(
            ViewedMember.of(training.views[view], own.member), Choice(own.kernel, own.alpha)
        )
        for name, own in zip(states, found)
    }


def list_candidates(level, family, X, choice):
    """Return what a round compares: all widths and strengths first, then near the last choice."""
    if choice is None:
        return Candidates(list_widths(family, X[:: -(-X.shape[0] // WIDTH_ROWS)]), ALPHAS[::3])
    # Strengths are compared again in the second round, whose landmarks are three times as many.
    near = 4.0 ** np.arange(-1.0, 2.0) if level == 1 else np.ones(1)
    return Candidates([choice.kernel], choice.alpha * near)


def _sum_table(table, view, landmarks, kernels):
    return [Sums(*own) for own in table.total(sum_rows, view, landmarks, kernels)]
