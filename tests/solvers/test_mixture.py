import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.solvers.mixture import solve_mixture_weights
from tests.reference.mixture import mixture_weights


def draw(n_components, n_rows, seed=0):
    rng = np.random.RandomState(seed)
    return rng.uniform(0.05, 1.0, (n_components, n_rows)), rng.uniform(0.2, 3.0, n_rows)


@pytest.mark.parametrize("pseudo_count", [0.05, 1.0])
def test_the_solver_finds_what_expectation_and_maximisation_find(pseudo_count):
    P, row_weights = draw(3, 8)
    expected = mixture_weights(P.tolist(), pseudo_count, row_weights.tolist())
    assert_allclose(solve_mixture_weights(P, pseudo_count, row_weights), expected, atol=1e-8)


@pytest.mark.parametrize("pseudo_count", [1e-3, 0.1, 10.0])
def test_the_optimum_is_stationary(pseudo_count):
    P, row_weights = draw(6, 50, seed=1)
    P[0] *= 0.01  # a component that deserves no weight
    weights = solve_mixture_weights(P, pseudo_count, row_weights)
    # All partial derivatives equal the multiplier of the constraint that the sum is 1.
    gradient = P @ (row_weights / (weights @ P)) + pseudo_count / weights
    assert_allclose(gradient, row_weights.sum() + 6 * pseudo_count, rtol=1e-4)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] == weights.min()


def test_no_other_point_of_the_simplex_is_better():
    P, row_weights = draw(4, 30, seed=2)

    def objective(weights):
        return row_weights @ np.log(weights @ P) + 0.5 * np.log(weights).sum()

    best = objective(solve_mixture_weights(P, 0.5, row_weights))
    rng = np.random.RandomState(0)
    assert all(objective(weights) < best for weights in rng.dirichlet(np.ones(4), size=200))


def test_a_row_of_weight_two_is_two_rows():
    P, _ = draw(3, 10, seed=3)
    weighted = solve_mixture_weights(P, 0.2, np.repeat([1.0, 2.0], 5))
    assert_allclose(weighted, solve_mixture_weights(np.hstack([P, P[:, 5:]]), 0.2), atol=1e-8)


def test_equal_components_share_and_one_takes_all():
    P, _ = draw(1, 10)
    assert_allclose(solve_mixture_weights(np.repeat(P, 4, axis=0), 0.1), 0.25)
    assert_allclose(solve_mixture_weights(P, 0.1), 1.0)


def test_tiny_likelihoods_do_no_harm():
    P = np.array([[1e-300, 0.5], [0.5, 1e-300]])
    assert_allclose(solve_mixture_weights(P, 0.1), 0.5)
