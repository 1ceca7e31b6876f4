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
BATCH_VALUES = 1 << 16


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


def join_layers(layers):
    """Return one layer with the units of several."""
    weights, biases = zip(*layers)
    return RandomLayer(np.hstack(weights), np.concatenate(biases))


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
    for part, P in _active_batches(X, layers, activation):
        yield from np.split(P, np.cumsum([layer.n_hidden for layer in layers[part]])[:-1], axis=1)


def hidden_sums(X, layers, activation, coefs):
    """Return the sum of the products of hidden units and coefficients over all layers.

    Parameters
    ----------
    X, layers, activation
        These are as in `hidden_batches`.
    coefs : list of ndarray of shape (n_hidden, n_outputs)
        Those of every layer.
    """
    sums = np.zeros((len(X), coefs[0].shape[1]))
    widest = max(layer.n_hidden for layer in layers)
    for rows in equal_slices(len(X), max(1, BATCH_VALUES // widest)):
        for part, P in _active_batches(X[rows], layers, activation):
            own = coefs[part]
            sums[rows] += P.astype(np.float64) @ (own[0] if len(own) == 1 else np.vstack(own))
    return sums


def _active_batches(X, layers, activation):
    """Yield slices of layers, and their hidden units side by side."""
    act, X = ACTIVATIONS[activation], X.astype(np.float64, copy=False)
    widest = max(layer.n_hidden for layer in layers)
    for batch in equal_slices(len(layers), max(1, BATCH_VALUES // (len(X) * widest))):
        part = layers[batch]
        both = part[0] if len(part) == 1 else join_layers(part)
        P = X @ both.weights
        P += both.biases
        P = P.astype(np.float32)
        act(P)
        yield batch, P
