"""The refined ridge is the best of those that are fitted one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernsemble.kernels import RBF
from kernsemble.members.kernel_ridge import fit_given_kernel_ridge, fit_kernel_ridge_member
from kernsemble.members.ridge_refine import refine_kernel_ridge_member
from kernsemble.tables import MemoryTable

KERNELS = [RBF(gamma) for gamma in (0.02, 0.2, 2.0)]


def draw(weighted):
    rng = np.random.RandomState(0)
    X = rng.randn(90, 3)
    codes = (np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.randn(90) > 0).astype(int)
    weights = rng.randint(1, 4, 90).astype(float) if weighted else None
    return MemoryTable(X, codes, np.arange(2), weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1e-4, 0.1, 50.0])
def test_it_is_the_best_of_the_kernels_and_then_of_the_strengths(alpha, weighted):
    table = draw(weighted)
    found = refine_kernel_ridge_member(table, KERNELS, alpha)
    by_kernel = fit_kernel_ridge_member(table, KERNELS, np.array([alpha]))
    around = np.array([alpha / 4.0, 4.0 * alpha])
    by_strength = fit_kernel_ridge_member(table, [by_kernel.kernel], around)
    best = min(by_kernel, by_strength, key=lambda search: search.loss)
    assert found.kernel is best.kernel
    assert found.alpha == best.alpha
    assert_allclose(found.member.honest_scores, best.member.honest_scores)
    assert_allclose(found.member.parts[0].coefs, best.member.parts[0].coefs, rtol=1e-6)
    assert_allclose(found.losses[:, 1], by_kernel.losses[:, 0])
    place = KERNELS.index(found.kernel)
    assert_allclose(found.losses[place, ::2], by_strength.losses[0])
    assert_array_equal(np.isnan(found.losses).sum(axis=0), [2, 0, 2])


def test_a_kernel_without_neighbours_has_its_strengths_alone():
    table = draw(False)
    found = refine_kernel_ridge_member(table, KERNELS[1:2], 0.1)
    searched = fit_kernel_ridge_member(table, KERNELS[1:2], np.array([0.025, 0.1, 0.4]))
    assert found.alpha == searched.alpha
    assert_allclose(found.losses, searched.losses)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_given_ridge_is_that_of_a_search_with_one_candidate(weighted):
    table = draw(weighted)
    found = fit_given_kernel_ridge(table, KERNELS[1], 0.1)
    searched = fit_kernel_ridge_member(table, KERNELS[1:2], np.array([0.1])).member
    assert found.honest_scores is None
    assert_allclose(found.scores(table.all.X), searched.scores(table.all.X))
