"""Networks with the same wiring become one that scores as they do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.datasets import make_waveform
from kernsemble.maps.views import fit_scaled_view
from kernsemble.members.networks import fit_networks_member
from kernsemble.tables import MemoryTable

N_NETWORKS, N_HIDDEN = 8, 10


@pytest.fixture(params=[2, 3])
def member_and_rows(request):
    X, y = make_waveform(120, random_state=0)
    X, y = X[y < request.param], y[y < request.param]
    table = MemoryTable(X, y, np.arange(request.param))
    settings = [0.5, 1.0], np.array([0.1, 1.0])
    rng = np.random.RandomState(0)
    return fit_networks_member(table, fit_scaled_view(X), N_NETWORKS, N_HIDDEN, *settings, rng), X


def test_a_compact_member_is_one_network_with_the_same_scores(member_and_rows):
    member, X = member_and_rows
    compact = member.compact()
    (network,) = compact.networks
    assert len(member.networks) == N_NETWORKS
    assert network.layer.n_hidden == sum(own.layer.n_hidden for own in member.networks)
    # Hidden units are in single precision.
    for n in (1, len(X)):
        assert_allclose(compact.scores(X[:n]), member.scores(X[:n]), rtol=0, atol=1e-6)


def test_hidden_units_and_links_sum_to_the_class_scores(member_and_rows):
    member, X = member_and_rows
    units = member.hidden_units()
    Z = units.look(X)
    H = 1.0 / (1.0 + np.exp(-(Z @ units.weights + units.biases)))
    S = H @ units.coefs + Z @ units.links + units.constant
    assert_allclose(S, member.class_scores(X), rtol=0, atol=1e-5)


def test_a_compact_member_has_the_same_hidden_units(member_and_rows):
    member, _ = member_and_rows
    units, compact = member.hidden_units(), member.compact().hidden_units()
    for whole, joined in zip(units[2:], compact[2:], strict=True):
        assert_allclose(joined, whole, rtol=1e-12, atol=1e-15)
