"""Boosted trees of the folds are the member, and score their own fold honestly."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_waveform
from kernsemble.frames.compiled_parts import check_compiled_parts
from kernsemble.frames.model_archive import NotAModelError
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
    member = join_folds(
        table, [fold for _, fold in folds], boosters, [own.shares for own in fitted]
    )
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


def fitted_member(table, folds, n_steps=6):
    fitted = fit(table, folds, n_steps)
    shares = [own.shares for own in fitted]
    boosters = [own.growing.booster for own in fitted]
    return join_folds(table, [fold for _, fold in folds], boosters, shares)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_compact_member_scores_the_same_to_the_last_bit(n_classes):
    X, y = make_waveform(90, random_state=0)
    X[::7, 3] = np.nan
    table = MemoryTable(X[y < n_classes], y[y < n_classes], np.arange(n_classes))
    folds = Folds.of(np.arange(table.n_rows) % 3, 3).pairs()
    member = fitted_member(table, folds)
    compact = member.compact()
    assert compact.compact() is compact
    for n in (1, 2, 20, table.n_rows):
        assert_array_equal(compact.scores(table.all.X[:n]), member.scores(table.all.X[:n]))


def test_a_compact_member_knows_which_fold_lacks_a_class():
    rng = np.random.RandomState(0)
    X, codes = rng.randn(60, 3), np.repeat([0, 1, 2], [30, 29, 1])
    X[::5, 0] = np.nan
    table = MemoryTable(X, codes, np.arange(3))
    folds = Folds.of(np.arange(60) % 3, 3).pairs()
    member = fitted_member(table, folds)
    lengths = [len(booster.model.classes_) for booster in member.models]
    assert sorted(lengths) == [2, 3, 3]
    for n in (1, 60):
        assert_allclose(member.compact().scores(X[:n]), member.scores(X[:n]), rtol=0, atol=1e-15)


def test_a_compact_member_reads_categories_as_each_fold_does():
    rng = np.random.RandomState(0)
    level = rng.randint(40, size=200).astype(float)
    codes = (np.isin(level % 4, [0, 2]) ^ (rng.rand(200) < 0.1)).astype(int)
    X = np.column_stack([np.where(rng.rand(200) < 0.1, np.nan, level), rng.randn(200)])
    table = MemoryTable(
        X, codes, np.arange(2), columns=Columns(np.array([40, 0]), np.ones(2, bool))
    )
    folds = Folds.of(np.arange(200) % 3, 3).pairs()
    member = fitted_member(table, folds)
    places = [booster.ranks[0][1].tolist() for booster in member.models]
    assert places[0] != places[1]
    for n in (1, 200):
        assert_array_equal(member.compact().scores(X[:n]), member.scores(X[:n]))


@pytest.mark.parametrize(
    "name, change",
    [
        ("n_features_in_", lambda number: 1),
        ("source", lambda part: part + 100),
        ("source", lambda part: part - 100),
        ("seen", lambda part: part + 1000),
        ("seen", lambda part: part[:-1]),
        ("target", lambda part: part - 1),
        ("target", lambda part: part + 1000),
        ("tree_nodes", lambda part: part + 1),
        ("tree_nodes", lambda part: part[::-1].copy()),
        ("cut_starts", lambda part: part * 2),
        ("place_starts", lambda part: part + 1),
        ("cuts", lambda part: part[:-1]),
        ("rank", lambda part: part.astype(np.int64)),
        ("spared", lambda part: part.astype(np.uint8)),
        ("value", lambda part: part[:, :-1]),
        ("value", lambda part: part[:-1]),
        ("value", lambda part: part.astype(np.float32)),
        ("start", lambda part: part[:-1]),
        ("start", lambda part: part[None]),
    ],
)
def test_joined_trees_that_lead_out_of_their_arrays_are_refused(table, name, change):
    folds = Folds.of(np.arange(90) % 3, 3).pairs()
    compact = fitted_member(table, folds, 2).compact()
    check_compiled_parts(compact)
    part = change(getattr(compact.trees, name))
    broken = compact.trees._replace(**{name: part})
    # They are refused wherever they are, because anything may ask them for scores.
    for holder in (replace(compact, trees=broken), [broken], broken):
        with pytest.raises(NotAModelError):
            check_compiled_parts(holder)


def test_compact_trees_refuse_rows_of_other_columns(table):
    folds = Folds.of(np.arange(90) % 3, 3).pairs()
    compact = fitted_member(table, folds, 2).compact()
    with pytest.raises(ValueError, match="X has 3 columns, the trees 21"):
        compact.scores(np.zeros((1, 3)))
