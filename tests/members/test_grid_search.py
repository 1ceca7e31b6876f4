"""Searches of candidates in a row: starts first, then downhill."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernsemble.members.grid_search import best_place, least_loss

ALPHAS = np.array([0.1, 1.0])


def search(losses, starts, **options):
    """Return what a search of candidates with these losses finds, and which it asked for."""
    asked = []

    def solve(number):
        asked.append(number)
        return np.array([losses[number], losses[number] + 1.0]), f"solution {number}"

    return least_loss(solve, starts, len(losses), ALPHAS, **options), asked


def test_the_search_walks_downhill_and_leaves_the_other_side():
    (losses, *best), asked = search([9.0, 8.0, 7.0, 6.0, 5.0, 6.0, 7.0, 8.0], [2])
    # Number 1 is worse, number 3 better: from there on only larger ones are tried.
    assert asked == [2, 1, 3, 4, 5]
    assert best == [4, 0, "solution 4"]
    assert_array_equal(np.isnan(losses[:, 0]), [True, *5 * [False], True, True])
    _, asked = search([4.0, 5.0, 6.0, 7.0], [2])
    assert asked == [2, 1, 0]


def test_the_search_ends_at_a_small_gain():
    losses = [9.0, 8.0, 7.0, 6.9, 5.0]
    (*_, best), asked = search(losses, [1], min_gain=0.02)
    assert asked == [1, 0, 2, 3] and best == "solution 3"
    (*_, best), asked = search(losses, [1])
    assert asked == [1, 0, 2, 3, 4] and best == "solution 4"


def test_all_starts_are_solved_before_the_search_walks():
    found, asked = search([3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0], [0, 3, 6])
    assert asked == [0, 3, 6, 2, 4]
    assert found[1:] == (3, 0, "solution 3")
    found, asked = search([3.0, 2.0, 1.0], range(3))
    assert asked == [0, 1, 2] and found[1] == 2


@pytest.mark.parametrize("losses", [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])
def test_of_equal_candidates_the_first_is_the_best(losses):
    found, _ = search(losses, range(3))
    assert found[1] == losses.index(1.0)


def test_of_equal_strengths_the_largest_is_the_best():
    assert best_place(np.array([[np.nan, np.nan], [1.0, 1.0]]), ALPHAS) == (1, 1)
