"""MPRaF on rows with missing values against the same forest behind median imputation.

    python benchmarks/accuracy/forest_missing.py [--repeats 12] [--trees 100]

A tenth of the cells of `waveform` and `segment` is made missing, in training and in test rows:
`random` cells, or `by value`, half of the cells in the highest fifth of their column. Accuracy is
the mean over stratified five-fold cross-validations. `lost` is the accuracy that the forest loses
against complete rows, over what it loses behind median imputation; the target is at most 0.5.
`waveform_bound.py` tells what the best possible rule loses on waveform.
Sets come from the folder that KERNSEMBLE_DATA names. Prints one JSON line.
"""

import argparse
import json
import sys

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from kernsemble import MPRaFClassifier
from kernsemble.datasets import load

SETS = ("papers_raw/waveform", "papers_raw/segment")


def with_gaps(X, kind, rng):
    """Return a copy of X in which about a tenth of the cells is missing."""
    if kind == "random":
        gaps = rng.rand(*X.shape) < 0.1
    else:
        place = np.argsort(np.argsort(X, axis=0), axis=0) / (len(X) - 1)
        gaps = (rng.rand(*X.shape) < 0.5) & (place > 0.8)
    return np.where(gaps, np.nan, X)


def compare(X, y, kind, n_trees, repeats):
    """Return mean accuracies with complete rows, behind median imputation, and as they are."""
    found = []
    for seed in range(repeats):
        gappy = with_gaps(X, kind, np.random.RandomState(seed))
        forest = MPRaFClassifier(n_trees, random_state=seed)
        imputed = make_pipeline(SimpleImputer(strategy="median"), forest)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            found.append(
                [
                    model.fit(rows[train], y[train]).score(rows[test], y[test])
                    for model, rows in ((forest, X), (imputed, gappy), (forest, gappy))
                ]
            )
    return np.mean(found, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--trees", type=int, default=100)
    options = parser.parse_args()
    results = {}
    for name in SETS:
        data = load(name)
        X = data.X[:, np.ptp(data.X, axis=0) > 0]
        for kind in ("random", "by value"):
            complete, median, native = compare(X, data.y, kind, options.trees, options.repeats)
            results[f"{name} {kind}"] = {
                "complete": round(100 * complete, 2),
                "median": round(100 * median, 2),
                "native": round(100 * native, 2),
                "lost": round((complete - native) / (complete - median), 2),
            }
            print(name, kind, results[f"{name} {kind}"], file=sys.stderr, flush=True)
    line = {
        "benchmark": "forest_missing",
        "ratio": max(result["lost"] for result in results.values()),
        "target": "at most 0.5 of the accuracy that median imputation loses",
        "trees": options.trees,
        "repeats": options.repeats,
        "sets": results,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
