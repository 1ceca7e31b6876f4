"""Locality penalties against the double sums of the papers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.solvers.penalties import (
    Locality,
    LocalityPenalty,
    Share,
    class_laplacians,
    discriminative_locality,
    locality,
    mean_differences,
    mean_squared_distance,
)
from tests.reference import mhks as reference


@pytest.fixture
def view():
    rng = np.random.RandomState(0)
    return rng.randn(26, 4), rng.randint(3, size=26)


def test_mean_squared_distance_is_the_mean_over_all_pairs(view):
    Z, _ = view
    pairs = [np.sum((a - b) ** 2) for a in Z for b in Z]
    assert_allclose(mean_squared_distance(Z), np.mean(pairs))


@pytest.mark.parametrize("n_neighbors", [1, 3, None])
def test_locality_is_the_papers_double_sum(view, n_neighbors):
    Z, codes = view
    graph = class_laplacians(Z, codes, n_neighbors, 1.7)
    expected = reference.locality(Z, codes, n_neighbors, 1.7)
    assert_allclose(locality(Z, graph), expected, rtol=1e-9)


def test_many_neighbors_are_all_pairs(view):
    Z, codes = view
    some = locality(Z, class_laplacians(Z, codes, 100, 1.0))
    assert_allclose(some, locality(Z, class_laplacians(Z, codes, None, 1.0)))


def test_edge_weights_are_repetitions(view):
    Z, codes = view
    times = np.random.RandomState(1).randint(1, 4, size=len(Z))
    rows = np.repeat(np.arange(len(Z)), times)
    weighted = locality(Z, class_laplacians(Z, codes, None, 1.0, times.astype(float)))
    copies = locality(Z[rows], class_laplacians(Z[rows], codes[rows], None, 1.0))
    assert_allclose(weighted, copies, rtol=1e-9)


def test_classes_of_one_row_have_no_edges(view):
    Z, _ = view
    assert_allclose(locality(Z, class_laplacians(Z, np.arange(len(Z)), 3, 1.0)), np.zeros((4, 4)))


def test_constants_are_not_penalised(view):
    Z, codes = view
    with_ones = np.column_stack([Z, np.ones(len(Z))])
    R = locality(with_ones, class_laplacians(Z, codes, 3, 1.0))
    assert_allclose(R[-1], 0.0, atol=1e-12)


def test_mean_differences_are_the_papers_double_sum(view):
    Z, codes = view
    D = mean_differences(Z, codes, 0.8)
    assert_allclose(D.T @ D, reference.between_means(Z, codes, 0.8), rtol=1e-9)


def test_a_share_is_relative_to_the_squared_coordinates(view):
    Z, codes = view
    T, s = np.where(codes == 0, 1.0, -1.0)[:, None], np.linspace(0.5, 2.0, len(Z))
    penalty = LocalityPenalty(Z, T, codes, 0.3, Locality(Share(0.2), 0.0, 3), s)
    R = penalty(0)
    assert_allclose(np.trace(R) - 0.3 * 4, 0.2 * s @ np.sum(Z**2, axis=1))
    equal = LocalityPenalty(np.ones((26, 4)), T, codes, 0.3, Locality(Share(0.2), 0.0, 3), s)
    assert_allclose(equal(0), 0.3 * np.eye(4))


def test_gamma_is_kept_where_the_penalty_stays_definite(view):
    Z, codes = view
    within = locality(Z, class_laplacians(Z, codes, 3, 1.0))
    D = mean_differences(Z, codes, 1.0)
    R, gamma = discriminative_locality(1.0, 0.1, 0.01, within, D)
    assert gamma == 0.01
    assert_allclose(R, np.eye(4) + 0.1 * (within - 0.01 * D.T @ D))
    R, gamma = discriminative_locality(0.01, 100.0, 1e6, within, D)
    assert 0 < gamma < 1e6
    smallest = np.linalg.eigvalsh(R)[0]
    assert smallest > 0
    beyond = 0.01 * np.eye(4) + 100.0 * (within - gamma / 0.85 * D.T @ D)
    assert np.linalg.eigvalsh(beyond)[0] < 0


def test_many_classes_have_as_many_differences_as_classes(monkeypatch):
    rng = np.random.RandomState(0)
    Z, codes, weights = rng.randn(60, 5), np.arange(60) % 8, rng.uniform(0.5, 2.0, 60)
    D = mean_differences(Z, codes, 3.0, weights)
    monkeypatch.setattr("kernsemble.solvers.penalties.FEW_CLASSES", 8)
    pairs = mean_differences(Z, codes, 3.0, weights)
    assert (len(D), len(pairs)) == (8, 28)
    assert_allclose(D.T @ D, pairs.T @ pairs, atol=1e-12)
