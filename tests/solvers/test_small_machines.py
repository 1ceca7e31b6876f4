"""Stacks of small machines against their objectives and against LIBSVM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from kernsemble.kernels import RBF
from kernsemble.solvers.small_machines import solve_machines
from tests.reference.mrskl import machine_objective, pair_machine


@pytest.fixture
def stack():
    rng = np.random.RandomState(0)
    X = rng.randn(6, 14, 3)
    T = np.sign(X[:, :, :1] + 0.7 * rng.randn(6, 14, 1))
    K = np.stack([RBF(0.5)(rows) for rows in X])
    costs = 2.0 ** rng.uniform(-1, 5, 6)[:, None] * rng.uniform(0.5, 2.0, (6, 14))
    return X, K, T, costs


@pytest.mark.parametrize("kind", ["ridge", "squared_hinge", "svm"])
def test_no_move_lowers_the_objective(kind, stack):
    _, K, T, costs = stack
    machines = solve_machines(kind, K, T, costs)
    rng = np.random.RandomState(1)
    for m in range(len(K)):
        args = kind, K[m], T[m, :, 0], costs[m]
        best = machine_objective(*args, machines.coefs[m, :, 0], machines.bias[m, 0])
        for size in (1e-1, 1e-2):
            for _ in range(20):
                moved = machines.coefs[m, :, 0] + size * rng.randn(14)
                bias = machines.bias[m, 0] + size * rng.randn()
                assert machine_objective(*args, moved, bias) > best - 1e-3 * (kind == "svm")


@pytest.mark.parametrize("kind", ["ridge", "squared_hinge"])
def test_the_gradient_is_zero(kind, stack):
    _, K, T, costs = stack
    machines = solve_machines(kind, K, T, costs)
    for m in range(len(K)):
        point = np.append(machines.coefs[m, :, 0], machines.bias[m, 0])

        def objective(p, m=m):
            return machine_objective(kind, K[m], T[m, :, 0], costs[m], p[:-1], p[-1])

        for step in 1e-5 * np.eye(point.size):
            slope = (objective(point + step) - objective(point - step)) / 2e-5
            assert abs(slope) < 1e-5 * (1.0 + objective(point))


def test_svm_stack_agrees_with_libsvm(stack):
    _, K, T, costs = stack
    machines = solve_machines("svm", K, T, costs)
    for m in range(len(K)):
        svc = SVC(kernel="precomputed", C=1.0).fit(K[m], T[m, :, 0], sample_weight=costs[m])
        ours = K[m] @ machines.coefs[m, :, 0] + machines.bias[m, 0]
        assert_allclose(ours, svc.decision_function(K[m]), atol=5e-3)


@pytest.mark.parametrize("C", [0.3, 100.0])
def test_a_pair_has_its_closed_form(C):
    pair = np.random.RandomState(2).randn(2, 3)
    machines = solve_machines(
        "svm", RBF(0.3)(pair)[None], np.array([[[1.0], [-1.0]]]), np.full((1, 2), C)
    )
    assert_allclose(machines.coefs[0, :, 0], pair_machine(*pair, 0.3, C))
    assert_allclose(machines.bias, 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["ridge", "squared_hinge", "svm"])
def test_columns_and_machines_do_not_touch_each_other(kind, stack):
    _, K, T, costs = stack
    both = np.concatenate([T, -np.ones_like(T)], axis=2)
    together = solve_machines(kind, K, both, costs)
    alone = solve_machines(kind, K[2:3], T[2:3], costs[2:3])
    assert_allclose(together.coefs[2, :, 0], alone.coefs[0, :, 0], atol=1e-9)
    # A column of one class is its bias.
    assert_allclose(together.coefs[:, :, 1], 0.0, atol=1e-9)
    assert_allclose(together.bias[:, 1], -1.0)
