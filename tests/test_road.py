"""Targets, combination and calibration: the steps between members and classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit

from kernsemble.calibration import fit_temperature, probabilities
from kernsemble.combine import Mean, Vote, fit_combination
from kernsemble.targets import (
    CODINGS,
    best_class,
    class_pairs,
    count_classes,
    count_columns,
    decode_scores,
    encode_targets,
)

RNG = np.random.RandomState(0)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("coding", CODINGS)
def test_decoding_the_targets_gives_the_codes(coding, n_classes):
    codes = np.arange(20) % n_classes
    T = encode_targets(codes, n_classes, coding)
    scores = decode_scores(T, n_classes, coding)
    assert scores.shape[1] == (1 if n_classes == 2 else n_classes)
    assert_array_equal(best_class(scores), codes)
    assert count_classes(T.shape[1], coding) == n_classes
    assert count_columns(n_classes, coding) == T.shape[1]


def test_signed_targets_sum_over_classes():
    assert_array_equal(encode_targets(np.array([0, 1]), 2), [[-1], [1]])
    assert_array_equal(encode_targets(np.array([2, 0]), 3), [[-1, -1, 1], [1, -1, -1]])
    assert_array_equal(encode_targets(np.array([2, 0]), 3, "ovo"), [[0, 1, 1], [-1, -1, 0]])
    assert class_pairs(3) == [(0, 1), (0, 2), (1, 2)]


def test_duels_are_decided_by_wins_then_margins():
    # 0 beats 1, 1 beats 2, 2 beats 0: all have one win, and class 1 the largest margins.
    S = np.array([[-0.1, 0.2, -5.0]])
    assert decode_scores(S, 3, "ovo").argmax() == 1
    # Class 0 wins both duels, however large the margin of the third.
    assert decode_scores(np.array([[-0.01, -0.01, 1e6]]), 3, "ovo").argmax() == 0


def test_votes_count_and_margins_break_ties():
    three = np.array([[[0.1]], [[0.2]], [[-9.0]]])
    assert Vote()(three)[0, 0] > 0 > Mean()(three)[0, 0]
    two = np.array([[[0.1]], [[-0.3]]])
    assert Vote()(two)[0, 0] < 0
    classes = np.array([[[1.0, 0.9, 0.0]], [[1.0, 0.9, 0.0]], [[0.0, 50.0, 0.0]]])
    assert Vote()(classes)[0].argmax() == 0


def test_weights_are_the_non_negative_least_squares():
    T = RNG.randn(4000, 1)
    honest = np.stack([T + 0.5 * RNG.randn(4000, 1), T + RNG.randn(4000, 1), RNG.randn(4000, 1)])
    weights = fit_combination("weighted", honest, T).weights

    def loss(w):
        gram = np.trace(honest[:, :, 0] @ honest[:, :, 0].T) / 3 / np.sqrt(4000)
        error = np.tensordot(w, honest, axes=1) - T
        return np.sum(error**2) + gram * np.sum((w - 1 / 3) ** 2)

    literal = minimize(loss, np.full(3, 1 / 3), bounds=[(0, None)] * 3).x
    assert_allclose(weights, literal / literal.sum(), atol=1e-4)
    assert_allclose(weights.sum(), 1.0)
    assert weights[0] > 3 * weights[1]


def test_members_worse_than_nothing_share_the_weight():
    T = np.ones((10, 1))
    assert_allclose(fit_combination("weighted", -np.stack([T, T]), T).weights, 0.5)


def test_stacking_can_use_a_member_that_is_always_wrong():
    T = np.sign(RNG.randn(200, 1))
    combination = fit_combination("stacked", np.stack([-T, RNG.randn(200, 1)]), T)
    assert_array_equal(np.sign(combination(np.stack([-T, np.zeros_like(T)]))), T)


def test_the_temperature_of_calibrated_scores_is_found():
    logits = RNG.randn(20000, 1) * 2
    codes = (RNG.uniform(size=20000) < expit(logits[:, 0])).astype(int)
    assert_allclose(fit_temperature(0.1 * logits, codes), 0.1, rtol=0.05)
    assert_allclose(fit_temperature(7.0 * logits, codes), 7.0, rtol=0.05)
    weights = np.where(np.arange(20000) < 10000, 0.0, 1.0)
    half = fit_temperature(logits[10000:], codes[10000:])
    assert_allclose(fit_temperature(logits, codes, weights), half, rtol=0.01)


def test_rows_without_an_error_do_not_make_probabilities_certain():
    scores, codes = np.array([[-1.0], [1.0]] * 10), np.array([0, 1] * 10)
    P = probabilities(scores, fit_temperature(scores, codes))
    assert 0.9 < P.max() < 0.99
    assert fit_temperature(np.zeros((4, 1)), np.array([0, 1, 0, 1])) > 0


def test_probabilities_keep_the_order_of_scores():
    S = RNG.randn(50, 4)
    P = probabilities(S, 0.3)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_array_equal(P.argsort(axis=1), S.argsort(axis=1))
