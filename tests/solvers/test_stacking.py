"""The level-one solver against its objective, refits without a row, and non-negative weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from kernsemble.solvers.stacking import (
    _line_search,
    choose_alpha,
    leave_one_out,
    solve_linear,
    solve_non_negative,
)
from kernsemble.tables import Whole
from tests.reference.mrskl import level_one_objective


class Scores:
    """Scores of rows that come in blocks."""

    def __init__(self, Z, t, s, size=17):
        self.Z, self.t, self.s, self.size = Z, t, s, size

    def blocks(self, scores=True):
        for start in range(0, self.s.size, self.size):
            rows = slice(start, start + self.size)
            yield (self.Z[:, :, rows] if scores else None), self.t[:, rows], self.s[rows]


@pytest.fixture
def table():
    rng = np.random.RandomState(0)
    t = np.sign(rng.randn(2, 60))
    Z = 0.4 * t[:, None] + rng.randn(2, 5, 60)
    return Z, t, rng.uniform(0.5, 2.0, 60)


@pytest.mark.parametrize("loss", ["squared_hinge", "squared"])
def test_minimises_the_literal_objective(loss, table):
    Z, t, s = table
    fit = solve_linear(Whole(Scores(*table)), 3.0, np.zeros((2, 6)), loss=loss)
    assert fit.converged
    total = 0.0
    for c in range(2):

        def objective(w, c=c):
            return level_one_objective(Z[c], t[c], s, 3.0, w, loss)

        total += objective(fit.coefs[c])
        assert objective(fit.coefs[c]) <= minimize(objective, np.zeros(6)).fun * (1 + 1e-4)
    assert_allclose(fit.objective, total)


def test_blocks_of_any_size_give_the_same(table):
    fits = [solve_linear(Whole(Scores(*table, size=n)), 1.0, np.zeros((2, 6))) for n in (7, 60)]
    assert_allclose(fits[0].coefs, fits[1].coefs, rtol=1e-10)


def test_leave_one_out_is_the_refit_without_the_row(table):
    Z, t, s = table
    fit = solve_linear(Whole(Scores(*table)), 2.0, np.zeros((2, 6)), loss="squared")
    scores = leave_one_out(Scores(*table), 2.0, fit.coefs, loss="squared")
    for row in (0, 31):
        rest = np.delete(np.arange(60), row)
        part = Whole(Scores(Z[:, :, rest], t[:, rest], s[rest]))
        without = solve_linear(part, 2.0, np.zeros((2, 6)), loss="squared").coefs
        refitted = np.einsum("cm,cm->c", without[:, :-1], Z[:, :, row]) + without[:, -1]
        assert_allclose(scores[:, row], refitted, rtol=1e-8)


def test_chosen_strength_has_the_least_leave_one_out_loss(table):
    _, t, s = table
    part = Scores(*table)
    alpha, fit = choose_alpha(part, 2, 5, alphas=[100.0, 10.0, 1.0])

    def loss(strength):
        coefs = solve_linear(Whole(part), strength, np.zeros((2, 6))).coefs
        slack = np.maximum(0.0, 1.0 - t * leave_one_out(part, strength, coefs))
        return (slack**2 @ s).sum()

    assert alpha == min([100.0, 10.0, 1.0], key=loss)
    assert fit.coefs.shape == (2, 6)


def test_non_negative_weights_are_shared_and_optimal(table):
    Z, t, s = table
    Z = Z.copy()
    Z[:, 2] *= -1.0
    coefs = solve_non_negative(Whole(Scores(Z, t, s)), 2, 5, 1.0)
    assert_allclose(coefs[0, :-1], coefs[1, :-1])
    assert (coefs[:, :-1] >= 0).all() and coefs[0, 2] == 0.0

    def objective(p):
        w = np.column_stack([np.tile(p[:5], (2, 1)), p[5:]])
        each = [level_one_objective(Z[c], t[c], s, 0.5, w[c], "squared") for c in range(2)]
        return sum(each)

    bounds = [(0, None)] * 5 + [(None, None)] * 2
    best = minimize(objective, np.zeros(7), bounds=bounds).fun
    assert objective(np.append(coefs[0, :-1], coefs[:, -1])) <= best * (1 + 1e-6)


def test_the_line_search_finds_the_lowest_point_of_a_segment(table):
    Z, t, s = table
    rng = np.random.RandomState(1)
    old = 0.1 * rng.randn(2, 6)
    # Towards the minimum and beyond it, so that the lowest point lies inside.
    best = solve_linear(Whole(Scores(*table)), 3.0, np.zeros((2, 6))).coefs
    new = old + 2.5 * (best - old)
    margins = Whole(Scores(*table)).scan(_both_scores, None, (old, new))[1]
    steps = _line_search(Whole(Scores(*table)), 3.0, old, new, margins)
    for c in range(2):

        def along(step, c=c):
            w = old[c] + step * (new[c] - old[c])
            return level_one_objective(Z[c], t[c], s, 3.0, w, "squared_hinge")

        grid = np.linspace(0.0, 1.0, 2001)
        assert abs(steps[c] - grid[np.argmin([along(step) for step in grid])]) <= 1e-3
        assert 0.1 < steps[c] < 0.9


def _both_scores(part, margins, ends):
    Z, _, _ = zip(*part.blocks())
    Z = np.concatenate(Z, axis=2)
    scores = [np.einsum("cm,cmn->cn", w[:, :-1], Z) + w[:, -1:] for w in ends]
    return np.zeros(1), tuple(scores)
