"""The walk over a grid goes downhill step by step, and its sample has all classes in proportion."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernsemble.members import ridge_walk
from kernsemble.members.ridge_walk import _sample, _walk

SHAPE = (6, 8)


def bowl(bottom):
    """Return losses that rise with the distance from one place, and a list of the places asked."""
    asked = []

    def solve(k, a):
        assert 0 <= k < SHAPE[0] and 0 <= a < SHAPE[1]
        asked.append((k, a))
        return float(abs(k - bottom[0]) + abs(a - bottom[1])), f"solution {k}, {a}"

    return solve, asked


@pytest.mark.parametrize("bottom", [(0, 0), (5, 7), (0, 7), (3, 2), (4, 6)])
@pytest.mark.parametrize("start", [(0, 0), (5, 7), (5, 0), (2, 3)])
def test_a_long_walk_ends_at_the_bottom_with_all_its_neighbours_tried(monkeypatch, start, bottom):
    monkeypatch.setattr(ridge_walk, "MAX_FACTORS", 99)
    solve, asked = bowl(bottom)
    losses, here, solution = _walk(solve, start, SHAPE)
    assert here == bottom and solution == f"solution {bottom[0]}, {bottom[1]}"
    assert asked[0] == start and len(set(asked)) == len(asked)
    tried = {tuple(place) for place in np.argwhere(~np.isnan(losses))}
    assert tried == set(asked)
    near = [(bottom[0] + k, bottom[1] + a) for k, a in ridge_walk.STEPS]
    assert tried >= {(k, a) for k, a in near if 0 <= k < SHAPE[0] and 0 <= a < SHAPE[1]}


def test_a_walk_stops_after_its_number_of_factors():
    solve, asked = bowl((5, 7))
    losses, here, _ = _walk(solve, (1, 1), SHAPE)
    # A step that lowers the loss is taken again.
    assert asked == [(1, 1), (2, 1), (3, 1)] == asked[: ridge_walk.MAX_FACTORS]
    assert here == (3, 1) and np.count_nonzero(~np.isnan(losses)) == 3


def test_the_sample_has_a_quarter_of_every_class_from_end_to_end():
    codes = np.random.RandomState(0).permutation(np.repeat([0, 1, 2], [600, 300, 100]))
    sample = _sample(codes)
    order = np.argsort(codes, kind="stable")
    assert len(np.unique(sample)) == 250
    assert_array_equal(sample[[0, -1]], order[[0, -1]])
    assert_array_equal(np.bincount(codes[sample]), [150, 75, 25])


def test_small_tables_are_their_own_sample():
    assert_array_equal(_sample(np.zeros(200, int)), np.arange(200))
    assert len(_sample(np.zeros(201, int))) == 160
