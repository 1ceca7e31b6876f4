"""Seeds drawn from a generator."""

import numpy as np

LARGEST_SEED = np.iinfo(np.int32).max


def draw_seed(rng):
    """Return a seed."""
    return rng.randint(LARGEST_SEED)


def draw_seeds(rng, size):
    """Return an array of `size` seeds."""
    return rng.randint(LARGEST_SEED, size=size)
