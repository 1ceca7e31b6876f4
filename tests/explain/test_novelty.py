"""p-values of novelty are ranks of leave-one-out distances, uniform for rows of the same kind."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstest

from kernsemble import (
    KernelEnsembleClassifier,
    KernelRidgeClassifier,
    MPRaFClassifier,
    RVFLClassifier,
)
from kernsemble.explain import novelty
from kernsemble.maps.views import fit_scaled_view


def literal(rows, reference):
    look = fit_scaled_view(reference)
    Z, R = look(rows), look(reference)

    def nearest(z, others):
        return np.sort(np.linalg.norm(others - z, axis=1))[: novelty.N_NEIGHBORS].mean()

    known = [nearest(R[i], np.delete(R, i, axis=0)) for i in range(len(R))]
    return [(1 + sum(k >= nearest(z, R) for k in known)) / (len(R) + 1) for z in Z]


def test_p_values_are_those_of_the_definition():
    rng = np.random.RandomState(0)
    rows, reference = rng.randn(15, 3) * 2, rng.randn(40, 3)
    assert_allclose(novelty.novelty_p_values(rows, reference), literal(rows, reference))


def test_p_values_of_the_rows_themselves_are_ranks():
    p = novelty.own_p_values(np.random.RandomState(0).randn(50, 3))
    assert_allclose(np.sort(p), np.arange(1, 51) / 50)


def test_new_rows_of_the_same_kind_are_uniform_and_others_are_not():
    rng = np.random.RandomState(0)
    reference, same = rng.randn(3000, 4), rng.randn(3000, 4)
    assert kstest(novelty.novelty_p_values(same, reference), "uniform").statistic < 0.05
    assert novelty.novelty_p_values(same + 6.0, reference).max() < 0.01
    # Each value is usual, their combination is not.
    curve = np.column_stack([same[:, 0], same[:, 0] ** 2])
    assert novelty.novelty_p_values(np.array([[2.0, 0.0]]), curve).max() < 0.05


def test_many_rows_are_compared_with_a_sample(monkeypatch):
    rows = np.random.RandomState(0).randn(200, 2)
    rows[7] = 50.0
    monkeypatch.setattr(novelty, "MAX_REFERENCE", 60)
    p = novelty.own_p_values(rows)
    assert p.shape == (200,) and p[7] == p.min() and kstest(p, "uniform").statistic < 0.25


@pytest.mark.parametrize("n_rows", [1, 2, 4])
def test_few_rows_and_equal_rows(n_rows):
    p = novelty.novelty_p_values(np.ones((2, 3)), np.ones((n_rows, 3)))
    assert np.isfinite(p).all() and (p > 0).all() and (p <= 1).all()
    assert (novelty.own_p_values(np.ones((n_rows, 3))) == 1).all()


def test_classifiers_that_hold_their_rows_need_no_others():
    rng = np.random.RandomState(0)
    X = rng.randn(80, 3) * [1, 100, 0.01]
    y = X[:, 0] > 0
    strange = np.array([[0.0, 1000.0, 0.0]])
    for clf in (
        KernelRidgeClassifier(random_state=0),
        KernelEnsembleClassifier(["gaussian", "forest"], random_state=0),
    ):
        clf.fit(X, y)
        assert clf.novelty(strange)[0] < 0.05 and clf.novelty().shape == (80,)
    networks = RVFLClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"pass them.*training="):
        networks.novelty(strange)
    assert networks.novelty(strange, training=X)[0] < 0.05
    with pytest.raises(ValueError, match="features"):
        networks.novelty(strange[:, :2], training=X)


def test_categories_and_missing_values_are_compared():
    rng = np.random.RandomState(0)
    codes = rng.randint(2, size=300).astype(float)
    reference = np.column_stack([codes + 0.1 * rng.randn(300), codes])
    reference[::10, 0] = np.nan
    n_levels = np.array([0, 2])
    rows = np.array([[1.0, 1.0], [1.0, 0.0], [np.nan, 1.0], [1.0, np.nan]])
    p = novelty.novelty_p_values(rows, reference, n_levels)
    assert p[0] > 0.1 and p[1] < 0.1 and p[3] < 0.01 and p[2] > 0.1
    assert np.isfinite(novelty.own_p_values(reference, n_levels)).all()
    forest = MPRaFClassifier(5, random_state=0).fit(
        pd.DataFrame({"size": reference[:, 0], "kind": np.array(["a", "b"])[codes.astype(int)]}),
        codes,
    )
    strange = pd.DataFrame({"size": [1.0, 1.0], "kind": ["b", "a"]})
    training = pd.DataFrame({"size": reference[:, 0], "kind": np.where(codes > 0, "b", "a")})
    p = forest.novelty(strange, training=training)
    assert p[0] > 0.1 > p[1]
    with pytest.raises(ValueError, match="columns of numbers"):
        forest.importance(training, method="gradients")
