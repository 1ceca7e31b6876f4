"""Flipped labels found by `suspects()` beside cleanlab with five-fold cross-validation.

    KERNSEMBLE_DATA=folder python benchmarks/explain/suspects_vs_cleanlab.py ROWS.csv

cleanlab is needed by nothing else here (`pip install cleanlab`). Both sides use the same model with
the same seed: ours asks one fit, cleanlab gets the probabilities of `cross_val_predict` with five
folds. Precision and recall are of the rows that each side returns; `average_precision` is that
of the whole ranking by the probability of the label. Three seeds for each share of flipped labels,
each new label drawn evenly from the other classes. Cells that the file already holds are left out.
"""

import argparse
import csv
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
from cleanlab.filter import find_label_issues
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from kernsemble import KernelEnsembleClassifier

# The first three are among the sets that the library was designed on, the others are not.
SETS = [
    "breast-cancer-wisc-diag",
    "synthetic-control",
    "pima",
    "statlog-vehicle",
    "energy-y1",
    "tic-tac-toe",
]
SHARES = (0.05, 0.1, 0.2)
FIELDS = "dataset flipped seed method precision recall average_precision n_wrong seconds commit"


def flip(codes, share, seed):
    """Return the labels with a share of them changed, and which rows were changed."""
    rng = np.random.RandomState(seed)
    chosen = rng.choice(len(codes), round(share * len(codes)), replace=False)
    n_classes = codes.max() + 1
    noisy = codes.copy()
    noisy[chosen] = (codes[chosen] + rng.randint(1, n_classes, len(chosen))) % n_classes
    changed = np.zeros(len(codes), dtype=bool)
    changed[chosen] = True
    return noisy, changed


def ours(X, codes):
    clf = KernelEnsembleClassifier(random_state=0).fit(X, codes)
    found = clf.suspects()
    P, _ = clf._honest_probabilities()
    return found.rows, P, found.n_wrong


def theirs(X, codes):
    clf = KernelEnsembleClassifier(random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    P = cross_val_predict(clf, X, codes, cv=folds, method="predict_proba")
    rows = find_label_issues(codes, P, return_indices_ranked_by="self_confidence", n_jobs=1)
    return rows, P, len(rows)


def measure(find, X, codes, changed):
    start = time.process_time()
    rows, P, n_wrong = find(X, codes)
    seconds = time.process_time() - start
    hits = changed[rows].sum()
    doubt = 1.0 - P[np.arange(len(codes)), codes]
    return {
        "precision": round(float(hits / max(1, len(rows))), 4),
        "recall": round(float(hits / changed.sum()), 4),
        "average_precision": round(float(average_precision_score(changed, doubt)), 4),
        "n_wrong": round(float(n_wrong / changed.sum()), 4),
        "seconds": round(seconds, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path)
    path = parser.parse_args().rows
    folder = Path(os.environ["KERNSEMBLE_DATA"]) / "jmlr121"
    commit = subprocess.run(
        ["git", "rev-parse", "--short=9", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    done = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=FIELDS.split())
    known = set(map(tuple, done[["dataset", "flipped", "seed", "method"]].to_numpy().tolist()))
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS.split())
        if not known:
            writer.writeheader()
        for seed in range(3):
            for name in SETS:
                table = pd.read_csv(folder / f"{name}.csv.gz")
                X, y = table.iloc[:, :-1].to_numpy(float), table["target"]
                codes = pd.factorize(y, sort=True)[0]
                for share in SHARES:
                    noisy, changed = flip(codes, share, seed)
                    for method, find in (("suspects", ours), ("cleanlab", theirs)):
                        cell = (name, share, seed, method)
                        if cell in known:
                            continue
                        found = measure(find, X, noisy, changed)
                        key = dict(zip(("dataset", "flipped", "seed", "method"), cell))
                        writer.writerow({**key, **found, "commit": commit})
                        file.flush()


if __name__ == "__main__":
    main()
