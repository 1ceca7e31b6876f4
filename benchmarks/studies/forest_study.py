"""MPRaF and MPRRoF under the protocol of the 121-set study, against its published table.

    cd docs/results
    python ../../benchmarks/forest_study.py run forest_rows.csv [--reverse] [--sets iris wine …]
    python ../../benchmarks/forest_study.py table forest_rows.csv oblique_forests.md

Needs the folder that KERNSEMBLE_DATA names, with the collections jmlr121 and jmlr121_fixed and the
published accuracies in results/. `run` appends a row per method, set and split as they come and
skips what the file already has, so it may be stopped and started again, or run twice at once with
one of the two in reverse order. The nine flawed sets and those above 5,000 rows are left out; a
set in two files is taken from jmlr121_fixed, where one scale serves both. MPRaF's number of
features per node is chosen on the published tuning halves, as in the paper; MPRRoF has no
parameter to choose. Both have 500 trees.
"""

import argparse
import csv
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

from kernsemble import MPRaFClassifier, MPRRoFClassifier
from kernsemble.datasets import FLAWED, list_datasets, load

MAX_ROWS = 5000
GRID = (2, 4, 6, 8)
FIELDS = ("method", "set", "split", "max_features", "accuracy", "seconds")
RIVALS = {
    "parRF_t": "parRF_caret",
    "rf_t": "rf_caret",
    "RotationForest_w": "RotationForest_weka",
}
METHODS = {
    "MPRaF": MPRaFClassifier(500, random_state=0),
    "MPRRoF": MPRRoFClassifier(500, random_state=0),
}


def study_sets():
    """Return the names of the sets, smallest first."""
    fixed = {entry.stem for entry in list_datasets(collection="jmlr121_fixed")}
    names = {}
    for entry in list_datasets(collection="jmlr121", flawed=False):
        if f"jmlr121/{entry.stem}" in FLAWED:
            continue
        dataset = load(f"jmlr121_fixed/{entry.stem}" if entry.stem in fixed else entry.name)
        if len(dataset.y) <= MAX_ROWS:
            names[entry.stem] = (dataset.X.size, dataset.name)
    return {stem: name for stem, (_, name) in sorted(names.items(), key=lambda item: item[1])}


def choose_max_features(classifier, dataset):
    """Return the number of features with the best accuracy on the second tuning half."""
    fit_on, choose_on = dataset.tuning
    candidates = sorted({min(value, dataset.X.shape[1]) for value in GRID})
    accuracies = []
    for max_features in candidates:
        tuned = clone(classifier).set_params(max_features=max_features)
        tuned.fit(dataset.X[fit_on], dataset.y[fit_on])
        accuracies.append(tuned.score(dataset.X[choose_on], dataset.y[choose_on]))
    return candidates[int(np.argmax(accuracies))]


def run_set(method, stem, dataset):
    """Yield a row for each published split."""
    classifier = clone(METHODS[method])
    start = time.process_time()
    if method == "MPRaF":
        # The halves are rows of the training file, which is on one scale there too.
        halves = load(f"jmlr121/{stem}")
        classifier.set_params(max_features=choose_max_features(classifier, halves))
    for split, (train, test) in enumerate(dataset.splits):
        classifier.fit(dataset.X[train], dataset.y[train])
        accuracy = classifier.score(dataset.X[test], dataset.y[test])
        seconds = time.process_time() - start
        yield method, stem, split, classifier.max_features, round(accuracy, 6), round(seconds, 2)
        start = time.process_time()


def run(path, stems, reverse):
    names = study_sets()
    order = [stem for stem in names if not stems or stem in stems]
    for stem in reversed(order) if reverse else order:
        dataset = load(names[stem])
        for method in METHODS:
            if (method, stem) in finished(path):
                continue
            rows = list(run_set(method, stem, dataset))
            new = not path.exists()
            with path.open("a", newline="") as file:
                writer = csv.writer(file)
                if new:
                    writer.writerow(FIELDS)
                writer.writerows(rows)


def finished(path):
    if not path.exists():
        return set()
    rows = pd.read_csv(path)
    return set(zip(rows["method"], rows["set"]))


def accuracies(path):
    """Return our mean accuracies and all published ones, in per cent, a line per set."""
    rows = pd.read_csv(path).drop_duplicates(["method", "set", "split"])
    ours = 100 * rows.pivot_table(index="set", columns="method", values="accuracy").dropna()
    folder = Path(os.environ["KERNSEMBLE_DATA"]) / "results"
    published = pd.read_csv(folder / "jmlr121_179_classifiers.csv", index_col="name")
    published = published.loc[ours.index]
    # Failed runs count as the set's mean over all classifiers, as in the paper.
    published = published.T.fillna(published.mean(axis=1)).T
    return ours, published


def summary(ours, published):
    """Return a line per method: mean accuracy, mean rank of five and of all, wins over parRF_t."""
    rivals = published[list(RIVALS.values())].set_axis(list(RIVALS), axis=1)
    five = ours.join(rivals)
    everybody = published.drop(columns=list(RIVALS.values())).join(five)
    lines = pd.DataFrame(
        {
            "mean accuracy": five.mean(),
            "mean rank of five": five.rank(axis=1, ascending=False).mean(),
            f"Friedman rank of {everybody.shape[1]}": everybody.rank(axis=1, ascending=False)
            .mean()
            .loc[five.columns],
            "wins / losses against parRF_t": [
                f"{(five[name] > five['parRF_t'] + 1e-9).sum()} / "
                f"{(five[name] < five['parRF_t'] - 1e-9).sum()}"
                for name in five.columns
            ],
        }
    )
    return lines.sort_values("mean rank of five")


def markdown(frame, decimals):
    header = "| | " + " | ".join(frame.columns) + " |"
    lines = [header, "|---" * (frame.shape[1] + 1) + "|"]
    for name, row in frame.iterrows():
        cells = [f"{v:.{decimals}f}" if isinstance(v, float) else str(v) for v in row]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table(path, target):
    ours, published = accuracies(path)
    listed = Path(os.environ["KERNSEMBLE_DATA"]) / "development_sets.txt"
    development = ours.index.isin(listed.read_text().split())
    parts = {
        f"All {len(ours)} sets": np.ones(len(ours), dtype=bool),
        f"The {development.sum()} development sets": development,
        f"The {(~development).sum()} other sets": ~development,
    }
    seconds = pd.read_csv(path).groupby("method")["seconds"].sum()
    text = [
        "# MPRaF and MPRRoF on the 121-set study",
        "Made here by\n\n    python ../../benchmarks/forest_study.py run forest_rows.csv\n"
        "    python ../../benchmarks/forest_study.py table forest_rows.csv oblique_forests.md\n",
        f"The protocol of the 121-set study on {len(ours)} of the {len(study_sets())} sets that "
        "have no flaw and at most 5,000 rows, smallest first; a set in two files is taken from "
        "jmlr121_fixed, where one scale serves both. Both forests have 500 trees; MPRaF's number "
        "of features per node is chosen on the published tuning halves, as in the paper; MPRRoF "
        "has no parameter to choose.",
        "The accuracies of parRF_t, rf_t and RotationForest_w are the published ones; so are those "
        "of the other classifiers in the Friedman rank of all. "
        + " ".join(
            f"{method} took {total:.0f} s of one core." for method, total in seconds.items()
        ),
    ]
    for title, kept in parts.items():
        text += [f"## {title}", markdown(summary(ours[kept], published[kept]), 2)]
    rivals = published[list(RIVALS.values())].set_axis(list(RIVALS), axis=1)
    text += ["## Accuracy by set (%)", markdown(ours.join(rivals), 1)]
    target.write_text("\n\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("rows", type=Path)
    runner.add_argument("--reverse", action="store_true")
    runner.add_argument("--sets", nargs="*", default=())
    writer = commands.add_parser("table")
    writer.add_argument("rows", type=Path)
    writer.add_argument("target", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "run":
        run(arguments.rows, arguments.sets, arguments.reverse)
    else:
        table(arguments.rows, arguments.target)


if __name__ == "__main__":
    main()
