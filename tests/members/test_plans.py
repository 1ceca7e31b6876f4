"""Several members as one, and scores as logarithms."""

from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose

from kernsemble.members.plans import LogShares, MeanMember


def with_expansions(found):
    return SimpleNamespace(expansions=lambda: found)


def test_a_mean_has_expansions_where_all_its_members_have():
    one, two = with_expansions([(1.0, "look", "a")]), with_expansions([(3.0, "look", "b")])
    assert MeanMember([one, two]).expansions() == [(0.5, "look", "a"), (1.5, "look", "b")]
    assert MeanMember([one, with_expansions(None)]).expansions() is None


def test_shares_below_zero_count_as_none():
    shares = np.array([[-0.2, 0.5], [0.05, 1.0]])
    member = SimpleNamespace(scores=lambda X: shares, honest_scores=shares)
    member.without_honest_scores = lambda: member
    expected = np.log([[0.01, 0.51], [0.06, 1.01]])
    assert_allclose(LogShares(member, 0.01).scores(None), expected)
    assert_allclose(LogShares.of(member, 0.01).honest_scores, expected)
