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


def least_loss(solve, starts, n_candidates, alphas, *, min_gain=0.0):
    """Return all losses, the places of the best candidate and strength, and its solution.

    The candidates numbered `starts` are solved, and then the neighbours of the best one until both
    have been. A neighbour that is better becomes the best one at once, and the other side is not
    tried.

    Parameters
    ----------
    solve : callable
        Number of a candidate → losses, one for each strength, and a solution.
    starts : sequence of int
    n_candidates : int
    alphas : ndarray of shape (n_alphas,)
    min_gain : float, default=0.0
        A neighbour that lowers the loss by no more than this share of it ends the search.

    Returns
    -------
    losses : ndarray of shape (n_candidates, n_alphas)
        Those of candidates that were not solved are NaN.
    number, place : int
    solution : object
    """
    losses = np.full((n_candidates, len(alphas)), np.nan)
    best: Any = None
    pending, walks = list(starts), False
    while pending:
        number = pending.pop(0)
        losses[number], solution = solve(number)
        before = np.inf if best is None else losses[best[0], best[1]]
        chosen, a = best_place(losses, alphas)
        best = (number, a, solution) if chosen == number else (chosen, a, best[2])
        if walks and chosen == number and losses[number, a] >= (1.0 - min_gain) * before:
            break
        if not pending or (walks and chosen == number):
            walks = True
            near = chosen - 1, chosen + 1
            pending = [k for k in near if 0 <= k < n_candidates and np.isnan(losses[k, 0])]
    return losses, *best
