"""Choose the strength of a kernel learner by machines that left rows out.

The Gram matrices are computed once for all strengths, and so are the weights of the kernels: only
the machines on the weighted kernel are trained for every strength.
"""

from typing import Any, NamedTuple

import numpy as np

from ..calibration import fit_temperature, probabilities
from ..targets import decode_scores
from .learning_problem import Learned


class Choice(NamedTuple):
    """The learner of the best strength, what it has learned, and its held-out scores."""

    learner: Any
    learned: Learned
    scores: np.ndarray | None


def choose_strength(path, problem, honest):
    """Return the learner of least honest log-loss, as a `Choice`.

    The path is walked from near its middle in either direction as long as the loss falls.

    Parameters
    ----------
    path : list of KernelLearner
        The same learner with one strength after the other.
    problem : LearningProblem
    honest : bool
        Whether held-out scores are needed where there is nothing to choose.
    """
    start = middle_of(path)
    learned = problem.learn(path[start])
    if len(path) == 1 and not honest:
        return Choice(path[start], learned, None)
    grams = problem.scored_grams(learned)
    if len(path) == 1:
        return Choice(path[start], learned, problem.held_out_scores(path[start], grams))
    best, scores = _walk(path, start, grams, problem)
    if best == start:
        return Choice(path[start], learned, scores)
    again = problem.learn(path[best])
    if again.scored != learned.scored:
        scores = problem.held_out_scores(path[best], problem.scored_grams(again))
    return Choice(path[best], again, scores)


def middle_of(path):
    """Return the number of the learner where the walk along the path begins."""
    return max(0, len(path) // 2 - 1)


def _walk(path, start, grams, problem):
    """Return the number of the best learner on the path and its held-out scores."""
    scores: dict[int, np.ndarray] = {}
    losses: dict[int, float] = {}

    def loss(number):
        if number not in losses:
            scores[number] = problem.held_out_scores(path[number], grams)
            losses[number] = held_out_loss(path[number], scores[number], problem.tasks)
        return losses[number]

    best = start
    for direction in (1, -1):
        while 0 <= best + direction < len(path) and loss(best + direction) < loss(best):
            best += direction
        if best != start:
            break
    return best, scores[best]


def held_out_loss(learner, scores, tasks):
    """Return the log-loss of held-out scores on their best lines, at their best temperature."""
    S = learner._decided(scores, tasks)
    factors, bias = learner._lines(S, tasks.codes, tasks.weight)
    S = decode_scores(S * factors + bias, tasks.n_classes, learner._coding)
    P = probabilities(S, fit_temperature(S, tasks.codes, tasks.weight))
    own = np.maximum(P[np.arange(len(P)), tasks.codes], np.finfo(float).tiny)
    return float(-np.average(np.log(own), weights=tasks.weight))
