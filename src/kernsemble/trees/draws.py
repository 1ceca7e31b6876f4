"""Random rows of a tree and features of a node, as pure functions of seed and node number."""

import numpy as np

from .compiled import compiled

__all__ = ["draw_copies", "draw_features", "mix"]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ROWS = np.uint64(2**63)


@compiled
def mix(state):
    """Return the splitmix64 hash of an unsigned 64-bit number."""
    state = state + _STEP
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))


@compiled
def draw_features(seed, node, pool, n_drawn, features):
    """Write `n_drawn` different features into `features`.

    Parameters
    ----------
    seed, node : int
        The draw depends on nothing else, so nodes may be grown in any order.
    pool : ndarray of shape (n_features,)
        0, 1, …, n_features - 1; left as it was.
    n_drawn : int
    features : ndarray of shape (>= n_drawn,)
    """
    n_features = pool.shape[0]
    swaps = np.empty(n_drawn, dtype=np.int64)
    state = mix(np.uint64(seed) ^ mix(np.uint64(node)))
    for j in range(n_drawn):
        state = mix(state)
        other = j + _below(state, n_features - j)
        swaps[j] = other
        pool[j], pool[other] = pool[other], pool[j]
        features[j] = pool[j]
    for j in range(n_drawn - 1, -1, -1):
        pool[j], pool[swaps[j]] = pool[swaps[j]], pool[j]


@compiled
def draw_copies(seed, copies):
    """Write how often each row is drawn, when as many are drawn with replacement as there are."""
    copies[:] = 0
    # Not a node's number, so that no node draws from the same stream.
    state = mix(np.uint64(seed) ^ mix(_ROWS))
    for _ in range(len(copies)):
        state = mix(state)
        copies[_below(state, len(copies))] += 1


@compiled
def _below(state, limit):
    """Return a number from 0 to limit - 1, for limits far below 2³²."""
    return np.int64((state >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32))
