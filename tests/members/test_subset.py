"""Subsets hold every class; the bank of members scores as the members do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from kernsemble.members import subset
from kernsemble.members.subset import CollapsedMachine, MemberBank, fit_subset_members
from kernsemble.members.training_scores import TrainingScores
from kernsemble.tables import MemoryTable
from kernsemble.tables.class_rows import KnownCodes
from kernsemble.tables.draws import draw_subsets
from tests.reference.mrskl import member_score


@pytest.fixture
def rows():
    rng = np.random.RandomState(0)
    X = rng.randn(80, 3) + 100.0
    return X, (X[:, 0] + X[:, 1] > 200.0).astype(int)


def table_of(rows):
    X, codes = rows
    return MemoryTable(X, codes, np.array([0, 1]))


def fitted(rows, kind="svm", size=8, n_members=5):
    table, rng = table_of(rows), np.random.RandomState(1)
    subsets = draw_subsets(table.class_rows, "random", size, n_members, rng)
    parameters = 2.0 ** rng.uniform(-2, 2, n_members), 2.0 ** rng.uniform(-1, 5, n_members)
    return fit_subset_members(table, kind, subsets, *parameters)


@pytest.mark.parametrize("rule", ["pair", "random", "stratified"])
def test_subsets_hold_every_class_and_no_row_twice(rule):
    codes = np.repeat([0, 1, 2], [200, 40, 1])
    size = 3 if rule == "pair" else 6
    subsets = draw_subsets(KnownCodes(codes), rule, size, 50, np.random.RandomState(0))
    assert subsets.shape == (50, size)
    for drawn in subsets:
        assert set(codes[drawn]) == {0, 1, 2}
        assert len(set(drawn)) == size


def test_a_subset_smaller_than_the_classes_is_legal():
    rng = np.random.RandomState(0)
    drawn = draw_subsets(KnownCodes(np.arange(5)), "random", 2, 3, rng)
    assert drawn.shape == (3, 2)


@pytest.mark.parametrize("kind", ["svm", "ridge", "squared_hinge"])
def test_bank_scores_as_members_and_as_the_literal_sum(kind, rows):
    X, _ = rows
    members = [fit.member for fit in fitted(rows, kind)]
    S = MemberBank(members).scores(X)
    for m, member in enumerate(members):
        assert_allclose(S[:, m].T, member.scores(X), atol=1e-8)
    assert_allclose(S[0, 2, 7], member_score(members[2], X[7], 0), atol=1e-8)


def test_collapsed_machine_is_the_weighted_sum(rows):
    bank = MemberBank([fit.member for fit in fitted(rows)])
    weights = np.random.RandomState(0).randn(1, 5)
    together = CollapsedMachine.of(bank, weights, np.array([0.5])).scores(rows[0])
    expected = np.einsum("cm,cmn->nc", weights, bank.scores(rows[0])) + 0.5
    assert_allclose(together, expected, atol=1e-8)


def test_sparse_rows_score_as_dense_ones(rows):
    X, T = rows
    dense = MemberBank([fit.member for fit in fitted((X - 100.0, T))])
    thin = MemberBank([fit.member for fit in fitted((sparse.csr_array(X - 100.0), T))])
    assert_allclose(thin.scores(sparse.csr_array(X - 100.0)), dense.scores(X - 100.0), atol=1e-7)


def test_libsvm_and_the_stack_agree(rows, monkeypatch):
    stacked = MemberBank([fit.member for fit in fitted(rows, size=30)]).scores(rows[0])
    monkeypatch.setattr(subset, "LARGEST_STACKED_SVM", 10)
    single = MemberBank([fit.member for fit in fitted(rows, size=30)]).scores(rows[0])
    assert_allclose(single, stacked, atol=2e-2)


def test_members_are_silent_about_their_own_rows(rows):
    fits, table = fitted(rows, size=20), table_of(rows)
    plain = TrainingScores(table, fits, out_of_subset=False)
    silent = TrainingScores(table, fits, out_of_subset=True)
    everything = np.arange(80)
    Z = np.concatenate([block[0] for block in plain.sample(everything).blocks()], axis=2)
    Y = np.concatenate([block[0] for block in silent.sample(everything).blocks()], axis=2)
    means = Z.mean(axis=2)
    for m, fit in enumerate(fits):
        assert_allclose(Y[0, m, fit.rows], means[0, m])
        others = np.setdiff1d(np.arange(80), fit.rows)
        louder = (Z[0, m, others] - means[0, m]) * 80 / 60
        assert_allclose(Y[0, m, others] - means[0, m], louder)
    some = np.array([3, 20, 41, 77])
    part = np.concatenate([block[0] for block in silent.sample(some).blocks()], axis=2)
    assert_allclose(part, Y[:, :, some])
