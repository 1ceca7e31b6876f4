"""Gram matrices that are computed while they are read, so that many need not fit into memory."""

from sklearn.utils import gen_batches

from .evaluation import evaluate

__all__ = ["GramStream"]

# A few matrices at a time share their distances.
BATCH_BYTES = 1 << 27


class GramStream:
    """The Gram matrices of many kernels on the same rows, one after another.

    Iterating starts anew each time. A matrix is valid until the next one is asked for.

    Parameters
    ----------
    kernels : list of Kernel
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from kernsemble.kernels import Linear, RBF
    >>> from kernsemble.kernels.stream import GramStream
    >>> stream = GramStream([Linear(), RBF()], np.eye(3))
    >>> [float(K.sum().round(2)) for K in stream]
    [3.0, 3.81]
    """

    def __init__(self, kernels, X):
        self.kernels = kernels
        self.X = X

    def __len__(self):
        return len(self.kernels)

    def __iter__(self):
        bytes_each = 8 * self.X.shape[0] ** 2
        buffers = None
        for batch in gen_batches(len(self.kernels), max(1, BATCH_BYTES // bytes_each)):
            kernels = self.kernels[batch]
            buffers = evaluate(kernels, self.X, out=buffers and buffers[: len(kernels)])
            yield from buffers
