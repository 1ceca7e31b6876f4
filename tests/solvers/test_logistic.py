"""Logistic regressions are those of scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from kernsemble.solvers.logistic import solve_logistic


def draw(n_classes, n_rows=200):
    rng = np.random.RandomState(n_classes)
    X = rng.randn(n_rows, 4)
    codes = np.argmax(X @ rng.randn(4, n_classes) + rng.gumbel(size=(n_rows, n_classes)), axis=1)
    return X, codes, rng.randint(1, 4, n_rows).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_steps_are_those_of_scikit_learn(n_classes, weighted):
    X, codes, weights = draw(n_classes)
    weights = weights if weighted else None
    total = len(codes) if weights is None else weights.sum()
    model, W = LogisticRegression(tol=1e-3, warm_start=True), None
    for C in (0.01, 1.0):
        model.set_params(C=C).fit(X, codes, sample_weight=weights)
        options = {"tol": 1e-3, "max_iter": 100}
        W = solve_logistic(X, codes, n_classes, 1.0 / (C * total), W, weights, **options)
        assert_allclose(W[:, :-1], model.coef_, rtol=1e-7, atol=1e-9)
        assert_allclose(W[:, -1], model.intercept_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_rows_have_the_same_solution(n_classes):
    X, codes, weights = draw(n_classes)
    X[X < 0.5] = 0.0
    options = {"tol": 1e-6, "max_iter": 200}
    dense = solve_logistic(X, codes, n_classes, 0.01, None, weights, **options)
    thin = solve_logistic(sparse.csr_matrix(X), codes, n_classes, 0.01, None, weights, **options)
    assert_allclose(thin, dense, atol=1e-6)


def test_the_gradient_is_zero_at_the_end():
    X, codes, weights = draw(3)
    W = solve_logistic(X, codes, 3, 0.1, None, weights, tol=1e-9, max_iter=500)
    S = X @ W[:, :-1].T + W[:, -1]
    P = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
    misses = (P - np.eye(3)[codes]) * (weights / weights.sum())[:, None]
    assert_allclose(misses.T @ X + 0.1 * W[:, :-1], 0.0, atol=1e-7)
    assert_allclose(misses.sum(axis=0), 0.0, atol=1e-7)
