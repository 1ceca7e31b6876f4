"""Kernel-weight solvers against literal references, generic convex solvers and one another."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from kernsemble.kernels import Precomputed
from kernsemble.kernels.mixture import Mixture
from kernsemble.solvers.alignment import solve_alignment
from kernsemble.solvers.easy_mkl import solve_easy_mkl, solve_hull_points
from kernsemble.solvers.group_lasso import solve_group_lasso
from kernsemble.solvers.kfda import fisher_direction, fisher_directions, solve_kfda
from kernsemble.solvers.mkda import solve_mkda
from kernsemble.solvers.silp import solve_silp
from kernsemble.solvers.simple_mkl import solve_simple_mkl
from kernsemble.solvers.simplex import minimize_on_simplex
from kernsemble.solvers.svm import solve_svm
from kernsemble.solvers.svm2k import solve_svm2k
from kernsemble.solvers.ufo_mkl import solve_ufo_mkl
from tests.reference import multiple_kernels as reference

SIMPLEX_SOLVERS = [solve_simple_mkl, solve_silp, solve_group_lasso]


def make_problem(n=80, seed=0, gammas=(0.003, 0.03, 0.1, 0.3, 2.0), balance=0.4):
    X, y = make_classification(
        n, 8, n_informative=4, flip_y=0.05, weights=[balance], random_state=seed
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return [rbf_kernel(X, gamma=g) for g in gammas], np.where(y > 0, 1.0, -1.0)


def mixture_of(grams):
    return Mixture([Precomputed(K) for K in grams], np.arange(len(grams[0]), dtype=float)[:, None])


def make_tasks(n=90, seed=0):
    X, y = make_classification(n, 8, n_informative=5, n_classes=3, random_state=seed)
    T = np.zeros((n, 3))
    for column, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        T[y == a, column], T[y == b, column] = 1.0, -1.0
    return [rbf_kernel(X, gamma=g) for g in (0.01, 0.1, 1.0)], T


def test_dual_machine_is_libsvm_on_every_pair():
    grams, T = make_tasks()
    K, cost = grams[1], np.linspace(0.5, 2.0, T.shape[0])
    found, n_steps = solve_svm(K, T, cost, tol=1e-6), 0
    for t in range(3):
        rows = np.flatnonzero(T[:, t])
        machine = SVC(C=1.0, kernel="precomputed", tol=1e-6)
        machine.fit(K[np.ix_(rows, rows)], T[rows, t], sample_weight=cost[rows])
        n_steps += int(machine.n_iter_[0])
        scores = K[:, rows] @ found.coefs[rows, t] + found.bias[t]
        assert_allclose(scores, machine.decision_function(K[:, rows]), atol=1e-8)
        assert np.all(found.coefs[T[:, t] == 0, t] == 0)
    assert found.n_iter == n_steps
    # Strong duality: the machine's dual value is its primal value.
    f = K @ found.coefs + found.bias
    hinge = np.where(T != 0, np.maximum(1 - T * f, 0), 0)
    primal = 0.5 * np.vdot(found.coefs, K @ found.coefs) + cost @ hinge.sum(axis=1)
    assert_allclose(primal, found.objective, rtol=1e-5)


def test_a_task_with_one_class_scores_that_class():
    grams, _ = make_problem(20)
    T = np.column_stack([np.ones(20), np.r_[-np.ones(5), np.zeros(15)], np.zeros(20)])
    cost = np.ones(20)
    for found in (solve_svm(grams[0], T, cost), solve_kfda(grams[0], T, cost, 0.1)):
        assert_allclose(found.bias, [1, -1, 0])
        assert not found.coefs.any()


def test_simplex_minimum_of_a_quadratic():
    rng = np.random.RandomState(0)
    target = np.array([0.7, 0.3, -0.4, 0.1])
    root = rng.randn(4, 4)
    M = root @ root.T + 0.1 * np.eye(4)

    def evaluate(d):
        return 0.5 * (d - target) @ M @ (d - target) + 1.0, M @ (d - target)

    found = minimize_on_simplex(evaluate, np.full(4, 0.25), tol=1e-9, max_iter=100)
    gradient = M @ (found.weights - target)
    assert found.converged
    assert_allclose(found.weights.sum(), 1.0)
    assert_allclose(gradient[found.weights > 1e-6], gradient.min(), atol=1e-6)


@pytest.mark.parametrize("cost", [1e-3, 0.5, 10.0])
def test_three_solvers_of_one_problem_agree(cost):
    grams, signs = make_problem()
    bounds = np.full(signs.size, cost)
    found = [solver(grams, signs[:, None], bounds, tol=3e-4) for solver in SIMPLEX_SOLVERS]
    objectives = [solution.objective for solution in found]
    assert_allclose(objectives, objectives[0], rtol=1e-3)
    for solution in found:
        assert solution.converged
        assert solution.weights.min() >= 0
        assert_allclose(solution.weights.sum(), 1.0, atol=1e-12)
        assert solution.gap <= 3e-4 * solution.objective


def test_the_gap_of_simple_mkl_is_that_of_the_best_plane():
    grams, signs = make_problem()
    found = solve_simple_mkl(grams, signs[:, None], np.ones(signs.size), max_iter=1)
    a = found.coefs[:, 0]
    planes = [0.5 * a @ K @ a for K in grams]
    # J falls along no direction faster than towards the kernel of the largest plane.
    assert 0 < found.gap <= max(planes) - found.weights @ planes + 1e-9


def test_three_solvers_agree_on_shared_weights_of_three_classes():
    grams, T = make_tasks()
    found = [solver(grams, T, np.ones(T.shape[0]), tol=3e-4) for solver in SIMPLEX_SOLVERS]
    assert_allclose([f.objective for f in found], found[0].objective, rtol=1e-3)


@pytest.mark.parametrize("solver", SIMPLEX_SOLVERS)
def test_objective_of_a_conic_solver_is_reached(solver):
    pytest.importorskip("cvxpy")
    grams, signs = make_problem(50)
    wanted = reference.mkl_by_cvxpy(grams, signs, 1.0)
    found = solver(grams, signs[:, None], np.ones(signs.size), tol=1e-4, svm_tol=1e-5)
    assert_allclose(found.objective, wanted, rtol=1e-4)


@pytest.mark.parametrize("solver", SIMPLEX_SOLVERS)
def test_identical_kernels_share_their_weight_without_harm(solver):
    grams, signs = make_problem()
    cost = np.ones(signs.size)
    once = solver(grams[2:4], signs[:, None], cost, tol=1e-4)
    twice = solver([grams[2], *grams[2:4]], signs[:, None], cost, tol=1e-4)
    assert_allclose(twice.objective, once.objective, rtol=5e-4)
    assert_allclose(twice.weights[:2].sum(), once.weights[0], atol=0.1)


@pytest.mark.parametrize("solver", SIMPLEX_SOLVERS)
def test_a_noise_kernel_gets_next_to_nothing(solver):
    # Inputs that decide the class, and inputs that have nothing to do with it.
    rng = np.random.RandomState(0)
    X, noise = rng.randn(150, 3), rng.randn(150, 3)
    signs = np.sign(X[:, 0] + 0.5 * X[:, 1])
    grams = [rbf_kernel(X, gamma=0.1), rbf_kernel(noise, gamma=0.1)]
    found = solver(grams, signs[:, None], np.ones(150), tol=1e-4)
    assert found.weights[1] < 0.02


def test_lp_norm_reduces_to_uniform_and_is_optimal_between():
    grams, signs = make_problem()
    T, cost = signs[:, None], np.ones(signs.size)
    assert_allclose(solve_group_lasso(grams, T, cost, p=np.inf).weights, 1.0)
    for p in (4 / 3, 2.0, 4.0):
        found = solve_group_lasso(grams, T, cost, p=p, tol=1e-5, svm_tol=1e-6)
        assert_allclose(np.linalg.norm(found.weights, p), 1.0)
        assert found.converged
        rng = np.random.RandomState(0)
        for _ in range(5):  # no neighbour on the unit sphere of the norm does better
            other = np.maximum(found.weights + 0.05 * rng.randn(len(grams)), 0)
            other /= np.linalg.norm(other, p)
            K = sum(d * gram for d, gram in zip(other, grams))
            assert solve_svm(K, T, cost, tol=1e-6).objective >= found.objective * (1 - 1e-5)


def test_hull_points_match_a_generic_solver():
    grams, signs = make_problem(24)
    K = sum(grams) / len(grams)
    for lam in (0.05, 0.5, 1.0):
        gamma, wanted = reference.hull_minimum(K, signs, lam)
        found = solve_hull_points(K, signs[:, None], np.ones(24), lam)
        assert_allclose(found.objective, wanted, rtol=1e-4)
        assert_allclose(
            reference.hull_objective(K, signs, lam, np.abs(found.coefs[:, 0])), wanted, rtol=1e-4
        )
        assert_allclose(signs * found.coefs[:, 0], gamma, atol=1e-4)


def test_hull_points_and_kernel_weights_match_a_conic_solver():
    pytest.importorskip("cvxpy")
    grams, signs = make_problem(60)
    for lam in (0.1, 0.7):
        gamma, wanted = reference.hull_by_cvxpy(sum(grams) / len(grams), signs, lam)
        a = gamma * signs
        weights = np.array([a @ K @ a for K in grams])
        found = solve_easy_mkl(mixture_of(grams), signs[:, None], np.ones(60), lam)
        assert_allclose(found.objective, wanted, rtol=1e-4)
        assert_allclose(found.weights, weights / weights.sum(), rtol=1e-4)


def test_hull_points_at_the_end_are_class_means():
    grams, signs = make_problem(30)
    found = solve_hull_points(grams[1], signs[:, None], np.ones(30), 1.0, tol=1e-8)
    for side in (-1, 1):
        share = side * found.coefs[signs == side, 0]
        assert_allclose(share, 1 / share.size, rtol=1e-4)


def test_weight_two_counts_as_two_rows():
    grams, signs = make_problem(40)
    twice = np.r_[np.arange(40), np.arange(10)]
    weight = np.r_[np.full(10, 2.0), np.ones(30)]
    T, T2 = signs[:, None], signs[twice, None]
    doubled = [K[np.ix_(twice, twice)] for K in grams]
    ones = np.ones(50)
    pairs = [
        (
            solve_easy_mkl(mixture_of(grams), T, weight, 0.2),
            solve_easy_mkl(mixture_of(doubled), T2, ones, 0.2),
        ),
        (solve_mkda(grams, T, weight, 0.1), solve_mkda(doubled, T2, ones, 0.1)),
        (solve_simple_mkl(grams, T, weight), solve_simple_mkl(doubled, T2, ones)),
        (
            solve_svm2k(*grams[1:3], T, weight, weight, 0.1),
            solve_svm2k(*[doubled[m] for m in (1, 2)], T2, ones, ones, 0.1),
        ),
    ]
    for one, two in pairs:
        assert_allclose(one.objective, two.objective, rtol=1e-3)
    Y, Y2 = np.column_stack([T > 0, T < 0]) * 1.0, np.column_stack([T2 > 0, T2 < 0]) * 1.0
    assert_allclose(solve_alignment(grams, Y, weight)[0], solve_alignment(doubled, Y2, ones)[0])


def test_fisher_direction_has_the_ratio_of_feature_space():
    grams, signs = make_problem(25)
    for alpha in (1e-3, 0.1, 10.0):
        _, ratio = fisher_direction(grams[2], signs, np.ones(25), alpha)
        assert_allclose(ratio, reference.fisher_ratio(grams[2], signs, alpha), rtol=1e-6)


@pytest.mark.parametrize("alpha", [1.0, 1e-2, 1e-5])
def test_fisher_directions_of_many_classes_share_one_spectrum(alpha):
    rng = np.random.RandomState(0)
    K, weight = rbf_kernel(rng.randn(60, 3), gamma=0.3), rng.uniform(0.5, 2.0, 60)
    signs = np.where(rng.randint(12, size=60)[:, None] == np.arange(12), 1.0, -1.0)
    V, ratios = fisher_directions(K, signs, weight, alpha)
    for column, own in enumerate(signs.T):
        v, ratio = fisher_direction(K, own, weight, alpha)
        assert_allclose(V[:, column], v, atol=1e-7 * np.abs(v).max())
        assert ratios[column] == pytest.approx(ratio, rel=1e-7)


def test_coefficient_penalty_is_the_formula_of_mika():
    grams, signs = make_problem(25)
    found = solve_kfda(grams[2], signs[:, None], np.ones(25), 0.1, penalty="coefs")
    wanted = reference.kfda_coefficients(grams[2], signs, 0.1)
    assert_allclose(found.coefs[:, 0] / found.coefs[0, 0], wanted / wanted[0], rtol=1e-6)
    scores = grams[2] @ found.coefs[:, 0] + found.bias[0]
    assert_allclose([scores[signs > 0].mean(), scores[signs < 0].mean()], [1, -1])


def test_mkda_gradient_by_finite_differences():
    grams, signs = make_problem(30)
    theta = np.array([0.3, 0.2, 0.1, 0.25, 0.15])

    def ratio(theta):
        return fisher_direction(sum(t * K for t, K in zip(theta, grams)), signs, np.ones(30), 0.1)

    v, _ = ratio(theta)
    for m, K in enumerate(grams):
        step = 1e-5 * np.eye(5)[m]
        slope = (ratio(theta + step)[1] - ratio(theta - step)[1]) / 2e-5
        assert_allclose(v @ K @ v / 0.1, slope, rtol=1e-4)


def test_mkda_equals_the_semidefinite_programme():
    pytest.importorskip("cvxpy")
    grams, signs = make_problem(30)
    for alpha in (0.01, 0.3):
        theta, wanted = reference.mkda_by_semidefinite_programme(grams[1:4], signs, alpha)
        found = solve_mkda(grams[1:4], signs[:, None], np.ones(30), alpha, tol=1e-6)
        assert found.converged
        assert_allclose(found.objective, wanted, rtol=1e-4)
        assert_allclose(found.weights, theta, atol=5e-3)


def test_mkda_beats_every_mixture_on_a_grid():
    grams, signs = make_problem(40)
    found = solve_mkda(grams[:3], signs[:, None], np.ones(40), 0.05)
    best = max(
        reference.fisher_ratio(a * grams[0] + b * grams[1] + (1 - a - b) * grams[2], signs, 0.05)
        for a in np.linspace(0, 1, 11)
        for b in np.linspace(0, 1 - a, 11)
    )
    assert best <= found.objective * (1 + 1e-6)
    assert best >= found.objective * 0.98


def test_svm2k_dual_matches_a_generic_solver():
    grams, signs = make_problem(12)
    wanted = -reference.svm2k_dual_minimum(grams[1], grams[4], signs, 1.0, 0.5, 0.05)
    cost = np.ones(12)
    found = solve_svm2k(grams[1], grams[4], signs[:, None], cost, 0.5 * cost, 0.05, tol=1e-6)
    assert_allclose(found.objective, wanted, rtol=1e-4)
    primal = reference.svm2k_objective(
        grams[1], grams[4], signs, 1.0, 0.5, 0.05, *found.coefs[:, :, 0]
    )
    assert_allclose(primal, wanted, rtol=1e-4)


@pytest.mark.parametrize("agreement", [0.1, 5.0])
def test_svm2k_matches_a_conic_solver(agreement):
    pytest.importorskip("cvxpy")
    grams, signs = make_problem(60)
    f_a, f_b, wanted = reference.svm2k_primal_by_cvxpy(
        grams[1], grams[3], signs, 1.0, agreement, 0.1
    )
    cost = np.ones(60)
    found = solve_svm2k(grams[1], grams[3], signs[:, None], cost, agreement * cost, 0.1, tol=1e-8)
    assert_allclose(found.objective, wanted, rtol=1e-4)
    mean = 0.5 * (grams[1] @ found.coefs[0, :, 0] + grams[3] @ found.coefs[1, :, 0])
    assert_allclose(mean + found.bias[0], 0.5 * (f_a + f_b), atol=1e-2)


def test_svm2k_without_agreement_is_two_machines():
    grams, signs = make_problem(40)
    cost = np.ones(40)
    found = solve_svm2k(grams[1], grams[3], signs[:, None], cost, 0 * cost, 0.0, tol=1e-8)
    for view, K in enumerate((grams[1], grams[3])):
        # A machine whose bias is part of the kernel: one with a free bias fixed at zero.
        alone = solve_svm2k(K, K, signs[:, None], cost, 0 * cost, 0.0, tol=1e-8)
        assert_allclose(found.coefs[view], alone.coefs[0], atol=1e-4)


def test_ufo_follows_the_paper_step_by_step():
    grams, signs = make_problem(20)
    codes = (signs > 0).astype(int)
    found = solve_ufo_mkl(
        grams, codes, 2, np.ones(20), 0.05, 0.01, n_epochs=3, rng=np.random.RandomState(1)
    )
    rng = np.random.RandomState(1)
    order = np.concatenate([rng.permutation(np.arange(20)) for _ in range(3)])
    weights, coefs = reference.ufo_binary(grams, signs, 0.05, 0.01, order)
    assert_allclose(found.weights, weights, rtol=1e-8)
    assert_allclose(found.coefs[:, 0], coefs)
    # The objective: half the squared group norm, the plain one, and the mean hinge loss.
    q = max(2.0, 2 * np.log(len(grams)))
    norms = [w * np.sqrt(coefs @ K @ coefs) for w, K in zip(weights, grams)]
    hinge = np.maximum(0, 1 - signs * sum(w * K @ coefs for w, K in zip(weights, grams)))
    penalty = 0.025 * np.linalg.norm(norms, q / (q - 1)) ** 2 + 0.01 * np.sum(norms)
    assert_allclose(found.objective, penalty + hinge.mean(), rtol=1e-8)


def test_alignf_is_the_best_mixture_and_never_negative():
    grams, signs = make_problem(40)
    Y = np.column_stack([signs < 0, signs > 0]) * 1.0
    weights, value = solve_alignment(grams, Y, np.ones(40))
    assert weights.min() >= 0
    for method_weights in (solve_alignment(grams, Y, np.ones(40), method="align")[0], *np.eye(5)):
        K = sum(w * gram for w, gram in zip(method_weights, grams))
        assert solve_alignment([K], Y, np.ones(40))[1] <= value + 1e-6


def test_alignment_is_the_centred_cosine():
    from kernsemble.kernels.gram import center_gram

    grams, signs = make_problem(40)
    Y = np.column_stack([signs < 0, signs > 0]) * 1.0
    _, value = solve_alignment(grams[2:3], Y, np.ones(40))
    K, ideal = center_gram(grams[2]), center_gram(Y @ Y.T)
    cosine = np.vdot(K, ideal) / (np.linalg.norm(K) * np.linalg.norm(ideal))
    assert_allclose(value, cosine)


@pytest.mark.parametrize("penalty", ["norm", "coefs"])
def test_fisher_discriminants_count_a_row_of_weight_two_twice(penalty):
    rng = np.random.RandomState(0)
    X, signs, weight = (
        rng.randn(30, 3),
        np.where(rng.rand(30) < 0.4, 1.0, -1.0),
        rng.randint(1, 5, 30),
    )
    many = np.repeat(np.arange(30), weight)
    K = rbf_kernel(X, gamma=0.3)
    counted = solve_kfda(K, signs[:, None], weight.astype(float), 0.1, penalty=penalty)
    repeated = solve_kfda(
        K[np.ix_(many, many)], signs[many, None], np.ones(many.size), 0.1, penalty=penalty
    )
    plain = solve_kfda(K, signs[:, None], np.ones(30), 0.1, penalty=penalty)
    scores = [K @ counted.coefs + counted.bias, K[:, many] @ repeated.coefs + repeated.bias]
    if penalty == "norm":
        assert_allclose(*scores, atol=1e-8)
    else:
        # The coefficients of copies are penalised one by one: another kernel matrix, other scores.
        W = sum(
            reference.weighted_scatter(K[:, signs == side], weight[signs == side])
            for side in (-1, 1)
        )
        means = [np.average(K[:, signs == s], axis=1, weights=weight[signs == s]) for s in (-1, 1)]
        direction = np.linalg.solve(W + 0.1 * np.eye(30), means[1] - means[0])
        cosine = direction @ counted.coefs[:, 0] / np.linalg.norm(direction)
        assert_allclose(cosine / np.linalg.norm(counted.coefs), 1.0)
    assert np.abs(scores[0] - K @ plain.coefs - plain.bias).max() > 1e-2


def test_the_threshold_of_easy_mkl_is_midway_between_the_hull_points():
    grams, signs = make_problem(40, balance=0.2)
    found = solve_easy_mkl(mixture_of(grams), signs[:, None], np.ones(40), 0.3, tol=1e-8)
    K = sum(w * K for w, K in zip(found.weights, grams))
    scores = K @ found.coefs[:, 0] + found.bias[0]
    for side in (-1, 1):
        gamma = np.abs(found.coefs[signs == side, 0])
        assert_allclose(gamma @ scores[signs == side] / gamma.sum(), side, atol=1e-6)


def test_svm2k_reaches_its_tolerance_at_large_costs():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    signs, cost = np.where(y > 0, 1.0, -1.0), np.full(len(y), 64.0)
    grams = [rbf_kernel(X, gamma=gamma) for gamma in (0.004, 0.016)]
    found = solve_svm2k(*grams, signs[:, None], cost, cost, 0.1, tol=1e-5)
    assert found.converged and found.gap <= 1e-5 * found.objective


def test_the_gap_of_cutting_planes_is_relative():
    grams, t = make_problem()
    found = solve_silp(grams, t[:, None], np.full(len(t), 30.0), tol=0.1, svm_tol=1e-8)
    assert found.converged and found.objective > 10.0
    # Of a large objective the gap may be large too, and more machines would lower it.
    assert 0.1 / found.objective < found.gap <= 0.1 * found.objective
