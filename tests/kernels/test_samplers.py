import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import kstest, uniform

from kernsemble.kernels import (
    RBF,
    GammaGrid,
    GammaRange,
    KernelSampler,
    Laplacian,
    Linear,
    MeanDistance,
    MeanSquaredDistance,
    MedianGrid,
    MedianScale,
    Normalized,
    RandomPolynomial,
    RandomRBF,
    RandomSigmoid,
    resolve_kernels,
)
from kernsemble.kernels import statistics as statistics_module
from kernsemble.kernels.samplers import log_uniform, spread_uniform
from kernsemble.kernels.statistics import _median, distance_statistics
from kernsemble.tables import open_memory
from tests.reference.kernels import distances

X = np.random.RandomState(0).randn(40, 3) * [1.0, 2.0, 5.0] + 10.0


def draw(sampler, n_kernels, rows=X):
    return sampler.sample(rows, n_kernels, np.random.RandomState(0))


def test_statistics_are_those_of_all_pairs():
    literal = np.array(distances(X))
    found = distance_statistics(X, np.random.RandomState(0))
    assert_allclose(found, [literal.mean(), np.median(literal), literal.max(), (literal**2).mean()])
    assert_allclose(distance_statistics(sparse.csr_array(X), np.random.RandomState(0)), found)


def test_statistics_of_many_rows_come_from_a_seeded_sample(monkeypatch):
    monkeypatch.setattr(statistics_module, "MAX_EXACT_ROWS", 30)
    one, again = (distance_statistics(X, np.random.RandomState(3)) for _ in range(2))
    assert one == again
    assert abs(one.mean / np.mean(distances(X)) - 1) < 0.2


def table_of(rows, weights=None, *, merge=False):
    return open_memory(rows, np.arange(len(rows)) % 2, weights, merge=merge)


@pytest.mark.parametrize("p", [1, 2])
def test_a_weight_of_two_counts_as_two_rows(p):
    rng = np.random.RandomState(1)
    weights = rng.randint(1, 4, len(X))
    repeated = distance_statistics(X.repeat(weights, axis=0), rng, p=p)
    counted = distance_statistics(table_of(X, weights, merge=True), rng, p=p)
    # Distances of equal rows are zero up to rounding.
    assert_allclose(counted, repeated, rtol=1e-9)
    # Weights that are not numbers of copies form no pairs of a row with itself.
    weighted = distance_statistics(table_of(X, 0.5 * weights), rng, p=p)
    i, j = np.triu_indices(len(X), 1)
    each = (np.abs(X[i] - X[j]) ** p).sum(axis=1) ** (1 / p)
    assert_allclose(weighted.mean, np.average(each, weights=weights[i] * weights[j]))
    assert weighted.mean != pytest.approx(repeated.mean, rel=1e-3)


def test_the_weighted_median_of_many_values_is_exact():
    rng = np.random.RandomState(2)
    values, weights = rng.gamma(2.0, size=40_001), rng.randint(1, 5, 40_001)
    found = statistics_module._weighted_median(values, weights.astype(float))
    assert found == np.median(values.repeat(weights))


@pytest.mark.parametrize("limit", [30, 4000])
@pytest.mark.parametrize(
    "sampler",
    [
        GammaGrid(),
        GammaRange(),
        MeanDistance(),
        MeanSquaredDistance(),
        MedianGrid("laplacian"),
        MedianScale(),
        RandomPolynomial(),
        RandomRBF(),
        RandomSigmoid(),
        RandomSigmoid(unit_free=True),
    ],
    ids=repr,
)
def test_arrays_sparse_rows_and_tables_give_the_same_kernels(sampler, limit, monkeypatch):
    monkeypatch.setattr(statistics_module, "MAX_EXACT_ROWS", limit)
    kernels = draw(sampler, 2)
    assert draw(sampler, 2, table_of(X)) == kernels
    by_sparse_rows = draw(sampler, 2, sparse.csr_array(X))
    for kernel, other in zip(kernels, by_sparse_rows, strict=True):
        assert_allclose(other(X), kernel(X), rtol=1e-9)


def test_equal_rows_have_scale_one():
    assert distance_statistics(np.ones((5, 2)), np.random.RandomState(0)).median == 1.0
    mostly_equal = np.vstack([np.zeros((9, 1)), [[2.0]]])
    assert distance_statistics(mostly_equal, np.random.RandomState(0)).median > 0


def test_mean_distance_is_the_rule_of_rpemekl():
    mean = np.mean(distances(X))
    linear, wide, narrow = draw(MeanDistance(), 3)
    assert linear == Normalized(Linear())
    assert_allclose([wide.gamma, narrow.gamma], [0.5 / mean**2, 0.5 / (0.1 * mean) ** 2])


def test_mean_squared_distance_is_the_rule_of_mekl_dlp():
    mean = np.mean(np.square(distances(X)))
    gammas = [kernel.gamma for kernel in draw(MeanSquaredDistance(), 3)]
    assert_allclose(gammas, [0.5 / (eta * mean) for eta in (0.25, 1.0, 4.0)])


def test_random_rules_are_those_of_the_kernel_pca_ensemble():
    mean, maximum = np.mean(distances(X)), np.max(distances(X))
    exponents = [-np.log(kernel.gamma) / np.log(mean) for kernel in draw(RandomRBF(), 200)]
    assert 1.0 <= min(exponents) < 1.1 and 2.9 < max(exponents) <= 3.0
    polynomials = draw(RandomPolynomial(), 200)
    assert {(kernel.degree, round(kernel.gamma * maximum, 10)) for kernel in polynomials} == {
        (3, 2)
    }
    offsets = [kernel.coef0 / mean for kernel in polynomials]
    assert 0.5 <= min(offsets) < 0.55 and 1.45 < max(offsets) <= 1.5
    sigmoids = draw(RandomSigmoid(), 200)
    assert_allclose([kernel.gamma for kernel in sigmoids], mean**-5.0)
    assert all(-1.0 <= kernel.coef0 <= 0.0 for kernel in sigmoids)


def test_spread_numbers_are_one_from_each_part_and_uniform_each():
    rng = np.random.RandomState(0)
    teams = np.array([spread_uniform(1.0, 3.0, 10, rng) for _ in range(2000)])
    assert all((np.sort(team) * 5 // 1 == np.arange(5, 15)).all() for team in teams)
    for member in teams.T:
        assert kstest(member, uniform(1.0, 2.0).cdf).pvalue > 1e-3


@pytest.mark.parametrize("n_kernels", [1, 2, 10])
def test_kernels_of_an_ensemble_are_spread_over_the_range_of_a_rule(n_kernels):
    mean, median = np.mean(distances(X)), np.median(distances(X))
    drawn = {
        (1.0, 3.0): [-np.log(k.gamma) / np.log(mean) for k in draw(RandomRBF(), n_kernels)],
        (0.5, 1.5): [k.coef0 / mean for k in draw(RandomPolynomial(), n_kernels)],
        (-1.0, 0.0): [k.coef0 for k in draw(RandomSigmoid(), n_kernels)],
        (-2.0, 2.0): [np.log2(k.gamma * median**2) for k in draw(MedianScale(), n_kernels)],
    }
    for (low, high), values in drawn.items():
        parts = (np.sort(values) - low) / (high - low) * n_kernels
        assert_array_equal(np.floor(parts), np.arange(n_kernels))


def test_samplers_combine_as_kernels_do():
    for sampler, operation in (
        (RandomRBF() + RandomPolynomial(), " + "),
        (RandomRBF() * RandomPolynomial(), " * "),
    ):
        kernels = draw(sampler, 3)
        assert len(kernels) == 3
        assert all(
            repr(k).startswith("RBF") and f"{operation}Polynomial" in repr(k) for k in kernels
        )


def test_gamma_range_is_log_uniform():
    gammas = np.array([kernel.gamma for kernel in draw(GammaRange(), 500)])
    exponents = np.log2(gammas)
    assert exponents.min() >= -5 and exponents.max() <= 2
    assert abs(exponents.mean() + 1.5) < 0.3
    by_values = log_uniform(2.0**-5, 2.0**2, 500, np.random.RandomState(0))
    assert_allclose(gammas, by_values, rtol=1e-13)


def test_gamma_grid_is_that_of_the_study():
    assert [k.gamma for k in draw(GammaGrid(), 25)] == [2.0**g for g in range(-16, 9)]
    assert [k.gamma for k in draw(GammaGrid(), 3)] == [2.0**-16, 2.0**-4, 2.0**8]


@pytest.mark.parametrize("family", ["rbf", "laplacian", "laplacian_l2", "cauchy"])
def test_median_scale_does_not_depend_on_the_unit(family):
    sampler = MedianScale(family)
    for small, large in zip(draw(sampler, 5), draw(sampler, 5, 1000 * X)):
        assert_allclose(large(1000 * X), small(X))


@pytest.mark.parametrize("size", [1, 2, 7, 5000, 30_001])
def test_the_median_of_many_values_is_exact(size):
    rng = np.random.RandomState(0)
    spread, ties = rng.uniform(size=size), rng.randint(3, size=size).astype(float)
    # A regular sample could mislead if the values are sorted, tied or mostly zero.
    for values in (spread, np.sort(spread), ties, np.zeros(size), spread * (spread > 0.7)):
        assert _median(values) == np.median(values)
    if size > 2 * statistics_module.SAMPLE_VALUES:
        # Every value of the sample is 1, and the others are below 1.
        spread[:: size // statistics_module.SAMPLE_VALUES] = 1.0
        assert _median(spread) == np.median(spread)


def test_median_scale_without_spread_is_the_median():
    median = np.median(distances(X))
    assert_allclose(draw(MedianScale(spread=0.0), 1)[0].gamma, median**-2)
    with pytest.raises(ValueError, match="family"):
        draw(MedianScale("gauss"), 1)
    with pytest.raises(ValueError, match="spread"):
        draw(MedianScale(spread=-1.0), 1)


@pytest.mark.parametrize("family", ["rbf", "laplacian"])
def test_median_grid_is_powers_of_two_around_the_median(family):
    (centre,) = draw(MedianScale(family, spread=0.0), 1)
    kernels = draw(MedianGrid(family, -2, 3), 6)
    assert_allclose([k.gamma for k in kernels], centre.gamma * 2.0 ** np.arange(-2, 4))
    assert {type(k) for k in kernels} == {type(centre)}
    with pytest.raises(ValueError, match="at most 6"):
        draw(MedianGrid(family, -2, 3), 7)


@pytest.mark.parametrize(
    ("sampler", "error", "message"),
    [
        (GammaGrid(3, 2), ValueError, r"high must be in \[3.*got 2"),
        (GammaGrid(0.5, 2), TypeError, r"low must be a whole number, got 0\.5"),
        (MedianGrid("rbf", -1, None), TypeError, "high must be a whole number, got None"),
        (GammaRange(2.0, 1.0), ValueError, r"high must be in \[2\.0.*got 1\.0"),
        (RandomRBF(3.0, 1.0), ValueError, r"high must be in \[3\.0.*got 1\.0"),
        (RandomPolynomial(low="small"), TypeError, "low must be a real number, got 'small'"),
        (RandomSigmoid(high=np.inf), ValueError, "high must be in"),
        (MeanDistance((1.0, -1.0)), ValueError, "each of multipliers must be in .*got -1"),
        (MeanSquaredDistance((0.0,)), ValueError, "each of multipliers must be in .*got 0"),
    ],
    ids=repr,
)
def test_a_bad_parameter_of_a_sampler_is_named(sampler, error, message):
    with pytest.raises(error, match=message):
        draw(sampler, 1)


def test_a_sampler_must_define_sample():
    class Incomplete(KernelSampler):
        pass

    with pytest.raises(TypeError, match=r"abstract.*sample"):
        Incomplete()


def test_resolve_kernels_takes_what_users_pass():
    rng = np.random.RandomState(0)
    assert resolve_kernels(RBF(), X, 2, rng) == [RBF(), RBF()]
    assert resolve_kernels([RBF(), Linear()], X, None, rng) == [RBF(), Linear()]
    assert len(resolve_kernels(None, X, 4, rng)) == 4
    assert len(resolve_kernels(MeanDistance(), X, None, rng)) == 3
    assert isinstance(resolve_kernels(MedianScale("laplacian"), X, 1, rng)[0], Laplacian)


@pytest.mark.parametrize(
    ("kernels", "n_kernels", "error", "message"),
    [
        ("rbf", 1, TypeError, "kernels must be"),
        ([], None, TypeError, "kernels must be"),
        ([RBF(), "rbf"], None, TypeError, "each of kernels"),
        ([RBF()], 2, ValueError, "kernels has 1 entries"),
        (RBF(), 0, ValueError, "n_kernels"),
        (RBF(), 1.5, TypeError, "n_kernels"),
        (MeanDistance(), 4, ValueError, "n_kernels must be at most 3"),
    ],
    ids=str,
)
def test_resolve_kernels_names_what_is_wrong(kernels, n_kernels, error, message):
    with pytest.raises(error, match=message):
        resolve_kernels(kernels, X, n_kernels, np.random.RandomState(0))
