"""Hidden layers with random weights, the features of random vector functional link networks.

Activations are computed in single precision, which takes a third of the time. Rounding changes the
features by less than another seed would, and in the same way for training and for new rows. The
products before the activations are computed in double precision, because in single precision they
would depend on how the rows are divided into blocks.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.blocks import equal_slices

# Number of values in all layers of a batch: large enough to make the cost of a call negligible for
# small tables, and small enough to fit into the processor's cache.
BATCH_VALUES = 1 << 18


def _sigmoid(P):
    np.negative(P, out=P)
    with np.errstate(over="ignore"):
        np.exp(P, out=P)
    P += 1.0
    np.reciprocal(P, out=P)


def _radbas(P):
    with np.errstate(over="ignore"):
        np.square(P, out=P)
    np.negative(P, out=P)
    np.exp(P, out=P)


#: Activation functions, which overwrite their argument.
ACTIVATIONS = {
    "sigmoid": _sigmoid,
    "tanh": lambda P: np.tanh(P, out=P),
    "radbas": _radbas,
    "sine": lambda P: np.sin(P, out=P),
    "relu": lambda P: np.maximum(P, 0.0, out=P),
}


class RandomLayer(NamedTuple):
    """The weights and biases of the hidden units h(x) = act(x weights + biases).

    Attributes
    ----------
    weights : ndarray of shape (n_inputs, n_hidden)
    biases : ndarray of shape (n_hidden,)
    """

    weights: np.ndarray
    biases: np.ndarray

    @property
    def n_hidden(self):
        return len(self.biases)

    def scaled(self, factor):
        """Return the layer with all weights and biases multiplied by `factor`."""
        return RandomLayer(factor * self.weights, factor * self.biases)


def draw_layer(n_inputs, n_hidden, scale, rng):
    """Return a layer with weights uniform in (-scale, scale) and biases uniform in (0, scale)."""
    weights = rng.uniform(-scale, scale, (n_inputs, n_hidden))
    return RandomLayer(weights, rng.uniform(0.0, scale, n_hidden))


def hidden_batches(X, layers, activation):
    """Yield the hidden units of every layer; one product serves many layers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_inputs)
    layers : list of RandomLayer
    activation : str
        One of the names in `ACTIVATIONS`.

    Yields
    ------
    H : ndarray of float32 of shape (n_samples, n_hidden)
        The hidden units of one layer, in the order of `layers`. The array is valid until the next
        one is requested.
    """
    act, X = ACTIVATIONS[activation], X.astype(np.float64, copy=False)
    widest = max(layer.n_hidden for layer in layers)
    for batch in equal_slices(len(layers), max(1, BATCH_VALUES // (len(X) * widest))):
        part = layers[batch]
        P = X @ np.hstack([layer.weights for layer in part])
        P += np.concatenate([layer.biases for layer in part])
        P = P.astype(np.float32)
        act(P)
        yield from np.split(P, np.cumsum([layer.n_hidden for layer in part])[:-1], axis=1)
