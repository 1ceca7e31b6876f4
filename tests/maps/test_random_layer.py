"""Hidden layers in batches are the layers one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernsemble.maps import random_layer
from kernsemble.maps.random_layer import ACTIVATIONS, draw_layer, hidden_batches

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
        assert_allclose(H, FORMULAS[activation](X @ layer.weights + layer.biases), atol=1e-14)


def test_weights_lie_in_the_paper_ranges():
    layer = draw_layer(50, 200, 3.0, np.random.RandomState(0))
    assert -3 <= layer.weights.min() < -2.9 and 2.9 < layer.weights.max() <= 3
    assert layer.biases.min() >= 0 and layer.biases.max() <= 3
