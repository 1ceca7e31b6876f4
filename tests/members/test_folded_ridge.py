"""Ridges on landmarks score every fold as a ridge that was fitted without it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.kernels import RBF, Laplacian
from kernsemble.members.folded_ridge import (
    JITTER,
    Candidates,
    Folds,
    Sums,
    choose_by_folds,
    choose_together,
    fit_folded_ridges,
    fit_held_out_ridges,
    sum_rows,
)
from kernsemble.tables import MemoryTable
from tests.reference.closed_form import landmark_ridge

ALPHAS = np.array([0.01, 0.1, 1.0])


@pytest.fixture
def table():
    rng = np.random.RandomState(0)
    X, codes = rng.randn(60, 3), rng.randint(3, size=60)
    return MemoryTable(X + codes[:, None], codes, np.arange(3), rng.uniform(0.5, 2.0, 60))


@pytest.fixture
def folds():
    return Folds.of(np.random.RandomState(1).permutation(60) % 4, 4)


def literal(table, kernel, landmarks, numbers, alpha, X):
    rows = table.rows(numbers)
    K = kernel(landmarks) + JITTER * np.eye(len(landmarks))
    return landmark_ridge(
        kernel(rows.X, landmarks), K, rows.targets("one_hot"), rows.weights, alpha
    )(kernel(X, landmarks))


def test_honest_scores_are_those_of_ridges_without_the_fold(table, folds):
    landmarks, kernel = table[np.arange(0, 60, 6)], RBF(0.2)
    (found,) = fit_folded_ridges(table.all, landmarks, [Candidates([kernel], ALPHAS[:1])], folds)
    for rest, fold in folds.pairs():
        expected = literal(table, kernel, landmarks, rest, ALPHAS[0], table[fold])
        assert_allclose(found.member.honest_scores[fold], expected, atol=1e-6)
    whole = literal(table, kernel, landmarks, np.arange(60), ALPHAS[0], table.all.X)
    assert_allclose(found.member.scores(table.all.X), whole, atol=1e-6)


def test_the_choice_has_the_least_squared_error_on_the_folds(table, folds):
    landmarks, kernels = table[np.arange(0, 60, 6)], [RBF(0.05), RBF(0.5), Laplacian(0.3)]
    T, weights = table.all.targets("one_hot"), table.all.weights
    errors = {}
    for kernel in kernels:
        for alpha in ALPHAS:
            one = [Candidates([kernel], np.array([alpha]))]
            (found,) = fit_folded_ridges(table.all, landmarks, one, folds)
            errors[kernel, alpha] = weights @ ((found.member.honest_scores - T) ** 2).sum(axis=1)
    (found,) = fit_folded_ridges(table.all, landmarks, [Candidates(kernels, ALPHAS)], folds)
    assert (found.kernel, found.alpha) == min(errors, key=errors.__getitem__)


def test_families_fitted_together_are_as_if_alone(table, folds):
    landmarks = table[np.arange(0, 60, 6)]
    families = [Candidates([RBF(0.1), RBF(1.0)], ALPHAS), Candidates([Laplacian(0.3)], ALPHAS)]
    together = fit_folded_ridges(table.all, landmarks, families, folds)
    for family, own in zip(families, together):
        (alone,) = fit_folded_ridges(table.all, landmarks, [family], folds)
        assert_allclose(own.member.honest_scores, alone.member.honest_scores, atol=1e-10)


def test_rows_that_are_not_scored_belong_to_no_fold(table, folds):
    landmarks, kernel = table[np.arange(0, 60, 6)], RBF(0.2)
    few = np.sort(folds.order[:40])
    scored = table.take(few)
    parts = Folds.of(np.arange(40) % 2, 2)

    def sum_all(kernels):
        return [Sums(*own) for own in table.total(sum_rows, lambda X: X, landmarks, kernels)]

    family = [Candidates([kernel], ALPHAS[:1])]
    (found,) = fit_folded_ridges(scored.all, landmarks, family, parts, sum_all)
    for _, fold in parts.pairs():
        rest = np.setdiff1d(np.arange(60), few[fold])
        expected = literal(table, kernel, landmarks, rest, ALPHAS[0], table[few[fold]])
        assert_allclose(found.member.honest_scores[fold], expected, atol=1e-6)


def test_a_ridge_for_a_part_has_not_seen_the_rest(table, folds):
    landmarks, kernels = table[np.arange(0, 60, 6)], [RBF(0.2), RBF(2.0)]
    family = Candidates(kernels, ALPHAS[:3])
    pairs = folds.pairs()
    held_out = [fit_held_out_ridges(table.all, landmarks, family, *pair) for pair in pairs]
    expected = [
        [
            [literal(table, kernel, landmarks, rest, alpha, table.all.X) for alpha in ALPHAS[:3]]
            for kernel in kernels
        ]
        for rest, _ in pairs
    ]
    T = table.all.targets("one_hot")
    losses = []
    for (_, fold), own, S in zip(pairs, held_out, expected):
        errors = np.array(S)[:, :, fold] - T[fold]
        losses.append(np.sum(errors**2, axis=3) @ table.all.weights[fold])
        assert_allclose(own.losses, losses[-1], atol=1e-6)
    # All folds have the kernel and strength that are best for all of them together, but the scores
    # of a fold are by those that the other folds would choose.
    best = np.unravel_index(np.argmin(sum(losses)), (2, 3))
    for k, own in enumerate(choose_together(held_out)):
        assert own.kernel is kernels[best[0]] and own.alpha == ALPHAS[best[1]]
        assert_allclose(own.member.scores(table.all.X), expected[k][best[0]][best[1]], atol=1e-6)
        row, column = np.unravel_index(np.argmin(sum(losses) - losses[k]), (2, 3))
        honest = expected[k][row][column][pairs[k][1]]
        assert_allclose(own.member.honest_scores, honest, atol=1e-6)


def test_a_fold_does_not_choose_what_scores_it():
    losses = np.array([[1.0, 5.0, 1.0], [2.0, 2.0, 2.0]])
    assert choose_by_folds(losses) == (1, [1, 0, 1])


def test_equal_landmarks_do_no_harm(table, folds):
    landmarks = np.repeat(table[np.arange(0, 60, 12)], 2, axis=0)
    (found,) = fit_folded_ridges(
        table.all, landmarks, [Candidates([RBF(0.2)], np.array([1e-4]))], folds
    )
    assert np.isfinite(found.member.honest_scores).all()
    assert np.abs(found.member.honest_scores).max() < 10.0
