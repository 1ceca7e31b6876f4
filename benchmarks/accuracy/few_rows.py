"""The flagship on a few dozen rows, with and without the prior that keeps its weights near equal.

    python benchmarks/accuracy/few_rows.py [--draws 3]

Training parts of 10, 20 and 40 rows are drawn from the development sets, and up to 400 other rows
are scored, of classes that the part shows. Prints one JSON line: for every size the mean log-loss
without and with the prior, and on how many sets each is better. Needs KERNSEMBLE_DATA.
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
PRIORS = (0.0, combine.PRIOR_OF_FEW)


def draws(dataset, size, n_draws):
    """Yield the numbers of rows to fit, and of rows to score."""
    for draw in range(n_draws):
        order = np.random.RandomState(100 * size + draw).permutation(len(dataset.y))
        own, rest = np.sort(order[:size]), order[size : size + N_TEST]
        rest = rest[np.isin(dataset.y[rest], dataset.y[own])]
        if len(np.unique(dataset.y[own])) > 1 and len(rest):
            yield own, rest


def loss(dataset, own, rest, prior):
    combine.PRIOR_OF_FEW = prior
    clf = KernelEnsembleClassifier(random_state=0).fit(dataset.X[own], dataset.y[own])
    return log_loss(dataset.y[rest], clf.predict_proba(dataset.X[rest]), labels=clf.classes_)


def compare(dataset, size, n_draws):
    """Return the mean log-losses without and with the prior, or None without two classes."""
    found = [
        [loss(dataset, own, rest, prior) for prior in PRIORS]
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
            "without": round(means[:, 0].mean(), 4),
            "with": round(means[:, 1].mean(), 4),
            "better": [int((means[:, k] < means[:, 1 - k]).sum()) for k in (0, 1)],
        }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
