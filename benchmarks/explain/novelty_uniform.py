"""p-values of `novelty` on held-out rows: their distance to uniform, and rows from elsewhere.

    KERNSEMBLE_DATA=folder python benchmarks/explain/novelty_uniform.py

Half of the rows of each set are fitted, the other half is asked about. `distance` is the
Kolmogorov-Smirnov distance of their p-values to the uniform distribution (target: below 0.05, and
`noise` is what exactly uniform p-values of as many rows exceed in one case of twenty). `mixed` are
the same held-out rows with every column shuffled on its own, so that each value is usual but their
combination is not: `found` is the share of them with a p-value of at most 0.05, beside that of
scikit-learn's isolation forest at the same share of false alarms.
"""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kstest, kstwobign
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import train_test_split

from kernsemble import RVFLClassifier

SETS = [
    "abalone",
    "letter",
    "magic",
    "optical",
    "page-blocks",
    "pendigits",
    "spambase",
    "statlog-landsat",
    "twonorm",
    "waveform-noise",
]
MAX_ROWS = 12_000


def measure(X, y):
    train, test, y_train, _ = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    clf = RVFLClassifier(random_state=0).fit(train, y_train)
    p = clf.novelty(test, training=train)
    rng = np.random.RandomState(0)
    mixed = np.column_stack([rng.permutation(column) for column in test.T])
    forest = IsolationForest(random_state=0).fit(train)
    cut = np.quantile(forest.score_samples(test), 0.05)
    return {
        "rows": len(train),
        "distance": round(float(kstest(p, "uniform").statistic), 4),
        # Both halves are samples: the one that is ranked, and the one it is ranked among.
        "noise": round(float(kstwobign.ppf(0.95) / np.sqrt(min(len(train), 4000) / 2)), 4),
        "found": round(float(np.mean(clf.novelty(mixed, training=train) <= 0.05)), 3),
        "isolation_forest": round(float(np.mean(forest.score_samples(mixed) <= cut)), 3),
    }


def main():
    folder = Path(os.environ["KERNSEMBLE_DATA"]) / "jmlr121"
    results = {}
    for name in SETS:
        table = pd.read_csv(folder / f"{name}.csv.gz")
        table = table.sample(min(MAX_ROWS, len(table)), random_state=0)
        results[name] = measure(table.iloc[:, :-1].to_numpy(float), table["target"])
    line = {
        "benchmark": "novelty_uniform",
        "largest_distance": max(result["distance"] for result in results.values()),
        "target": "largest distance below 0.05",
        "sets": results,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
