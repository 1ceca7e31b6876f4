import numpy as np
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from kernsemble.members.projected import N_LEVELS, round_to_quantiles

# Numbers whose halves and sums are exact in float32, as trees compare them.
Z = np.random.RandomState(0).randint(-(2**15), 2**15, (5000, 3)) / 2.0**10


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
    tree = DecisionTreeClassifier(random_state=0).fit(rounded, (Z.sum(axis=1) > 0).astype(int))
    assert_array_equal(tree.apply(Z), tree.apply(rounded))
