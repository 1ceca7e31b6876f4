import numpy as np
from numpy.testing import assert_allclose

from kernsemble.kernels import RBF
from kernsemble.solvers.metric import draw_mixtures, gradient_metric, shrink_metric


def test_gradients_equal_finite_differences():
    rng = np.random.RandomState(0)
    X, A, kernel, step = rng.randn(15, 3), rng.randn(15, 2), RBF(0.4), 1e-6
    squares = np.zeros(3)
    for j in range(3):
        shift = step * np.eye(3)[j]
        slope = (kernel(X + shift, X) - kernel(X - shift, X)) @ A / (2 * step)
        squares[j] = np.sum(slope**2) / len(X)
    assert_allclose(gradient_metric(X, kernel(X), A), squares / squares.mean(), rtol=1e-6)


def test_columns_the_scores_do_not_depend_on_get_little():
    rng = np.random.RandomState(1)
    X = rng.randn(300, 5)
    K = RBF(0.1)(X)
    T = np.sign(X[:, :1] + 0.5 * X[:, 1:2])
    A = np.linalg.solve(K + 0.5 * np.eye(300), T)
    metric = gradient_metric(X, K, A)
    assert metric[0] > metric[1] > 4 * metric[2:].max()


def test_many_outputs_are_mixed_without_changing_the_picture():
    rng = np.random.RandomState(2)
    X, K = rng.randn(60, 4), None
    K = RBF(0.2)(X)
    A = rng.randn(60, 50) * 0.1
    exact = sum(gradient_metric(X, K, a[:, None]) for a in A.T) / 50
    mixtures = [draw_mixtures(50, np.random.RandomState(s)) for s in range(50)]
    assert draw_mixtures(6, rng) is None
    mixed = np.mean([gradient_metric(X, K, A, own) for own in mixtures], axis=0)
    assert_allclose(mixed, exact, rtol=0.2)


def test_constant_scores_and_shrinkage():
    X = np.random.RandomState(3).randn(10, 3)
    assert_allclose(gradient_metric(X, RBF()(X), np.zeros((10, 2))), 1.0)
    assert_allclose(shrink_metric(np.array([3.0, 0.0, 0.0]), 0.1), [2.8, 0.1, 0.1])
