"""Principal components of small groups of features, computed from random rows of random classes."""

import numpy as np

from ..compiled import compiled
from .draws import below, mix
from .small_eigen import symmetric_eigen


@compiled(entry=True)
def draw_components(X, codes, n_classes, shuffled, share, seed, rotation):
    """Write a rotation; see `draw_rotation`.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    codes : ndarray of shape (n_samples,)
    n_classes : int
    shuffled : ndarray of int
        The numeric features in the order in which they are divided into groups.
    share : float
    seed : int
    rotation : Rotation
        Its arrays are written. Their width is the size of a group; the last one may be smaller.
    """
    n_features, n_samples = shuffled.shape[0], X.shape[1]
    sources, weights = rotation.sources, rotation.weights
    width = sources.shape[1]
    rows = np.empty(n_samples, dtype=np.int64)
    chosen = np.empty(n_classes, dtype=np.bool_)
    mean = np.empty(width)
    scatter, vectors = np.empty((width, width)), np.empty((width, width))
    values, work = np.empty(width), np.empty((2, width))
    state = mix(np.uint64(seed))
    for start in range(0, n_features, width):
        features = shuffled[start : start + width]
        size = features.shape[0]
        state = _choose_classes(state, chosen)
        n_rows = 0
        for i in range(n_samples):
            if chosen[codes[i]]:
                rows[n_rows] = i
                n_rows += 1
        n_kept = max(1, int(share * n_rows + 0.5))
        for i in range(n_kept):
            state = mix(state)
            other = i + below(state, n_rows - i)
            rows[i], rows[other] = rows[other], rows[i]
        _scatter(X, features, rows[:n_kept], mean, scatter)
        symmetric_eigen(scatter, size, values, vectors, work)
        for a in range(size):
            for b in range(width):
                inside = b < size
                sources[start + a, b] = features[b if inside else 0]
                weights[start + a, b] = vectors[a, b] if inside else 0.0


@compiled
def _choose_classes(state, chosen):
    """Choose every class with probability one half, or one class if none was chosen."""
    n_chosen = 0
    for c in range(chosen.shape[0]):
        state = mix(state)
        chosen[c] = (state >> np.uint64(63)) > np.uint64(0)
        n_chosen += chosen[c]
    if n_chosen == 0:
        state = mix(state)
        chosen[below(state, chosen.shape[0])] = True
    return state


@compiled
def _scatter(X, features, rows, mean, scatter):
    """Write the scatter matrix of some features over some rows."""
    n_rows = rows.shape[0]
    for a in range(features.shape[0]):
        column = X[features[a]]
        mean[a] = 0.0
        for i in range(n_rows):
            mean[a] += column[rows[i]] / n_rows
        for b in range(a + 1):
            other = X[features[b]]
            total = 0.0
            for i in range(n_rows):
                total += (column[rows[i]] - mean[a]) * (other[rows[i]] - mean[b])
            scatter[a, b] = total
            scatter[b, a] = total
