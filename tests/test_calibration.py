"""Calibration against its definitions: temperatures, probabilities, label sets, honest scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar
from sklearn.metrics import log_loss

from kernsemble.calibration import (
    DEFAULT_TEMPERATURE,
    HonestScores,
    conformal_threshold,
    fit_class_bias,
    fit_class_lines,
    fit_temperature,
    log_odds,
    mean_log_loss,
    mean_probabilities,
    probabilities,
    share_probabilities,
)
from kernsemble.tables.copies import Merged
from kernsemble.tables.draws import calibration_rows


def doubtful_loss(temperature, scores, codes, weights):
    """Mean log-loss against classes that are certain up to 1 / (n + 2), row by row."""
    P, doubt, total = probabilities(scores, temperature), 1 / (weights.sum() + 2), 0.0
    for p, code, weight in zip(P, codes, weights):
        aims = np.full(len(p), doubt / (len(p) - 1))
        aims[code] = 1 - doubt
        total -= weight * np.sum(aims * np.log(np.maximum(p, 1e-300)))
    return total / weights.sum()


@pytest.mark.parametrize("n_columns", [1, 2, 4])
def test_mean_probabilities_are_the_weighted_mean_of_the_members(n_columns):
    rng = np.random.RandomState(0)
    S, temperatures = 5 * rng.randn(3, 7, n_columns), np.array([0.5, 1.0, 4.0])
    weights = np.array([0.2, 0.5, 0.3])
    expected = sum(w * probabilities(s, t) for w, t, s in zip(weights, temperatures, S))
    assert_allclose(mean_probabilities(S, temperatures, weights), expected, rtol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_temperature_has_the_least_loss(n_classes, weighted):
    rng = np.random.RandomState(0)
    codes = rng.randint(n_classes, size=60)
    aims = np.eye(n_classes)[codes]
    scores = 2.0 * aims + rng.randn(60, n_classes)
    if n_classes == 2:
        scores = scores[:, 1:] - scores[:, :1]
    weights = rng.randint(1, 9, 60).astype(float) if weighted else np.ones(60)
    found = fit_temperature(scores, codes, weights if weighted else None)
    best = minimize_scalar(
        lambda t: doubtful_loss(np.exp(t), scores, codes, weights), bounds=(-5, 5), method="bounded"
    )
    assert_allclose(np.log(found), best.x, atol=1e-4)


def test_temperatures_expect_as_many_more_errors_as_they_are_told():
    rng = np.random.RandomState(0)
    codes = rng.randint(2, size=40)
    scores = (2.0 * codes - 1.0)[:, None] + 0.1 * rng.randn(40, 1)
    # Without an error among n rows, the mean probability of an error is that which is expected.
    for doubt in (1.0, 0.25):
        temperature = fit_temperature(scores, codes, doubt=doubt)
        own = probabilities(scores, temperature)[np.arange(40), codes]
        assert_allclose(np.mean(1.0 - own), doubt / 42, rtol=0.2)


def test_temperatures_stay_within_a_thousand_times_the_scale():
    scores, codes = np.array([[3.0], [-5.0], [4.0]]), np.array([1, 0, 1])
    wrong = fit_temperature(scores, 1 - codes)
    assert_allclose(wrong, 1000 * np.abs(scores).mean())
    assert 0 < fit_temperature(scores, codes) < np.abs(scores).mean()
    # Scores that are right by far less than their mean size would have to be sharper yet.
    uneven = np.tile([[1.0], [-1.0], [100.0]], (10_000, 1))
    sharp = fit_temperature(uneven, np.tile(codes, 10_000), np.full(30_000, 1e300))
    assert_allclose(sharp, np.abs(uneven).mean() / 1000)
    assert fit_temperature(np.zeros((3, 1)), codes) == DEFAULT_TEMPERATURE == 0.5


def test_probabilities_are_softmax_and_sigmoid():
    S = np.array([[0.3, -0.2, 1.0]])
    e = np.exp(S / 0.7)
    assert_allclose(probabilities(S, 0.7), e / e.sum())
    margin = probabilities(np.array([[0.6]]), 0.3)
    assert_allclose(margin, [[1 / (1 + np.exp(2.0)), 1 / (1 + np.exp(-2.0))]])
    assert_allclose(probabilities(np.array([[0.5]])), probabilities(np.array([[0.5]]), 0.5))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_odds_are_undone_by_probabilities(n_classes):
    P = np.random.RandomState(0).dirichlet(np.ones(n_classes), 5)
    assert_allclose(probabilities(log_odds(P), 1.0), P)
    certain = np.eye(n_classes)[:1]
    assert np.isfinite(log_odds(certain)).all()


def test_shares_become_probabilities():
    assert_allclose(share_probabilities(np.array([[0.4], [-2.0]])), [[0.3, 0.7], [1.0, 0.0]])
    shares = np.array([[0.2, 0.6, -0.1]])
    assert_allclose(share_probabilities(shares), [[0.25, 0.75, 0.0]])


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9, 0.95])
def test_the_threshold_cuts_off_the_smallest_of_n_plus_one(confidence):
    rng = np.random.RandomState(0)
    own = np.sort(rng.rand(39))
    codes = rng.randint(2, size=39)
    P = np.column_stack([np.where(codes == 0, own, 1 - own), np.where(codes == 1, own, 1 - own)])
    # The new row and k others may fall short when (k + 1) / 40 is at most 1 - confidence.
    n_short = int((1 - confidence) * 40 + 1e-9) - 1
    assert conformal_threshold(P, codes, confidence) == own[n_short]
    repeated = conformal_threshold(P.repeat(2, axis=0), codes.repeat(2), confidence)
    counted = conformal_threshold(P, codes, confidence, np.full(39, 2.0))
    assert abs(np.searchsorted(own, repeated) - np.searchsorted(own, counted)) <= 1


def test_a_threshold_between_two_rows():
    own = np.array([0.1, 0.2, 0.4, 0.8])
    P, codes = np.column_stack([own, 1 - own]), np.zeros(4, dtype=int)
    # A fifth is cut off at 0.1 and two fifths at 0.2.
    assert conformal_threshold(P, codes, 0.8) == 0.1
    assert conformal_threshold(P, codes, 0.7) == pytest.approx(0.15)
    assert conformal_threshold(P, codes, 0.6) == pytest.approx(0.2)
    assert conformal_threshold(P, codes, 0.81) == 0.0
    # A row of weight 2 stands for two, between which nothing changes.
    weights = np.array([2.0, 1.0, 1.0, 1.0])
    assert conformal_threshold(P, codes, 1 - 3.25 / 6.25, weights) == pytest.approx(0.2)


@pytest.mark.parametrize("n_rows", [12, 17, 25])
def test_label_sets_of_few_rows_hold_what_was_asked_for(n_rows):
    rng = np.random.RandomState(0)
    codes, held = np.zeros(n_rows, dtype=int), []
    for own in rng.beta(3.0, 1.0, size=(20_000, n_rows + 1)):
        P = np.column_stack([own[:-1], 1 - own[:-1]])
        held.append(own[-1] >= conformal_threshold(P, codes, 0.9))
    # Whole rows would hold this much more; a line between two rows takes most of that away.
    more = 0.1 - np.floor(0.1 * (n_rows + 1)) / (n_rows + 1)
    assert abs(np.mean(held) - 0.9) < 0.5 * more


def test_too_few_rows_rule_out_nothing():
    P, codes = np.full((3, 2), 0.5), np.zeros(3, dtype=int)
    assert conformal_threshold(P, codes, 0.9) == 0.0
    assert conformal_threshold(P, codes, 0.5) == 0.5
    # The last threshold is the largest own probability, however small the confidence.
    assert conformal_threshold(np.array([[0.2, 0.8], [0.7, 0.3]]), np.array([0, 0]), 0.01) == 0.7


def test_rows_of_large_weight_count_more():
    P, codes = np.column_stack([np.linspace(0.1, 0.9, 9)] * 2), np.zeros(9, dtype=int)
    heavy_low = np.where(np.arange(9) == 0, 20.0, 1.0)
    heavy_high = heavy_low[::-1]
    low = conformal_threshold(P, codes, 0.5, heavy_low)
    assert low < conformal_threshold(P, codes, 0.5, heavy_high)


def test_accuracies_of_honest_scores():
    scores = np.array([[2.0, 1.0], [0.0, 1.0], [3.0, 1.0]])
    honest = HonestScores(scores, np.array([0, 1, 1]), np.array([1.0, 1.0, 6.0]), np.arange(3))
    assert honest.accuracy == pytest.approx(2 / 3)
    assert honest.weighted_accuracy == pytest.approx(0.25)
    assert honest.temperature() == fit_temperature(scores, honest.codes, honest.sample_weight)


def test_honest_scores_of_merged_rows_are_given_to_every_copy():
    scores, codes = np.array([[1.0], [2.0]]), np.array([1, 0])
    honest = HonestScores(scores, codes, np.array([2.0, 1.0]), np.array([0, 2]))
    # Rows 1 and 4 stand behind a row of the table that has no honest score.
    merged = Merged(np.array([2, 1, 0, 0, 1]), None)
    every = honest.unmerged(merged)
    assert_array_equal(every.rows, [0, 2, 3])
    assert_array_equal(every.scores.ravel(), [2.0, 1.0, 1.0])
    assert_array_equal(every.codes, [0, 1, 1])
    assert every.sample_weight is None
    weighted = honest.unmerged(merged._replace(sample_weight=np.array([5.0, 6.0, 7.0, 8.0, 9.0])))
    assert_array_equal(weighted.sample_weight, [5.0, 7.0, 8.0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_bias_of_classes_is_found(n_classes):
    rng = np.random.RandomState(0)
    true = rng.randn(20_000, n_classes)
    codes = (true + rng.gumbel(size=true.shape)).argmax(axis=1)
    shift = np.arange(n_classes) - (n_classes - 1) / 2
    scores = true - shift
    if n_classes == 2:
        scores = scores[:, 1:] - scores[:, :1]
    bias = fit_class_bias(scores, codes)
    expected = np.ones(1) if n_classes == 2 else shift
    assert_allclose(bias, expected, atol=0.1)
    # Few rows say little.
    few = fit_class_bias(scores[:20], codes[:20])
    assert np.abs(few).max() < np.abs(expected).max()


def test_the_cost_of_a_bias():
    rng = np.random.RandomState(0)
    codes = rng.randint(3, size=100)
    scores = rng.randn(100, 3) + np.eye(3)[codes]
    usual = fit_class_bias(scores, codes)
    assert_allclose(fit_class_bias(scores, codes, cost=10.0), usual)
    assert np.linalg.norm(fit_class_bias(scores, codes, cost=1.0)) > np.linalg.norm(usual)


def test_scores_that_seem_worthless_still_count_beside_the_bias():
    codes = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    # Left out, every row looks a little more like the other class.
    scores = np.where(codes == 0, 0.1, -0.1)[:, None]
    assert fit_class_bias(scores, codes) < -1.0
    kept = fit_class_bias(scores, codes, min_scale=0.3)
    assert -1.0 < kept < 0.0


def test_the_factors_of_classes_are_found():
    rng = np.random.RandomState(0)
    true = 2.0 * rng.randn(20_000, 3)
    codes = (true + rng.gumbel(size=true.shape)).argmax(axis=1)
    units = np.array([0.5, 1.0, 4.0])
    factors, bias = fit_class_lines(true / units, codes)
    assert_allclose(factors / factors[1], units, rtol=0.1)
    assert_allclose(bias, 0.0, atol=0.1)
    # Few rows say little, and two classes have one unit.
    few, _ = fit_class_lines((true / units)[:20], codes[:20])
    assert few.max() / few.min() < factors.max() / factors.min()
    margins, pair = (true[:, 1:2] - true[:, :1]), (codes[:, None] > [0]).ravel().astype(int)
    factors, bias = fit_class_lines(margins, pair)
    assert_allclose(factors, 1.0)
    assert_allclose(bias, fit_class_bias(margins, pair, min_scale=0.5))


def test_the_lines_of_classes_are_where_the_log_loss_is_least():
    rng = np.random.RandomState(0)
    codes, weights = rng.randint(3, size=50), rng.uniform(1, 2, 50)
    scores = rng.randn(50, 3) + np.eye(3)[codes]
    factors, bias = fit_class_lines(scores, codes, weights)

    def loss(logs, bias, scale):
        mean = doubtful_loss(1.0, scale * (np.exp(logs) * scores + bias), codes, weights)
        size = weights.sum()
        penalty = np.sum((scale * bias) ** 2) + 0.25 * np.sum(logs**2)
        return size * mean + 0.5 * np.sqrt(size) * penalty

    logs = np.log(factors)
    scale = np.exp(minimize_scalar(lambda log: loss(logs, bias, np.exp(log))).x)
    for step in 1e-3 * np.eye(3):
        for sign in (-1, 1):
            assert loss(logs, bias, scale) <= loss(logs, bias + sign * step, scale) + 1e-7
            assert loss(logs, bias, scale) <= loss(logs + sign * step, bias, scale) + 1e-7


def test_the_bias_of_classes_is_where_the_log_loss_is_least():
    rng = np.random.RandomState(0)
    scores, codes, weights = rng.randn(50, 3), rng.randint(3, size=50), rng.uniform(1, 2, 50)
    bias = fit_class_bias(scores, codes, weights)

    def loss(bias, scale):
        mean = doubtful_loss(1.0, scale * (scores + bias), codes, weights)
        size = weights.sum()
        return size * mean + 0.5 * np.sqrt(size) * np.sum((scale * bias) ** 2)

    scale = minimize_scalar(lambda log: loss(bias, np.exp(log))).x
    for k in range(3):
        step = 1e-3 * (np.arange(3) == k)
        assert loss(bias, np.exp(scale)) <= loss(bias + step, np.exp(scale)) + 1e-9
        assert loss(bias, np.exp(scale)) <= loss(bias - step, np.exp(scale)) + 1e-9


@pytest.mark.parametrize("weighted", [False, True])
def test_the_log_loss_is_that_of_scikit_learn(weighted):
    rng = np.random.RandomState(0)
    P, codes = rng.dirichlet(np.full(4, 0.1), 50), rng.randint(4, size=50)
    P[:2], codes[:2] = np.eye(4)[:2], [0, 2]
    weights = rng.rand(50) if weighted else None
    wanted = log_loss(codes, P, labels=range(4), sample_weight=weights)
    assert_allclose(mean_log_loss(P, codes, weights), wanted)


def test_many_scores_are_calibrated_on_a_sample():
    assert len(calibration_rows(30_000)) == len(calibration_rows(30_000, 100)) == 20_000
    assert len(calibration_rows(30_000, 2**16)) == 1024
    assert_array_equal(calibration_rows(1000, 2**16), np.arange(1000))
