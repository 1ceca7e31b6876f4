"""Boosted trees of the folds are the member, and score their own fold honestly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_waveform
from kernsemble.members.boosted import boost_fold, join_folds, rank_levels, see_ranks
from kernsemble.members.folded_ridge import Folds
from kernsemble.tables import MemoryTable
from kernsemble.tables.columns import Columns
from kernsemble.trees.bins import BinnedRows


@pytest.fixture
def table():
    X, y = make_waveform(90, random_state=0)
    return MemoryTable(X, y, np.arange(3))


def fit(table, folds, n_steps, before=None):
    before, binned = before or [None] * len(folds), BinnedRows.of(table.all.X)
    return [boost_fold(table, binned, pair, n_steps, own) for pair, own in zip(folds, before)]


def test_a_fold_is_scored_by_the_model_that_did_not_see_it(table):
    folds = Folds.of(np.arange(90) % 3, 3).pairs()
    fitted = fit(table, folds, 5)
    boosters = [own.growing.booster for own in fitted]
    member = join_folds(table, folds, boosters, [own.shares for own in fitted])
    for (_, fold), booster in zip(folds, boosters):
        assert_allclose(member.honest_scores[fold], booster.class_shares(table[fold], 3))
    mean = sum(booster.class_shares(table.all.X, 3) for booster in boosters) / 3
    assert_allclose(member.scores(table.all.X), mean)


def test_more_trees_are_those_of_a_model_grown_at_once(table):
    folds = Folds.of(np.arange(90) % 3, 3).pairs()
    few = fit(table, folds, 4)
    before = few[0].growing.booster.model.predict_proba(table.all.X)
    more = fit(table, folds, 9, [own.growing for own in few])
    for grown, direct in zip(more, fit(table, folds, 9)):
        models = [own.growing.booster.model for own in (grown, direct)]
        assert_array_equal(*(model.predict_proba(table.all.X) for model in models))
        assert_allclose(grown.shares, direct.shares, rtol=1e-12)
    # The smaller model is as it was.
    model = few[0].growing.booster.model
    assert model.n_steps == 4
    assert_array_equal(model.predict_proba(table.all.X), before)


def test_the_earlier_scores_are_those_of_three_quarters_of_the_trees(table):
    folds = Folds.of(np.arange(90) % 3, 3).pairs()
    for eight, six in zip(fit(table, folds, 8), fit(table, folds, 6)):
        assert_allclose(eight.earlier, six.shares)


def test_a_class_that_a_fold_does_not_show_has_no_share():
    X, codes = np.arange(40.0)[:, None], np.repeat([0, 1, 2], [20, 19, 1])
    table = MemoryTable(X, codes, np.arange(3))
    (found,) = fit(table, [(np.arange(39), np.array([39]))], 3)
    assert found.shares[0, 2] == 0.0
    assert found.shares.sum() == pytest.approx(1.0)
    assert list(found.growing.booster.model.classes_) == [0, 1]


def test_a_single_class_gives_the_shares():
    table = MemoryTable(np.arange(10.0)[:, None], np.repeat([0, 1], [9, 1]), np.arange(2))
    (found,) = fit(table, [(np.arange(9), np.array([9]))], 3)
    assert found.growing is None
    assert_array_equal(found.shares, [[1.0, 0.0]])


def test_rare_classes_do_not_blow_up():
    rng = np.random.RandomState(0)
    codes = np.repeat([0, 1, 2], [200, 198, 2])
    X = rng.randn(400, 4) + codes[:, None]
    clf = KernelEnsembleClassifier(["boosted"], random_state=0).fit(X, codes)
    assert clf.honest_accuracy_ > 0.6


def test_categories_and_missing_values_are_read_as_such():
    rng = np.random.RandomState(0)
    level = rng.randint(4, size=200).astype(float)
    codes = np.isin(level, [0, 2]).astype(int)
    X = np.column_stack([level, np.where(rng.rand(200) < 0.3, np.nan, rng.randn(200))])
    columns = Columns(np.array([4, 0]), np.array([False, True]))
    table = MemoryTable(X, codes, np.arange(2), columns=columns)
    (found,) = fit(table, [(np.arange(150), np.arange(150, 200))], 30)
    assert_array_equal(found.shares.argmax(axis=1), codes[150:])
    # Levels 0 and 2, which are of class 1, stand beside each other.
    ((column, places),) = found.growing.booster.ranks
    assert column == 0
    assert abs(places[0] - places[2]) == 1
    assert see_ranks(np.array([[np.nan, 7.0]]), [(column, places)])[0, 1] == 7.0


def test_levels_are_ordered_by_class_shares():
    level = np.repeat([0.0, 1.0, 2.0, np.nan], 40)
    shares = {0.0: 0.5, 1.0: 0.9, 2.0: 0.1}
    codes = np.concatenate(
        [np.arange(40) < 40 * shares.get(value, 0.5) for value in (0.0, 1.0, 2.0, 3.0)]
    ).astype(int)
    rows = MemoryTable(level[:, None], codes, np.arange(2)).all
    ((_, places),) = rank_levels(rows, np.array([3]))
    assert places.tolist() in ([1.0, 2.0, 0.0], [1.0, 0.0, 2.0])


def test_levels_of_few_rows_stay_near_the_others():
    # Level 0: all of 2 rows; level 1: 45 of 50; level 2: half of 100.
    level = np.repeat([0.0, 1.0, 2.0], [2, 50, 100])
    codes = np.concatenate([np.ones(2), np.arange(50) < 45, np.arange(100) < 50]).astype(int)
    rows = MemoryTable(level[:, None], codes, np.arange(2)).all
    share = codes.mean()
    drawn = [(2 + 5 * share) / 7, (45 + 5 * share) / 55, (50 + 5 * share) / 105]
    ((_, places),) = rank_levels(rows, np.array([3]))
    order = np.argsort(np.argsort(drawn)).tolist()
    assert order == [1, 2, 0]
    assert places.tolist() in (order, [2 - place for place in order])
