"""The flagship on a few dozen rows, with and without what guards its pool there against luck.

    python benchmarks/accuracy/few_rows.py [--draws 3]

Training parts of 10, 20 and 40 rows are drawn from the development sets, and up to 400 other rows
are scored, of classes that the part shows. The guards are a prior that keeps weights near equal and
a bound that keeps the biases of classes small beside the scores. Prints one JSON line: for every
size the means without and with them, and on how many sets each has the lower log-loss. Needs
KERNSEMBLE_DATA.
"""

import argparse
import json
import warnings

import numpy as np
from sklearn.metrics import log_loss

from kernsemble import KernelEnsembleClassifier, combine
from kernsemble.datasets import load
from kernsemble.datasets.folder import find_folder

SIZES, N_TEST = (10, 20, 40), 400
# Prior and bound, without and with.
GUARDS = ((0.0, 1e-9), (combine.PRIOR_OF_FEW, combine.MIN_SCALE))


def draws(dataset, size, n_draws):
    """Yield the numbers of rows to fit, and of rows to score."""
    for draw in range(n_draws):
        order = np.random.RandomState(100 * size + draw).permutation(len(dataset.y))
        own, rest = np.sort(order[:size]), order[size : size + N_TEST]
        rest = rest[np.isin(dataset.y[rest], dataset.y[own])]
        if len(np.unique(dataset.y[own])) > 1 and len(rest):
            yield own, rest


def measure(dataset, own, rest, guards):
    """Return the log-loss and the accuracy on the rows that are scored."""
    combine.PRIOR_OF_FEW, combine.MIN_SCALE = guards
    clf = KernelEnsembleClassifier(random_state=0).fit(dataset.X[own], dataset.y[own])
    P, y = clf.predict_proba(dataset.X[rest]), dataset.y[rest]
    return log_loss(y, P, labels=clf.classes_), np.mean(clf.classes_[P.argmax(axis=1)] == y)


def compare(dataset, size, n_draws):
    """Return the mean measures without and with the guards, or None without two classes."""
    found = [
        [measure(dataset, own, rest, guards) for guards in GUARDS]
        for own, rest in draws(dataset, size, n_draws)
    ]
    return np.mean(found, axis=0) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = (find_folder() / "development_sets.txt").read_text().split()
    sets = [data for data in (load(f"jmlr121/{name}") for name in names) if len(data.y) >= 100]
    line: dict = {"benchmark": "few_rows", "sets": len(sets)}
    for size in SIZES:
        found = [compare(data, size, given.draws) for data in sets]
        means = np.array([own for own in found if own is not None])
        line[f"{size} rows"] = {
            "log_loss": means[:, :, 0].mean(axis=0).round(4).tolist(),
            "accuracy": (100 * means[:, :, 1].mean(axis=0)).round(2).tolist(),
            "better": [int((means[:, k, 0] < means[:, 1 - k, 0]).sum()) for k in (0, 1)],
        }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
