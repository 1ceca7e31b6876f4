"""Honest accuracy on noise labels with a category of 500 levels, in standard errors from chance.

    python benchmarks/accuracy/noise_levels.py [--repeats 10] [--rows 1500] [--numbers]

Labels are drawn without looking at the rows, so chance is the share of the larger class. With
`--numbers` the rows have no category, which tells what is owed to the category. Prints one JSON
line with the deviation of every repeat, and that of the rows of all repeats together.
"""

import argparse
import json

import numpy as np
import pandas as pd

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier, RVFLClassifier

CLASSIFIERS = {
    "KernelEnsemble": KernelEnsembleClassifier,
    "KernelRidge": KernelRidgeClassifier,
    "RVFL": RVFLClassifier,
}


def deviations(build, repeats, n_rows, *, numbers):
    """Return honest accuracy less chance in standard errors, for every repeat."""
    found = []
    for seed in range(repeats):
        rng = np.random.RandomState(seed)
        shop = rng.randint(500, size=n_rows).astype(str)
        X = pd.DataFrame({"shop": shop, "size": rng.randn(n_rows)})
        y = rng.randint(2, size=n_rows)
        if numbers:
            X = X.drop(columns="shop")
        chance = max(y.mean(), 1.0 - y.mean())
        accuracy = build(random_state=0).fit(X, y).honest_accuracy_
        found.append((accuracy - chance) / np.sqrt(0.25 / n_rows))
    return np.round(found, 2).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--classifier", choices=CLASSIFIERS, help="one alone; all by default")
    parser.add_argument("--numbers", action="store_true", help="rows without the category")
    given = parser.parse_args()
    names = [given.classifier] if given.classifier else list(CLASSIFIERS)
    found = {
        name: deviations(CLASSIFIERS[name], given.repeats, given.rows, numbers=given.numbers)
        for name in names
    }
    # The standard error of all rows is smaller by the root of the number of repeats.
    pooled = {name: round(sum(own) / np.sqrt(len(own)), 2) for name, own in found.items()}
    line = {"benchmark": "noise_levels", "numbers": given.numbers, "pooled": pooled}
    print(json.dumps({**line, "standard_errors": found, "target": "pooled within 2"}))


if __name__ == "__main__":
    main()
