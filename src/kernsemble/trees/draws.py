"""Random numbers of compiled code: hashes of a seed, so that every draw can be repeated."""

import numpy as np

from ..compiled import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
# Larger than the number of any node, so that no node uses the random numbers of the rows.
_ROWS = np.uint64(2**63)


@compiled
def mix(state):
    """Return the splitmix64 hash of an unsigned 64-bit number."""
    state = state + _STEP
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))


@compiled
def below(state, limit):
    """Return a number from 0 to limit - 1 for a hash; `limit` must be far below 2³²."""
    return np.int64((state >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32))


@compiled
def draw_features(seed, node, pool, n_drawn, features):
    """Write `n_drawn` different features into `features`.

    Parameters
    ----------
    seed, node : int
        The draw depends on these numbers alone, so nodes may be grown in any order.
    pool : ndarray of shape (n_features,)
        The numbers 0, 1, …, n_features - 1. They are swapped and put back.
    n_drawn : int
    features : ndarray of shape (>= n_drawn,)
    """
    n_features = pool.shape[0]
    swaps = np.empty(n_drawn, dtype=np.int64)
    state = mix(np.uint64(seed) ^ mix(np.uint64(node)))
    for j in range(n_drawn):
        state = mix(state)
        other = j + below(state, n_features - j)
        swaps[j] = other
        pool[j], pool[other] = pool[other], pool[j]
        features[j] = pool[j]
    for j in range(n_drawn - 1, -1, -1):
        pool[j], pool[swaps[j]] = pool[swaps[j]], pool[j]


@compiled
def draw_copies(seed, copies):
    """Draw as many rows as there are, with replacement; write how often each row is drawn."""
    copies[:] = 0
    state = mix(np.uint64(seed) ^ mix(_ROWS))
    for _ in range(len(copies)):
        state = mix(state)
        copies[below(state, len(copies))] += 1
