"""Ratings and pairwise comparisons equal their definitions, and other implementations of them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from kernsemble.benchmark.groups import group_ranks
from kernsemble.benchmark.pairwise import comparison_matrix, resampled_t, resampled_t_against
from kernsemble.benchmark.ratings import elo, elo_intervals, improvability, normalised_score
from kernsemble.benchmark.statistics import paired_t
from kernsemble.errors import UserError
from tests.reference import other_libraries
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


def check_matrix(theirs):
    ours = comparison_matrix(other_libraries.table())
    for pair, numbers in theirs.items():
        first, second = pair.split()
        found = {name: part.loc[first, second] for name, part in ours.items()}
        assert (found["wins"], found["ties"], found["losses"]) == (
            *(numbers["win"], numbers["tie"], numbers["loss"]),
        )
        assert found["difference"] == pytest.approx(numbers["mean"], abs=1e-12)
        assert found["p"] == pytest.approx(numbers["pvalue"], rel=1e-9)


def check_elo(theirs):
    ours = elo(other_libraries.table(), "a")
    # The reference stops its solver earlier than we do.
    assert_allclose(ours, [theirs[name] for name in ours.index], atol=0.05)


def test_the_numbers_of_aeon_and_bencheval():
    kept = json.loads(Path(other_libraries.__file__).with_suffix(".json").read_text())
    check_matrix(kept["matrix"])
    check_elo(kept["elo"])


def test_the_matrix_agrees_with_the_aeon_that_is_installed():
    pytest.importorskip("aeon")
    check_matrix(other_libraries.aeon_matrix(other_libraries.table()))


def test_elo_agrees_with_the_bencheval_that_is_installed():
    pytest.importorskip("bencheval.elo_utils")
    check_elo(other_libraries.bencheval_elo(other_libraries.table()))


def test_the_t_test_against_one_method_is_that_of_each_pair():
    rng = np.random.RandomState(0)
    rows = pd.DataFrame(
        [
            (dataset, method, split, 0, 75.0, 25.0, rng.rand())
            for dataset in ("one", "two")
            for method in "abc"
            for split in "0123"
        ],
        columns=["dataset", "method", "split", "seed", "n_train", "n_test", "accuracy"],
    )
    rows.loc[(rows["dataset"] == "two") & (rows["method"] == "c"), "accuracy"] = 0.5
    rows.loc[(rows["dataset"] == "two") & (rows["method"] == "a"), "accuracy"] = 0.5
    found = resampled_t_against(rows, "a")
    for method in "bc":
        pair = resampled_t(rows, method, "a")
        for name in ("difference", "t", "p"):
            assert_allclose(found[name][method], pair[name])
    values = rows.set_index(["dataset", "method"])["accuracy"]
    t, p = paired_t(values["one", "b"], values["one", "a"], 25 / 75)
    assert found["t"].at["one", "b"] == pytest.approx(t)
    assert found["p"].at["one", "b"] == pytest.approx(p)
    assert found["t"].at["two", "c"] == 0.0 and found["p"].at["two", "c"] == 1.0


def test_groups_of_data_sets(scores):
    facts = pd.DataFrame(
        {
            "n_rows": [100] * 10 + [6000] * 28,
            "n_columns": 5,
            "n_classes": [2, 4] * 19,
            "majority_share": 0.6,
            "minority_share": [0.5, 0.05] * 19,
            "categorical_share": 0.0,
        },
        index=scores.index[:38],
    )
    found = {(group.fact.name, group.label): group for group in group_ranks(scores, facts)}
    sizes = {key: group.n_datasets for key, group in found.items()}
    assert sizes == {
        ("n_rows", "< 500"): 10,
        ("n_rows", "≥ 5,000"): 28,
        ("n_classes", "2"): 19,
        ("n_classes", "3 – 9"): 19,
        ("imbalance", "< 1.5"): 19,
        ("imbalance", "≥ 5"): 19,
    }
    expected = scores[:10].rank(axis=1, ascending=False).mean()
    assert_allclose(found["n_rows", "< 500"].ranks, expected)
