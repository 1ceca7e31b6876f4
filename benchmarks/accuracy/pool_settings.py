"""What three settings of the flagship are worth: doubt, prior of biases, and rotated columns.

    python benchmarks/accuracy/pool_settings.py [--draws 3] [--max-rows 2000]

A stratified quarter of the rows of each development set is scored, the rest fitted, for as many
draws as `--draws` says: with everything as it is, with the full doubt of a single member for the
pool too, with a prior of the biases of classes that grows with the square root of the rows, without
rotations, and with none of the three. Prints one JSON line: mean log-loss, accuracy and processor
seconds of each, and on how many sets it has a lower log-loss than the flagship as it is. Needs
KERNSEMBLE_DATA.
"""

import argparse
import json
import time
import warnings

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from kernsemble import KernelEnsembleClassifier, combine
from kernsemble.datasets import load
from kernsemble.datasets.folder import find_folder
from kernsemble.members import library

#: Module, constant, and its value without the setting. Groups of one column are not rotated.
SETTINGS = {
    "full doubt": [(combine, "POOL_DOUBT", 1.0)],
    "growing prior": [(combine, "BIAS_COST", None)],
    "no rotations": [(library, "GROUP_SIZE", 1)],
}
NONE = [change for own in SETTINGS.values() for change in own]
VARIANTS = {"as it is": [], **SETTINGS, "none of the three": NONE}


def draws(dataset, n_draws):
    """Yield the numbers of rows to fit, and of rows to score."""
    rows = np.arange(len(dataset.y))
    # Sets with a class of one row are split at random.
    classes = dataset.y if np.unique(dataset.y, return_counts=True)[1].min() > 1 else None
    for seed in range(n_draws):
        own, rest = train_test_split(rows, test_size=0.25, random_state=seed, stratify=classes)
        yield own, rest[np.isin(dataset.y[rest], dataset.y[own])]


def measure(dataset, own, rest, changes):
    """Return the log-loss and the accuracy on the rows that are scored, and the seconds."""
    before = [(module, name, getattr(module, name)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    try:
        start = time.process_time()
        clf = KernelEnsembleClassifier(random_state=0).fit(dataset.X[own], dataset.y[own])
        seconds = time.process_time() - start
    finally:
        for module, name, value in before:
            setattr(module, name, value)
    P, y = clf.predict_proba(dataset.X[rest]), dataset.y[rest]
    accuracy = np.mean(clf.classes_[P.argmax(axis=1)] == y)
    return log_loss(y, P, labels=clf.classes_), accuracy, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--max-rows", type=int, default=2000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = (find_folder() / "development_sets.txt").read_text().split()
    sets = [load(f"jmlr121/{name}") for name in names]
    sets = [dataset for dataset in sets if len(dataset.y) <= given.max_rows]
    found = np.array(
        [
            np.mean(
                [
                    [measure(dataset, *rows, changes) for changes in VARIANTS.values()]
                    for rows in draws(dataset, given.draws)
                ],
                axis=0,
            )
            for dataset in sets
        ]
    )
    line: dict = {"benchmark": "pool_settings", "sets": len(sets), "draws": given.draws}
    for k, name in enumerate(VARIANTS):
        loss, accuracy, seconds = found[:, k].mean(axis=0)
        line[name] = {
            "log_loss": round(loss, 4),
            "accuracy": round(100 * accuracy, 2),
            "seconds": round(seconds, 2),
            "better": int((found[:, k, 0] < found[:, 0, 0]).sum()),
        }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
