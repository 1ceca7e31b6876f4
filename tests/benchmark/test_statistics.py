"""Statistics against other libraries, textbook values and the papers' own tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from kernsemble.benchmark import statistics
from kernsemble.benchmark.bayesian import bayesian_signed_rank, probability_better
from kernsemble.benchmark.published import published_scores, read_published
from kernsemble.benchmark.recompute import agreement, name_of_121, thesis_ranks
from kernsemble.benchmark.results import compare, mean_table

KPCA_TABLES = [f"table-5.{number}" for number in range(2, 8)]


@pytest.fixture
def scores():
    rng = np.random.RandomState(0)
    values = rng.uniform(0.5, 0.9, (30, 1)) + rng.randn(30, 5) * 0.05 + np.arange(5) * 0.015
    # Multiples of 1/64 have exact differences, so that every library sees the same ties.
    return pd.DataFrame((values * 64).round() / 64, columns=list("abcde"))


def published_ranks(paper, table):
    rows = read_published(paper)
    rows = rows[rows["table"] == table]
    return rows.set_index("method")["value"].astype(float), rows.set_index("method")["note"]


def test_ranks_put_the_best_first_and_share_ties():
    table = pd.DataFrame([[0.9, 0.8, 0.9], [0.1 + 0.2, 0.3, 0.5]], columns=list("abc"))
    assert statistics.rank_methods(table).to_numpy().tolist() == [[1.5, 3, 1.5], [2.5, 2.5, 1]]


def test_friedman_equals_scipy_with_ties(scores):
    expected = stats.friedmanchisquare(*scores.to_numpy().T)
    result = statistics.friedman(scores)
    assert_allclose([result.chi2, result.chi2_p], [expected.statistic, expected.pvalue])


def test_friedman_of_equal_and_of_perfectly_ordered_methods():
    equal = pd.DataFrame(np.ones((6, 3)))
    ordered = pd.DataFrame(np.tile([3.0, 2.0, 1.0], (6, 1)))
    assert statistics.friedman(equal).f_p == 1.0
    assert statistics.friedman(ordered).f == np.inf
    assert statistics.friedman(ordered).f_p == 0.0


def test_posthoc_tests_equal_scikit_posthocs(scores):
    posthocs = pytest.importorskip("scikit_posthocs")
    assert_allclose(
        statistics.nemenyi(scores), posthocs.posthoc_nemenyi_friedman(scores), atol=1e-6
    )
    melted = scores.melt(var_name="method", value_name="score")
    expected = posthocs.posthoc_wilcoxon(
        melted, val_col="score", group_col="method", p_adjust="holm", sort=True
    )
    assert_allclose(statistics.wilcoxon_holm(scores), expected, rtol=1e-6)


@pytest.mark.parametrize("differences", [[1, -2, 2, 3, 5], [-1, 1, 1, 4, -6, 0], [3, 3, -3]])
def test_wilcoxon_counts_all_signs_with_ties_too(differences):
    kept = np.array([value for value in differences if value], dtype=float)
    ranks = stats.rankdata(abs(kept))
    sums = np.array([ranks @ signs for signs in itertools.product((0, 1), repeat=len(kept))])
    smaller = min(ranks[kept > 0].sum(), ranks[kept < 0].sum())
    expected = min(1.0, 2 * np.mean(sums <= smaller))
    assert statistics.wilcoxon_p(differences) == pytest.approx(expected)


def test_holm_equals_the_definition():
    p = np.array([0.02, 0.001, 0.3, 0.04])
    # Sorted: .001*4, .02*3, .04*2, .3*1, made monotone.
    assert_allclose(statistics.holm(p), [0.06, 0.004, 0.3, 0.08])


def test_critical_difference_equals_demsars_table():
    # Demšar 2006, table 5(a): q at 0.05 for 2, 5 and 10 classifiers.
    for k, q in ((2, 1.960), (5, 2.728), (10, 3.164)):
        unit = np.sqrt(k * (k + 1) / (6 * 20))
        assert_allclose(statistics.critical_difference(k, 20) / unit, q, atol=2e-3)


def test_groups_are_maximal_runs():
    ranks = pd.Series({"a": 1.0, "b": 1.8, "c": 2.5, "d": 4.0})
    assert statistics.indistinguishable_groups(ranks, 1.0) == [["a", "b"], ["b", "c"]]
    assert statistics.indistinguishable_groups(ranks, 9.0) == [["a", "b", "c", "d"]]
    assert statistics.indistinguishable_groups(ranks, 0.1) == []


def test_paired_t_equals_scipy_and_the_correction_is_milder():
    rng = np.random.RandomState(1)
    a, b = rng.randn(10), rng.randn(10) - 0.5
    expected = stats.ttest_rel(a, b)
    assert_allclose(statistics.paired_t(a, b), [expected.statistic, expected.pvalue])
    assert statistics.paired_t(a, b, test_share=1 / 9)[1] > expected.pvalue
    assert statistics.paired_t([1.0, 1.0], [1.0, 1.0]) == (0.0, 1.0)


def test_share_of_best_by_hand():
    table = pd.DataFrame({"a": [1.0, 0.9], "b": [0.9, 1.0], "c": [0.94, 0.5]})
    shares = statistics.share_of_best(table)
    assert_allclose(shares.loc["a"], [100, 50, 95])
    assert_allclose(shares.loc["c"], [50, 0, 72])
    # A best score of 0 is reached by all.
    assert_allclose(statistics.share_of_best(table * 0.0), 100.0)


def test_wins_and_signs():
    table = pd.DataFrame({"good": np.ones(20), "bad": np.r_[np.zeros(17), 1, 2, 2]})
    wins, ties, losses = statistics.win_tie_loss(table)
    assert (wins.loc["good", "bad"], ties.loc["good", "bad"], losses.loc["good", "bad"]) == (
        17,
        1,
        2,
    )
    signs, threshold = statistics.sign_test(table)
    assert_allclose(threshold, 10 + 1.96 * np.sqrt(20) / 2, atol=1e-3)
    assert signs.loc["good", "bad"] == "+" and signs.loc["bad", "good"] == "-"


def test_completing_a_table_with_failures():
    table = pd.DataFrame({"a": [0.5, 0.7], "b": [np.nan, 0.6], "c": [0.9, 0.8]})
    assert len(statistics.complete(table)) == 1
    assert_allclose(statistics.complete(table, "mean").loc[0, "b"], 0.7)
    worst = statistics.rank_methods(statistics.complete(table, "worst"))
    assert worst.loc[0, "b"] == 3
    with pytest.raises(ValueError, match="empty cells"):
        statistics.rank_methods(table)
    with pytest.raises(ValueError, match="missing must be one of"):
        statistics.complete(table, "zero")


def test_bayesian_signed_rank_equals_baycomp(scores):
    baycomp = pytest.importorskip("baycomp")
    for rope in (0.0, 0.01, 0.03):
        ours = bayesian_signed_rank(scores["a"], scores["d"], rope, n_samples=20000)
        sample = baycomp.SignedRankTest.sample(
            scores["d"].to_numpy(), scores["a"].to_numpy(), rope, nsamples=20000, random_state=1
        )
        left, alike, right = baycomp.multiple.Posterior(sample).probs()
        # Two Monte-Carlo estimates from 20,000 draws differ by less than 0.02.
        assert_allclose(ours, [right, alike, left], atol=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_bayesian_signed_rank_equals_baycomp_on_whole_percents(seed):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.RandomState(seed)
    percents = rng.randint(70, 90, 20)[:, None] + rng.randint(0, 4, (20, 2))
    for rope in (1, 2):
        # Whole numbers have exact sums, so baycomp sees every mean on the edge of the rope.
        sample = baycomp.SignedRankTest.sample(
            percents[:, 1], percents[:, 0], rope, nsamples=1000, random_state=0
        )
        left, alike, right = baycomp.multiple.Posterior(sample).probs()
        ours = bayesian_signed_rank(*(percents / 100).T, rope / 100, n_samples=1000)
        # Both draw the same weights.
        assert_allclose(ours, [right, alike, left], atol=1e-12)


def test_the_rope_is_as_wide_as_it_says():
    first = np.full(40, 0.85)
    for difference, expected in ((0.031, "first"), (0.029, "alike"), (-0.031, "second")):
        found = bayesian_signed_rank(first, first - difference, 0.03)
        assert getattr(found, expected) > 0.99, (difference, found)
    table = pd.DataFrame({"a": first, "b": first - 0.029, "c": first - 0.031})
    better = probability_better(table, 0.03)
    assert better.loc["a", "b"] == 0.0 and better.loc["a", "c"] > 0.99


def test_priors_and_ropes_have_their_limits(scores):
    pair = scores["a"], scores["b"]
    assert sum(bayesian_signed_rank(*pair, 0.0, prior=0.05)) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="prior"):
        bayesian_signed_rank(*pair, prior=0.0)
    with pytest.raises(ValueError, match="rope"):
        bayesian_signed_rank(*pair, -0.01)


def test_bayesian_tests_refuse_missing_scores(scores):
    gaps = scores.copy()
    gaps.loc[[3, 7], "b"] = np.nan
    for test in (
        lambda: bayesian_signed_rank(gaps["a"], gaps["b"]),
        lambda: probability_better(gaps),
    ):
        with pytest.raises(ValueError, match=r"empty cells in 2 of 30 rows \(3, 7\)"):
            test()
    with pytest.raises(ValueError, match="one score for each data set"):
        bayesian_signed_rank(scores["a"], scores["b"][:5])


def test_a_paired_t_test_refuses_missing_scores():
    with pytest.raises(ValueError, match=r"empty cells in 1 of 3 rows \(1\)"):
        statistics.paired_t([0.5, np.nan, 0.7], [0.4, 0.5, 0.6])


def test_a_method_is_not_compared_on_the_splits_that_it_survived():
    keys = [(split, seed) for split in "01" for seed in (0, 1)]
    rows = pd.DataFrame(
        [
            {"dataset": dataset, "method": method, "split": split, "seed": seed, "accuracy": 0.5}
            for dataset in ("x", "y", "z")
            for method in ("whole", "failing", "unfinished")
            for split, seed in keys
        ]
    )
    easy = (rows["method"] == "failing") & (rows["dataset"] == "y")
    rows.loc[easy, "accuracy"] = [np.nan, 1.0, 1.0, 1.0]
    absent = (rows["method"] == "unfinished") & (rows["dataset"] == "z") & (rows["split"] == "1")
    table = mean_table(rows[~absent])
    assert table.isna().stack().loc[lambda empty: empty].index.tolist() == [
        ("y", "failing"),
        ("z", "unfinished"),
    ]
    compared = compare(table)
    assert compared.left_out_methods == ["failing", "unfinished"]
    assert list(compared.scores.index) == ["x", "y", "z"]


def test_probability_matrix_agrees_with_single_pairs(scores):
    matrix = probability_better(scores, rope=0.02, n_samples=2000)
    pair = bayesian_signed_rank(scores["b"], scores["e"], 0.02, n_samples=2000)
    assert matrix.loc["b", "e"] == pair.first and matrix.loc["e", "b"] == pair.second
    assert np.isnan(np.diag(matrix)).all()


def test_kernel_pca_paper_table_5_10_follows_from_its_table_5_9():
    table = published_scores("zvi-thesis", "table-5.9")
    printed, stars = published_ranks("zvi-thesis", "table-5.10")
    assert_allclose(statistics.average_ranks(table)[printed.index], printed, atol=0.006)
    # "adjusted Friedman test … chi-squared(4) = 13.63, p < 0.009"
    result = statistics.friedman(table)
    assert_allclose(result.chi2, 13.63, atol=0.005)
    assert result.chi2_p < 0.009
    # Asterisks: rejected by Holm's method at a confidence of 90 %.
    adjusted = statistics.holm_against(table, "RBF DT (10d)")["p_holm"]
    assert set(adjusted.index[adjusted < 0.10]) == set(stars.index[stars == "*"])


def test_kernel_pca_paper_table_5_11_follows_from_tables_5_2_to_5_9():
    table = published_scores("zvi-thesis", *KPCA_TABLES, "table-5.9")
    printed, _ = published_ranks("zvi-thesis", "table-5.11")
    ranks = statistics.average_ranks(table)[printed.index]
    # The scores are printed to three decimals, which makes ties that the authors did not have.
    assert stats.spearmanr(ranks, printed).statistic > 0.99
    assert_allclose(statistics.friedman(table).chi2, 73.45, atol=0.7)


def test_kernel_pca_paper_table_5_8_has_permuted_rows():
    table = published_scores("zvi-thesis", *KPCA_TABLES)
    printed, _ = published_ranks("zvi-thesis", "table-5.8")
    ranks = statistics.average_ranks(table)[printed.index]
    wrong = printed.index[np.abs(ranks - printed) > 0.3]
    assert set(wrong) == {
        f"RBF + {kernel} {inducer} ({size})"
        for kernel in ("Sigmoid", "Poly")
        for inducer in ("DT", "NN")
        for size in ("10d", "0.5d")
    } - {"RBF + Poly NN (0.5d)"}
    # 9.87 belongs to RBF + Sigmoid NN (10d), 16.24 to RBF + Poly DT (10d), and with the rows in
    # their places every printed rank is one that ties allow.
    printed, _ = thesis_ranks("table-5.8")
    assert printed["RBF + Sigmoid NN (10d)"] == 9.87 and printed["RBF + Poly DT (10d)"] == 16.24


@pytest.mark.parametrize("name, n_same", [("table-5.8", 6), ("table-5.10", 5), ("table-5.11", 5)])
def test_ranks_of_the_kernel_pca_thesis_are_those_that_ties_allow(name, n_same):
    same, allowed = agreement(*thesis_ranks(name))
    assert same.sum() == n_same and allowed.all()


def test_averages_of_the_mekl_dlp_paper():
    for table in ("table-3", "table-4"):
        rows = read_published("wang-2019")
        rows = rows[(rows["table"] == table) & (rows["data"] == "Average")]
        printed = rows.set_index("method")["value"].astype(float)
        means = published_scores("wang-2019", table).mean()[printed.index]
        wrong = printed.index[np.abs(means - printed) > 0.011]
        # Table 4 prints 80.75 for MEKL-LPC; its column has the mean 80.92.
        assert list(wrong) == ([] if table == "table-3" else ["MEKL-LPC"])


def test_ranks_of_the_179_classifiers(data_folder):
    path = data_folder / "results" / "jmlr121_179_classifiers.csv"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in KERNSEMBLE_DATA")
    table = pd.read_csv(path, index_col=0)
    ranks = statistics.average_ranks(statistics.complete(table, "mean"))
    printed = read_published("zhang-suganthan-2017").pivot(
        index=["table", "method"], columns="quantity", values="value"
    )
    positions = printed.loc["table-2", "position"].astype(int).sort_values()
    assert [name_of_121(name) for name in positions.index] == list(ranks.index[:20])
    # Four methods more push the ranks of the 183-method table up, by four at the most.
    later = printed.loc["table-6", "Friedman rank"].dropna().astype(float)
    later = later[[name for name in later.index if name_of_121(name) in ranks.index]]
    rise = later - [ranks[name_of_121(name)] for name in later.index]
    # The rank of svm_C is that among 179.
    assert_allclose(rise.pop("svm_C"), 0.0, atol=0.06)
    assert len(rise) == 15 and rise.between(2.0, 2.7).all()
    # The means do not change.
    means = printed.loc["table-6", "mean accuracy"].dropna().astype(float)
    ours = statistics.complete(table, "mean").mean()
    for method, column in (("parRaF_t", "parRF_caret"), ("KRR", "elm_kernel_matlab")):
        assert_allclose(ours[column], means[method], atol=0.006)


def test_the_rope_is_one_point_wide_on_either_side():
    second = np.linspace(0.5, 0.9, 20)
    for gain, expected in (
        (0.012, "first"),
        (0.008, "alike"),
        (-0.008, "alike"),
        (-0.012, "second"),
    ):
        found = bayesian_signed_rank(second + gain, second, n_samples=500)
        assert getattr(found, expected) > 0.95
        wide = bayesian_signed_rank(second + gain, second, rope=0.02, n_samples=500)
        assert wide.alike > 0.95
