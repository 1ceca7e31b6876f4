"""Hidden layers in batches are the layers one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.maps import random_layer
from kernsemble.maps.random_layer import ACTIVATIONS, draw_layer, hidden_batches, hidden_sums

FORMULAS = {
    "sigmoid": lambda t: 1 / (1 + np.exp(-t)),
    "tanh": np.tanh,
    "radbas": lambda t: np.exp(-(t**2)),
    "sine": np.sin,
    "relu": lambda t: np.maximum(t, 0),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("batch_values", [1, 300, 1 << 20])
def test_batches_equal_single_layers(activation, batch_values, monkeypatch):
    monkeypatch.setattr(random_layer, "BATCH_VALUES", batch_values)
    rng = np.random.RandomState(0)
    X = rng.randn(12, 3)
    layers = [draw_layer(3, h, 0.7, rng) for h in (4, 1, 9, 5, 2)]
    batches = [H.copy() for H in hidden_batches(X, layers, activation)]
    for layer, H in zip(layers, batches, strict=True):
        expected = FORMULAS[activation](X @ layer.weights + layer.biases)
        assert_allclose(H, expected, atol=1e-6)


@pytest.mark.parametrize("batch_values", [1, 300, 1 << 20])
def test_sums_are_the_products_of_all_layers(batch_values, monkeypatch):
    monkeypatch.setattr(random_layer, "BATCH_VALUES", batch_values)
    rng = np.random.RandomState(0)
    X = rng.randn(12, 3)
    layers = [draw_layer(3, h, 0.7, rng) for h in (4, 1, 9, 5, 2)]
    coefs = [rng.randn(layer.n_hidden, 2) for layer in layers]
    units = [H.copy() for H in hidden_batches(X, layers, "tanh")]
    expected = sum(H.astype(float) @ own for H, own in zip(units, coefs, strict=True))
    assert_allclose(hidden_sums(X, layers, "tanh", coefs), expected, rtol=1e-12, atol=1e-12)


def test_weights_lie_in_the_paper_ranges():
    layer = draw_layer(50, 200, 3.0, np.random.RandomState(0))
    assert -3 <= layer.weights.min() < -2.9 and 2.9 < layer.weights.max() <= 3
    assert layer.biases.min() >= 0 and layer.biases.max() <= 3


def test_saturated_units_are_finite_without_a_warning():
    layer = draw_layer(1, 3, 1.0, np.random.RandomState(0))
    with np.errstate(all="raise", under="ignore"):
        for activation in ("sigmoid", "tanh", "radbas", "relu"):
            (H,) = hidden_batches(np.array([[-1e30], [1e30]]), [layer], activation)
            assert np.isfinite(H).all()
