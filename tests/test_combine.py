"""Combinations of member scores: what the weights are, and that rows count by their weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from kernsemble.calibration import HonestScores
from kernsemble.combine import (
    DOUBT_OF_FEW,
    POOL_DOUBT,
    PRIOR_OF_FEW,
    PRIOR_SHARE,
    ClassWeighted,
    Largest,
    Mean,
    Pooled,
    Stacked,
    Vote,
    Weighted,
    fit_combination,
    fit_pool,
    pool_honestly,
    pool_temperature,
)


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def honest(request):
    """Return honest scores of four members, targets, codes and whole-number weights."""
    rng = np.random.RandomState(0)
    n_outputs = 1 if request.param == 2 else 3
    codes = rng.randint(request.param, size=50)
    T = np.where(codes[:, None] == 1, 1.0, -1.0) if n_outputs == 1 else np.eye(3)[codes]
    noise = np.array([0.3, 0.6, 1.0, 3.0])[:, None, None]
    return T + noise * rng.randn(4, 50, n_outputs), T, codes, rng.randint(1, 5, 50)


@pytest.mark.parametrize("rule", ["weighted", "stacked", "pooled"])
def test_fitted_combinations_count_a_row_of_weight_two_twice(rule, honest):
    S, T, codes, weights = honest

    def fit(S, T, codes, weights=None):
        if rule == "pooled":
            return fit_pool(S, codes, weights)
        return fit_combination(rule, S, T, weights)

    counted = fit(S, T, codes, weights.astype(float))
    repeated = fit(S.repeat(weights, axis=1), T.repeat(weights, axis=0), codes.repeat(weights))
    assert_allclose(counted(S), repeated(S), atol=1e-7)
    assert np.abs(counted(S) - fit(S, T, codes)(S)).max() > 1e-3


def test_weights_have_the_least_penalised_squared_error(honest):
    S, T, _, weights = honest
    found = fit_combination("weighted", S, T, weights.astype(float)).weights
    A = S.reshape(4, -1) * np.sqrt(np.repeat(weights, S.shape[2]))
    shrinkage = np.sum(A**2) / 4 / np.sqrt(weights.sum())

    def objective(w):
        error = np.einsum("m,mij->ij", w, S) - T
        return weights @ np.sum(error**2, axis=1) + shrinkage * np.sum((w - 0.25) ** 2)

    best = minimize(objective, np.full(4, 0.25), bounds=[(0, None)] * 4, tol=1e-12).x
    assert_allclose(found, best / best.sum(), atol=1e-5)
    assert found.min() >= 0 and found.sum() == pytest.approx(1.0)
    # The less noisy a member, the more it weighs.
    assert list(np.argsort(-found)) == [0, 1, 2, 3]


def test_stacking_is_a_ridge_on_all_scores(honest):
    S, T, _, weights = honest
    found = fit_combination("stacked", S, T, weights.astype(float)).coefs
    Z = np.hstack([*S, np.ones((50, 1))])
    alpha = np.sqrt(weights.sum()) * np.average(np.mean(Z**2, axis=1), weights=weights)
    gradient = Z.T @ (weights[:, None] * (Z @ found - T)) + alpha * found
    assert_allclose(gradient, 0.0, atol=1e-8)


def test_a_pool_has_the_largest_penalised_likelihood(honest):
    S, _, codes, weights = honest
    found = fit_pool(S, codes, weights.astype(float))
    P = [found._replace(weights=np.eye(4)[m]).probabilities(S) for m in range(4)]
    own = np.array([p[np.arange(50), codes] for p in P])
    sure = own[np.argmax(np.log(own) @ weights)]
    doubtful = weights @ (4.0 * sure * (1.0 - sure))
    count = (PRIOR_SHARE * np.sqrt(doubtful) + PRIOR_OF_FEW / weights.sum()) / 4

    def objective(w):
        return -(weights @ np.log(w @ own) + count * np.log(np.maximum(w, 1e-300)).sum())

    best = objective(found.weights)
    rng = np.random.RandomState(1)
    for _ in range(200):
        other = found.weights * np.exp(0.1 * rng.randn(4))
        assert objective(other / other.sum()) >= best - 1e-6


def test_a_member_that_is_sure_and_right_keeps_its_certainty():
    rng = np.random.RandomState(0)
    codes = np.arange(4000) % 2
    right = np.where(codes == 1, 8.0, -8.0)[:, None]
    S = np.stack([right, *(0.2 * right + 2.0 * rng.randn(3, 4000, 1))])
    pool = fit_pool(S, codes)
    assert pool.weights[0] > 0.99
    # Many rows that are beyond doubt are no reason to believe the others.
    P = pool.probabilities(S)[np.arange(4000), codes]
    assert -np.log(P).mean() < 2e-3


def test_plain_rules():
    S = np.array([[[0.2], [-0.4]], [[0.4], [0.1]], [[-0.9], [-0.2]]])
    assert_allclose(Mean()(S).ravel(), [-0.1, -1 / 6])
    assert_allclose(Largest()(S).ravel(), [0.4, 0.1])
    votes = Vote()(S).ravel()
    assert votes[0] > 0 > votes[1]
    assert_allclose(Weighted(np.array([0.5, 0.5, 0.0]))(S).ravel(), [0.3, -0.15])
    biased = ClassWeighted(np.array([[1.0, 2.0, 0.0]]), np.array([0.5]))
    assert_allclose(biased(S).ravel(), [1.5, 0.3])
    assert_allclose(Stacked(np.array([[1.0], [0.0], [0.0], [0.1]]))(S).ravel(), [0.3, -0.3])


def test_a_tie_of_votes_goes_to_the_larger_mean():
    S = np.array([[[0.9, 0.0, 0.1]], [[0.0, 0.2, 0.1]]])
    assert Vote()(S).argmax() == 0
    margins = np.array([[[0.5]], [[-0.1]]])
    assert Vote()(margins)[0, 0] > 0


def test_a_majority_of_votes_beats_any_mean():
    loud = np.array([[[9.0, 0.0, 0.0]], [[0.0, 0.1, 0.0]], [[0.0, 0.1, 0.0]]])
    assert Vote()(loud).argmax() == 1
    margins = np.array([[[9.0]], [[-0.1]], [[-0.1]]])
    assert Vote()(margins)[0, 0] < 0


@pytest.mark.parametrize("n_members", [2, 3, 4, 7])
def test_means_break_ties_and_nothing_else(n_members):
    rng = np.random.RandomState(0)
    S = rng.randn(n_members, 200, 3) * 10.0 ** rng.uniform(-3, 3, (n_members, 1, 1))
    votes = np.stack([np.bincount(v, minlength=3) for v in S.argmax(axis=2).T])
    chosen = Vote()(S).argmax(axis=1)
    assert (votes[np.arange(200), chosen] == votes.max(axis=1)).all()
    tied = np.where(votes == votes.max(axis=1, keepdims=True), S.mean(axis=0), -np.inf)
    assert (chosen == tied.argmax(axis=1)).all()


@pytest.mark.parametrize("n_members", [3, 4, 5])
def test_margins_break_ties_of_two_classes_and_nothing_else(n_members):
    rng = np.random.RandomState(0)
    S = rng.randn(n_members, 400, 1) * 10.0 ** rng.uniform(-3, 6, (n_members, 400, 1))
    leads = np.sign(S[:, :, 0]).sum(axis=0)
    found = np.sign(Vote()(S)[:, 0])
    assert (found == np.where(leads == 0, np.sign(S.mean(axis=0)[:, 0]), np.sign(leads))).all()
    # A larger lead is a larger score, whatever the margins.
    ordered = np.argsort(Vote()(S)[:, 0])
    assert (np.diff(leads[ordered]) >= 0).all()


@pytest.mark.parametrize(
    ("n_rows", "n_members", "doubt"),
    [
        (8, 5, 1.0),
        (40, 5, POOL_DOUBT + DOUBT_OF_FEW / 40),
        (1000, 5, POOL_DOUBT + DOUBT_OF_FEW / 1000),
        (1000, 1, 1.0),
    ],
)
def test_a_pool_of_many_rows_doubts_less_than_a_member(n_rows, n_members, doubt):
    codes = np.arange(n_rows) % 2
    margins = np.where(codes == 1, 1.0, -1.0)[:, None] * np.linspace(1, 2, n_rows)[:, None]
    scores = HonestScores(margins, codes, None, np.arange(n_rows))
    assert pool_temperature(scores, n_members) == scores.temperature(doubt=doubt)
    # A row of weight two is two rows.
    twice = scores._replace(sample_weight=np.full(n_rows, 2.0))
    again = HonestScores(*(np.repeat(part, 2, axis=0) for part in (margins, codes)), None, None)
    assert_allclose(pool_temperature(twice, n_members), pool_temperature(again, n_members))


def test_a_part_of_a_pool_is_a_pool():
    pool = Pooled(np.array([0.2, 0.3, 0.5]), np.array([1.0, 2.0, 3.0]))
    part = pool.keep(np.array([0, 2]))
    assert_allclose(part.weights, [2 / 7, 5 / 7])
    assert_allclose(part.temperatures, [1.0, 3.0])


def test_a_pool_needs_the_members_without_which_probabilities_change():
    rng = np.random.RandomState(0)
    S, weights = 3.0 * rng.randn(5, 20, 3), np.array([0.05, 0.3, 0.02, 0.6, 0.03])
    pool = Pooled(weights, np.array([1.0, 2.0, 0.5, 1.0, 3.0]))
    whole = pool.probabilities(S)
    # All parts that are made by leaving out members of least weight, and what each changes.
    parts = [np.sort(np.argsort(weights)[dropped:]) for dropped in range(5)]
    changes = [np.abs(pool.keep(part).probabilities(S[part]) - whole).max() for part in parts]
    assert np.all(np.diff(changes) > 0)
    for dropped in range(1, 5):
        assert list(pool.needed(S, 1.001 * changes[dropped])) == list(parts[dropped])
        assert list(pool.needed(S, 0.999 * changes[dropped])) == list(parts[dropped - 1])
    # One member is left however large a change may be.
    assert list(pool.needed(S, np.inf)) == [3]


def test_fitted_rules_need_honest_scores():
    with pytest.raises(ValueError, match="combine='weighted' needs members"):
        fit_combination("weighted", None, np.zeros((3, 1)))


def test_a_pool_scores_rows_that_it_was_not_fitted_to(honest):
    S, _, codes, weights = honest
    folds = np.arange(50) % 3
    pooled = pool_honestly(S, codes, folds, weights)
    for fold in range(3):
        own = folds == fold
        rest = S[:, ~own], codes[~own], weights[~own]
        pool = fit_pool(*rest).balanced(*rest)
        assert_allclose(pooled[own], pool(S[:, own]))


def test_a_pool_of_noise_is_no_better_than_chance():
    n, hits, fitted = 300, 0, 0
    rng = np.random.RandomState(0)
    for _ in range(20):
        # Whatever the scores are, half of the labels agree with them.
        codes, S = rng.permutation(np.arange(n) % 2), rng.randn(10, n, 1)
        hits += np.sum((pool_honestly(S, codes, np.arange(n) % 5)[:, 0] > 0) == codes)
        fitted += np.sum((fit_pool(S, codes)(S)[:, 0] > 0) == codes)
    error = np.sqrt(0.25 / (20 * n))
    assert hits / (20 * n) - 0.5 < 2.0 * error < 4.0 * error < fitted / (20 * n) - 0.5
