"""Class shares of categories with many levels, and that they do not tell a row its own label."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier, RVFLClassifier
from kernsemble.frames.class_shares import N_FOLDS, _Sums, fit_class_shares
from kernsemble.frames.encoder import fit_encoder
from kernsemble.maps.mixed_views import fit_mixed_view
from kernsemble.tables import Columns
from tests.reference.class_shares import left_out_shares, prior_rows


def drawn(n=300, n_levels=40, n_classes=3, seed=0):
    rng = np.random.RandomState(seed)
    levels = rng.randint(n_levels, size=n)
    codes = (levels + rng.randint(2, size=n)) % n_classes
    return levels, codes, np.eye(n_classes)[codes], rng.rand(n) + 0.5, rng.randint(N_FOLDS, size=n)


def test_shares_are_those_of_the_reference():
    levels, _, T, weights, folds = drawn()
    sums = _Sums.of(levels.astype(float), 40, T * weights[:, None], weights, folds)
    expected = left_out_shares(levels, T, weights, folds, 3.0)
    assert_allclose(sums.left_out(3.0), expected)
    ones = np.ones(len(levels))
    assert_allclose(
        _Sums.of(levels.astype(float), 40, T, ones, folds).strength(), prior_rows(levels, T)
    )


def test_a_label_does_not_reach_its_own_row():
    levels, codes, T, weights, folds = drawn()
    for row in range(5):
        changed = T.copy()
        changed[row] = np.eye(3)[(codes[row] + 1) % 3]
        parts = [
            _Sums.of(levels.astype(float), 40, targets * weights[:, None], weights, folds)
            for targets in (T, changed)
        ]
        before, after = (part.left_out(3.0) for part in parts)
        assert_allclose(before[row], after[row], rtol=1e-14)
        assert np.abs(before - after).max() > 1e-3


def test_new_rows_get_the_shares_of_all_rows_and_unknown_levels_those_of_the_table():
    levels, codes, T, _, _ = drawn()
    X = levels.astype(float)[:, None]
    X[:3] = np.nan
    columns = Columns(np.array([40]), np.array([True]))
    (shares,), training = fit_class_shares(X, columns, codes)
    assert training.shape == (300, 3)
    prior = _Sums.of(X[:, 0], 40, T, np.ones(300), np.zeros(300, dtype=int)).strength()
    own = T[(levels == 7) & ~np.isnan(X[:, 0])]
    expected = (own.sum(axis=0) + prior * T.mean(axis=0)) / (len(own) + prior)
    assert_allclose(shares(np.array([[7.0]]))[0], expected)
    assert_allclose(shares(np.array([[np.nan]]))[0].sum(), 1.0)


def test_levels_that_tell_nothing_have_no_column():
    codes = np.tile([0, 1], 200)
    levels = np.repeat(np.arange(40.0), 10)
    columns = Columns(np.array([40]), np.array([False]))
    found, training = fit_class_shares(levels[:, None], columns, codes)
    assert found == [] and training.shape == (400, 0)


@pytest.mark.parametrize(
    "clf",
    [
        KernelRidgeClassifier(random_state=0),
        RVFLClassifier(random_state=0),
        KernelEnsembleClassifier(["gaussian", "forest", "rvfl"], random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_honest_accuracy_on_noise_is_that_of_chance(clf):
    n, hits, larger, seeds = 1200, 0.0, 0.0, range(3)
    for seed in seeds:
        rng = np.random.RandomState(seed)
        X = pd.DataFrame({"shop": rng.randint(500, size=n).astype(str), "size": rng.randn(n)})
        y = rng.randint(2, size=n)
        hits += clone(clf).fit(X, y).honest_accuracy_ * n
        larger += max(np.sum(y), n - np.sum(y))
    # Without knowledge of a row's label, one can toss a coin or name the larger class; the rows of
    # all draws together give the standard error of a share.
    total = n * len(seeds)
    error = np.sqrt(0.25 / total)
    assert 0.5 - 2 * error < hits / total < larger / total + 2 * error


def test_honest_accuracy_is_that_of_new_rows_when_levels_tell_something():
    rng = np.random.RandomState(0)
    effect = rng.randn(300)
    shop = rng.randint(300, size=6000)
    y = effect[shop] + rng.randn(6000) > 0
    X = pd.DataFrame({"shop": shop.astype(str)})
    clf = RVFLClassifier(random_state=0).fit(X[:2000], y[:2000])
    assert clf.encoder_.names_out == ["shop class share 0"]
    new = clf.score(X[2000:], y[2000:])
    assert new > 0.66
    assert abs(clf.honest_accuracy_ - new) < 0.03


def test_a_thousand_levels_take_little_memory():
    rng = np.random.RandomState(0)
    n = 100_000
    X = pd.DataFrame({"shop": pd.Categorical(rng.randint(1000, size=n)), "size": rng.randn(n)})
    y = rng.randint(2, size=n)
    tracemalloc.start()
    encoder, Z, columns = fit_encoder(X)
    encoder, Z, columns = encoder.with_class_shares(Z, columns, y)
    view = fit_mixed_view(Z, columns)
    assert view(Z).shape[1] < 10
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def visits(n=600, seed=0):
    """Return rows of which three each begin at the same second and have mostly one class."""
    rng = np.random.RandomState(seed)
    visit = rng.randint(n // 3, size=n)
    seconds = rng.randint(10**8, size=n // 3)[visit].astype("timedelta64[s]")
    y = (visit % 2) ^ (rng.rand(n) < 0.05)
    start = np.datetime64("2020-01-01T00:00:00", "s") + seconds
    return pd.DataFrame({"start": start, "size": rng.randn(n)}), y


def with_shares(X, y):
    encoder, Z, columns = fit_encoder(X)
    return encoder.with_class_shares(Z, columns, y, keep_codes=True)


def test_moments_that_rows_have_in_common_are_levels():
    X, y = visits()
    encoder, Z, columns = with_shares(X, y)
    assert encoder.names_out[-1] == "start class share 0"
    names = np.array(encoder.names_out)
    assert names[columns.by_levels].tolist() == encoder.names_out[:-1]
    assert set(encoder.names_out) - set(names[columns.by_shares]) == {"start days", "start hour"}
    assert encoder.origins.tolist()[-1] == 0
    moments = X["start"].to_numpy()
    for row in range(5):
        own = (moments == moments[row]) & (np.arange(len(y)) != row)
        if own.sum() > 1 and len(set(y[own])) == 1:
            assert (Z[row, -1] > 0.5) == (y[own][0] == 0)
    new = X[:2].copy()
    new.loc[1, "start"] += pd.Timedelta(1, "s")
    assert_allclose(encoder(new)[1, -1], encoder.class_shares[0].shares[-1, 0])


def test_days_with_a_trend_alone_are_no_levels():
    rng = np.random.RandomState(0)
    day = rng.randint(200, size=2000)
    y = rng.rand(2000) < 0.5 + 0.4 * np.sin(day / 30.0)
    X = pd.DataFrame({"day": np.datetime64("2020-01-01") + day.astype("timedelta64[D]")})
    encoder, _, columns = with_shares(X.astype("datetime64[s]"), y)
    assert not columns.has_pairs and not encoder.class_shares


def test_no_member_sees_levels_beside_their_class_shares():
    rng = np.random.RandomState(0)
    shop = rng.randint(60, size=700)
    y = rng.rand(700) < np.linspace(0.1, 0.9, 60)[shop]
    X = pd.DataFrame({"shop": shop.astype(str), "size": rng.randn(700)})
    clf = KernelEnsembleClassifier(["forest", "boosted", "ranks", "gaussian"], random_state=0)
    clf.fit(X, y)
    assert clf.encoder_.names_out == ["shop", "size", "shop class share 0"]
    for named in clf.estimators_:
        Z = clf.encoder_(X[:50])
        changes = []
        for column in (0, 2):
            changed = Z.copy()
            changed[:, column] = np.roll(changed[:, column], 7)
            changes.append(np.abs(named.scores(changed) - named.scores(Z)).max() > 0)
        by_levels = named.name.split()[0] in ("forest", "ranks")
        assert changes == [by_levels, not by_levels]


def test_the_effect_of_a_number_may_depend_on_the_level():
    rng = np.random.RandomState(0)
    shop, size = rng.randint(40, size=1600), rng.randn(1600)
    y = (2 * (shop % 2) - 1) * size + 0.3 * rng.randn(1600) > 0
    X = pd.DataFrame({"shop": shop.astype(str), "size": size})
    clf = KernelEnsembleClassifier(["ranks", "forest"], random_state=0).fit(X[:900], y[:900])
    assert clf.score(X[900:], y[900:]) > 0.8
    # What is explained and shuffled is the user's column, with all that comes from it.
    assert clf.encoder_.origins.tolist()[:2] == [0, 1]
