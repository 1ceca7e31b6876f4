"""Which scores should the kernel weights be fitted to? Accuracies on the development sets.

    python benchmarks/mrskl_level_one.py docs/results/mrskl_level_one.jsonl

One JSON line per set, appended as it comes (sets that the file holds already are skipped), and the
means at the end. The sets are those that `development_sets.txt` in the data folder names; each
accuracy is the mean over the first two published splits, with 100 members.
"""

import itertools
import json
import sys
import warnings
from pathlib import Path

import numpy as np

from kernsemble import MRSKLClassifier
from kernsemble.datasets import load
from kernsemble.datasets.folder import find_folder

SETTINGS = {
    f"{combiner} {level_one}": {"combiner": combiner, "level_one": level_one}
    for combiner, level_one in itertools.product(
        ("linear_svm", "nnls"), ("out_of_subset", "in_sample")
    )
}


def accuracy(data, settings):
    hits = []
    for train, test in data.splits[:2]:
        clf = MRSKLClassifier(100, random_state=0, **settings)
        hits.append(clf.fit(data.X[train], data.y[train]).score(data.X[test], data.y[test]))
    return round(100 * float(np.mean(hits)), 2)


def main(path):
    warnings.simplefilter("ignore")
    path = Path(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {line["set"] for line in lines}
    for name in (find_folder() / "development_sets.txt").read_text().split():
        if name in known:
            continue
        data = load(f"jmlr121/{name}")
        lines.append({"set": name, **{key: accuracy(data, kw) for key, kw in SETTINGS.items()}})
        with path.open("a") as stream:
            stream.write(json.dumps(lines[-1]) + "\n")
    means = {key: round(float(np.mean([line[key] for line in lines])), 2) for key in SETTINGS}
    print(json.dumps({"benchmark": "mrskl_level_one", "sets": len(lines), **means}))


if __name__ == "__main__":
    main(*sys.argv[1:])
