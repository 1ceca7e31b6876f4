"""Searches of a list of candidates, each with losses for a whole grid of strengths."""

from typing import Any

import numpy as np

from ..solvers.ridge_loo import select_alpha


def best_place(losses, alphas):
    """Return the places of the candidate and the strength of least loss.

    Of equal losses the one of the largest strength is the best, and of equal strengths that of the
    first candidate. Candidates that were not solved have NaN.
    """
    solved = np.flatnonzero(~np.isnan(losses[:, 0]))
    place = select_alpha(losses[solved].ravel(), np.tile(alphas, len(solved)))
    return int(solved[place // len(alphas)]), int(place % len(alphas))


def least_loss(solve, starts, n_candidates, alphas):
    """Return all losses, the places of the best candidate and strength, and its solution.

    The candidates numbered `starts` are solved, and then the neighbours of the best one until both
    have been.

    Parameters
    ----------
    solve : callable
        Number of a candidate → losses, one for each strength, and a solution.
    starts : sequence of int
    n_candidates : int
    alphas : ndarray of shape (n_alphas,)

    Returns
    -------
    losses : ndarray of shape (n_candidates, n_alphas)
        Those of candidates that were not solved are NaN.
    number, place : int
    solution : object
    """
    losses = np.full((n_candidates, len(alphas)), np.nan)
    best: Any = None
    pending = list(starts)
    while pending:
        number = pending.pop(0)
        losses[number], solution = solve(number)
        chosen, a = best_place(losses, alphas)
        best = (number, a, solution) if chosen == number else (chosen, a, best[2])
        if not pending:
            near = chosen - 1, chosen + 1
            pending = [k for k in near if 0 <= k < n_candidates and np.isnan(losses[k, 0])]
    return losses, *best
