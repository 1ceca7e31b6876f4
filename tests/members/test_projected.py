import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from kernsemble.members.projected import (
    N_LEVELS,
    choose_components,
    fit_to_view,
    round_to_quantiles,
    tree_scale,
)

# Numbers whose halves and sums are exact in float32, as trees compare them.
Z = np.random.RandomState(0).randint(-(2**15), 2**15, (5000, 3)) / 2.0**10
CODES = (Z.sum(axis=1) > 0).astype(int)


def test_few_levels_are_left_and_all_are_values():
    rounded = round_to_quantiles(Z)
    for before, after in zip(Z.T, rounded.T):
        assert len(np.unique(after)) <= N_LEVELS
        assert np.isin(after, before).all()
        assert np.abs(after - before).max() < 4 * np.ptp(before) / N_LEVELS


def test_few_values_stay_as_they_are():
    few = np.column_stack([np.zeros(400), np.arange(400) % 7, np.repeat([0.0, 1e-9], 200)])
    assert_array_equal(round_to_quantiles(few), few)


def test_a_tree_parts_the_rows_as_their_rounded_copies():
    rounded = round_to_quantiles(Z)
    tree = DecisionTreeClassifier(random_state=0).fit(rounded, CODES)
    assert_array_equal(tree.apply(Z), tree.apply(rounded))


@pytest.mark.parametrize("exponent", [-40, -100])
def test_a_tree_on_a_tiny_view_is_that_of_the_view_magnified(exponent):
    tree = fit_to_view(DecisionTreeClassifier(random_state=0), Z, CODES)
    tiny = np.ldexp(Z, exponent)
    same = fit_to_view(DecisionTreeClassifier(random_state=0), tiny, CODES)
    for fitted in (same, pickle.loads(pickle.dumps(same))):
        assert_array_equal(fitted.apply(tiny), tree.apply(Z))


def test_components_of_a_tiny_view_are_chosen_as_of_the_view_magnified():
    wide = np.hstack([Z[:600], np.random.RandomState(1).randn(600, 6)])
    chosen = [
        choose_components(
            DecisionTreeClassifier(random_state=0), view, CODES[:600], np.random.RandomState(0)
        )
        for view in (wide, np.ldexp(wide, -40))
    ]
    assert chosen[0] == chosen[1] > 2


def test_only_tiny_views_of_trees_are_magnified():
    tree = DecisionTreeClassifier()
    assert tree_scale(tree, np.full((3, 2), -0.75 * 2.0**-20)) == 2.0**20
    for view in (Z, np.zeros((4, 2)), np.full((2, 2), 5e-324), np.ones((3, 0))):
        assert tree_scale(tree, view) == 1.0
    assert tree_scale(KNeighborsClassifier(), 1e-9 * Z) == 1.0
