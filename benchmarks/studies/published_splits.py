"""Are the published splits of the 121-set study easier than others? What other classifiers find.

    python benchmarks/published_splits.py [--splits 10]

Extra trees and nearest neighbours on the four published splits of the sets of the kernel-ensemble
study, and on stratified splits of our own: what they gain on the published ones is the splits' own,
and no estimate from the training rows can know of it. Writes docs/results/published_splits.md and
prints one JSON line. KERNSEMBLE_DATA names the folder of the sets.
"""

import argparse
import json

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from kernel_ensemble_report import SMALL, STRATIFIED_ROWS
from kernel_ensemble_study import parts_of, study_sets
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from study import RESULTS, markdown_table

METHODS = {
    "extra trees (100)": lambda: ExtraTreesClassifier(100, random_state=0),
    "3 nearest neighbours": lambda: KNeighborsClassifier(3),
}


def gains(data, n_splits):
    """Return by how many points each method is better on the published splits of a set."""
    published = [parts_of(data, split) for split in range(len(data.splits))]
    own = [parts_of(data, split, STRATIFIED_ROWS) for split in range(n_splits)]
    return [
        100 * (mean_accuracy(make, published) - mean_accuracy(make, own))
        for make in METHODS.values()
    ]


def mean_accuracy(make, splits):
    found = []
    for X, X_test, y, present, truth in splits:
        model = make_pipeline(SimpleImputer(keep_empty_features=True), make()).fit(X, y)
        found.append(np.mean(present[model.predict(X_test)] == truth))
    return np.mean(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10, help="of our own, for every set")
    arguments = parser.parse_args()
    sets = study_sets()
    found = Parallel(n_jobs=-1)(delayed(gains)(data, arguments.splits) for data in sets.values())
    table = pd.DataFrame(found, index=list(sets), columns=list(METHODS))
    small = np.array([len(data.y) <= SMALL for data in sets.values()])
    kinds = {
        f"all {len(sets)} sets": np.full(len(sets), True),
        f"{small.sum()} sets of up to {SMALL} rows": small,
        f"{(~small).sum()} sets of more rows": ~small,
    }
    lines = [
        [label] + [f"{part[m].mean():+.2f} ± {part[m].sem():.2f}" for m in METHODS]
        for label, part in ((label, table[chosen]) for label, chosen in kinds.items())
    ]
    (RESULTS / "published_splits.md").write_text(
        "# How easy the published splits are\n\n"
        "Points by which accuracy on the four published splits is above that on "
        f"{arguments.splits} stratified ones of our own, with standard errors over the sets:\n\n"
        f"    python benchmarks/published_splits.py --splits {arguments.splits}\n\n"
        + markdown_table(["", *METHODS], lines)
        + "\n"
    )
    ease = {method: round(float(table[method].mean()), 2) for method in METHODS}
    print(json.dumps({"benchmark": "published_splits", "sets": len(sets), "points": ease}))


if __name__ == "__main__":
    main()
