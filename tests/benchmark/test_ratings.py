"""Ratings and pairwise comparisons equal their definitions, and other implementations of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from kernsemble.benchmark.pairwise import comparison_matrix, resampled_t
from kernsemble.benchmark.ratings import elo, elo_intervals, improvability, normalised_score
from kernsemble.errors import UserError
from tests.reference import ratings as literal


@pytest.fixture
def scores():
    rng = np.random.RandomState(0)
    values = np.round(0.6 + 0.3 * rng.rand(40, 6) + 0.02 * np.arange(6), 2)
    return pd.DataFrame(values, columns=list("abcdef"))


def test_elo_promises_the_wins_that_happened(scores):
    ratings = elo(scores)
    assert_allclose(ratings.mean(), 1000)
    in_order = ratings[scores.columns].to_numpy()
    assert_allclose(literal.expected_wins(in_order, 40), literal.wins(scores.to_numpy()), rtol=1e-5)
    anchored = elo(scores, "c")
    assert anchored["c"] == pytest.approx(1000)
    assert_allclose(anchored - anchored["a"], (ratings - ratings["a"])[anchored.index])


def test_elo_of_a_method_that_wins_everything_is_finite():
    ratings = elo(pd.DataFrame({"a": [3.0, 3.0], "b": [2.0, 1.0], "c": [1.0, 2.0]}))
    assert ratings.index[0] == "a" and np.isfinite(ratings).all()
    with pytest.raises(UserError, match="no method z to anchor"):
        elo(pd.DataFrame({"a": [1.0]}), "z")


def test_intervals_hold_the_estimate_and_shrink(scores):
    narrow, wide = (elo_intervals(part, "a") for part in (scores, scores[:10]))
    for table in (narrow, wide):
        assert (table["low"] <= table["elo"]).all() and (table["elo"] <= table["high"]).all()
    width = (narrow["high"] - narrow["low"])["f"]
    assert width < (wide["high"] - wide["low"])["f"]
    assert narrow.loc["a"].tolist() == pytest.approx([1000] * 3)


def test_improvability_and_normalised_score(scores):
    errors = 1 - scores
    errors.iloc[0, 2] = 0.0
    table = improvability(errors)
    assert_allclose(
        table.loc[scores.columns, "improvability"], literal.improvability(errors.to_numpy())
    )
    assert (table["low"] <= table["improvability"]).all()
    scores.iloc[3] = 0.5
    found = normalised_score(scores)[scores.columns]
    assert_allclose(found, literal.normalised(scores.to_numpy()))
    with pytest.raises(ValueError, match="not be negative"):
        improvability(-scores)


def test_a_matrix_does_not_change_when_a_method_joins(scores):
    some, more = comparison_matrix(scores[list("abc")]), comparison_matrix(scores)
    for part in ("difference", "wins", "ties", "losses", "p"):
        names = some[part].index
        assert_allclose(some[part], more[part].loc[names, names])
    a, f = scores["a"], scores["f"]
    assert more["difference"].loc["f", "a"] == pytest.approx((f - a).mean())
    assert more["p"].loc["f", "a"] == pytest.approx(stats.wilcoxon(np.round(f - a, 10)).pvalue)
    assert more["wins"].loc["f", "a"] == sum(x > y for x, y in zip(f, a))


def test_the_corrected_t_test_of_each_data_set():
    rows = pd.DataFrame(
        {
            "dataset": ["one"] * 8 + ["two"] * 2,
            "method": ["a", "b"] * 5,
            "split": list("00112233") + list("00"),
            "seed": 0,
            "n_train": 90.0,
            "n_test": 10.0,
            "accuracy": [0.9, 0.8, 0.85, 0.8, 0.9, 0.85, 0.8, 0.82, 0.9, 0.8],
        }
    )
    found = resampled_t(rows, "a", "b")
    assert list(found.index) == ["one"] and found.at["one", "splits"] == 4
    d = np.array([0.1, 0.05, 0.05, -0.02])
    t = d.mean() / np.sqrt((1 / 4 + 1 / 9) * d.var(ddof=1))
    assert found.at["one", "t"] == pytest.approx(t)
    assert found.at["one", "p"] == pytest.approx(2 * stats.t.sf(t, 3))


def test_elo_agrees_with_bencheval(scores):
    helpers = pytest.importorskip("bencheval.elo_utils")
    rows = (1 - scores).rename_axis("task").reset_index()
    rows = rows.melt("task", var_name="method", value_name="metric_error")
    helper = helpers.EloHelper()
    battles = helper.convert_results_to_battles(rows)
    theirs = helper.compute_mle_elo(battles, calibration_framework="a", calibration_elo=1000)
    assert_allclose(elo(scores, "a"), theirs[elo(scores, "a").index], atol=0.05)
