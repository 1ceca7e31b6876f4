"""Kernel ridge with a search for the width, against all widths: processor seconds and losses.

KERNSEMBLE_DATA=folder python benchmarks/speed/krr_search.py [set ...]

Prints one JSON line for each set: the ratio of processor seconds, the relative excess of the least
leave-one-out error that the search found, and the accuracies on the rows of the first test split.
"""

import json
import sys
import time

import numpy as np

from kernsemble import KernelRidgeClassifier
from kernsemble.datasets import load
from kernsemble.members import kernel_ridge

SETS = ["cardiotocography-3clases", "statlog-image", "yeast", "plant-shape", "abalone", "spambase"]


def measure(many_rows, X, y, X_new, y_new):
    """Return processor seconds, the least loss and the accuracy on new rows."""
    kernel_ridge.MANY_ROWS = many_rows
    start = time.process_time()
    clf = KernelRidgeClassifier(random_state=0).fit(X, y)
    seconds = time.process_time() - start
    return seconds, float(np.nanmin(clf.honest_losses_)), clf.score(X_new, y_new)


def main(names):
    searched = kernel_ridge.MANY_ROWS
    for name in names:
        data = load(name)
        train, test = data.splits[0]
        rows = data.X[train], data.y[train], data.X[test], data.y[test]
        ours, loss, accuracy = measure(searched, *rows)
        theirs, least, reference = measure(np.inf, *rows)
        line = {
            "benchmark": "krr_search",
            "set": name,
            "rows": len(train),
            "ratio": round(ours / theirs, 3),
            "excess_loss": round(loss / least - 1, 6),
            "accuracy": round(accuracy, 4),
            "accuracy_of_all_widths": round(reference, 4),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
