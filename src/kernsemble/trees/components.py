"""Principal components of random rows of random classes, for small groups of features."""

import numpy as np

from .compiled import compiled
from .draws import mix
from .small_eigen import symmetric_eigen

__all__ = ["draw_components"]


@compiled(entry=True)
def draw_components(X, codes, n_classes, shuffled, width, share, seed, sources, weights):
    """Write a rotation; see `draw_rotation`.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    codes : ndarray of shape (n_samples,)
    n_classes : int
    shuffled : ndarray of shape (n_features,)
        The features, `width` of them to a group and the rest to the last.
    width : int
    share : float
    seed : int
    sources, weights : ndarray of shape (n_features, width)
    """
    n_features, n_samples = X.shape
    rows = np.empty(n_samples, dtype=np.int64)
    chosen = np.empty(n_classes, dtype=np.bool_)
    mean = np.empty(width)
    scatter, vectors = np.empty((width, width)), np.empty((width, width))
    values, work = np.empty(width), np.empty((2, width))
    state = mix(np.uint64(seed))
    for start in range(0, n_features, width):
        size = min(width, n_features - start)
        state = _choose_classes(state, chosen)
        n_rows = 0
        for i in range(n_samples):
            if chosen[codes[i]]:
                rows[n_rows] = i
                n_rows += 1
        n_kept = max(1, int(share * n_rows + 0.5))
        for i in range(n_kept):
            state = mix(state)
            other = i + _below(state, n_rows - i)
            rows[i], rows[other] = rows[other], rows[i]
        for a in range(size):
            column = X[shuffled[start + a]]
            mean[a] = 0.0
            for i in range(n_kept):
                mean[a] += column[rows[i]] / n_kept
            for b in range(a + 1):
                second = X[shuffled[start + b]]
                total = 0.0
                for i in range(n_kept):
                    total += (column[rows[i]] - mean[a]) * (second[rows[i]] - mean[b])
                scatter[a, b] = total
                scatter[b, a] = total
        symmetric_eigen(scatter, size, values, vectors, work)
        for a in range(size):
            for b in range(width):
                inside = b < size
                sources[start + a, b] = shuffled[start + b if inside else start]
                weights[start + a, b] = vectors[a, b] if inside else 0.0


@compiled
def _choose_classes(state, chosen):
    """Toss a coin for every class, and choose one of them where all fail."""
    n_chosen = 0
    for c in range(chosen.shape[0]):
        state = mix(state)
        chosen[c] = (state >> np.uint64(63)) > np.uint64(0)
        n_chosen += chosen[c]
    if n_chosen == 0:
        state = mix(state)
        chosen[_below(state, chosen.shape[0])] = True
    return state


@compiled
def _below(state, limit):
    """Return a number from 0 to limit - 1, by the upper half of a hash."""
    return np.int64((state >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32))
