"""What the best possible rule loses on `waveform` when a tenth of the cells is missing.

    python benchmarks/accuracy/waveform_bound.py [--rows 200000]

A row of waveform is a random mixture of two of three triangles, with normal noise, so that the
chance of each class given the known cells can be computed: every class is averaged over its mixing
share. No rule has a better accuracy than the class of the largest chance. What it loses to missing
cells is the worth of the cells themselves, and no filling brings it back: compare it with `native`
and `complete` of `forest_missing.py`. Prints one JSON line.
"""

import argparse
import json
from itertools import combinations

import numpy as np

# Heights of the three triangles at the 21 columns, and the two that each class mixes.
TRIANGLES = np.maximum(6.0 - abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0.0)
CLASSES = list(combinations(range(3), 2))
SHARES = (np.arange(60) + 0.5) / 60


def draw(n_rows, rng):
    """Return rows and classes of the generator of Breiman et al. (1984)."""
    y, share = rng.randint(3, size=n_rows), rng.rand(n_rows, 1)
    first, second = TRIANGLES[np.array(CLASSES)[y].T]
    return share * first + (1.0 - share) * second + rng.randn(n_rows, 21), y


def best_classes(X):
    """Return the class of the largest chance given the known cells of each row."""
    known = ~np.isnan(X)
    filled, chances = np.where(known, X, 0.0), []
    for first, second in CLASSES:
        means = np.outer(SHARES, TRIANGLES[first]) + np.outer(1.0 - SHARES, TRIANGLES[second])
        exponents = filled @ means.T - 0.5 * known @ (means**2).T
        top = exponents.max(axis=1)
        chances.append(top + np.log(np.exp(exponents - top[:, None]).mean(axis=1)))
    return np.argmax(chances, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    n_rows = parser.parse_args().rows
    rng = np.random.RandomState(0)
    X, y = draw(n_rows, rng)
    gappy = np.where(rng.rand(*X.shape) < 0.1, np.nan, X)
    complete, missing = (100 * np.mean(best_classes(rows) == y) for rows in (X, gappy))
    found = {"complete": complete, "missing": missing, "lost": complete - missing}
    print(json.dumps({name: round(value, 2) for name, value in found.items()}))


if __name__ == "__main__":
    main()
