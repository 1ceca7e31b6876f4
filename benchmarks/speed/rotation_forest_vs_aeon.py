"""Our rotation forest against aeon's at equal numbers of trees, one thread each.

    python -m venv aeon-environment
    aeon-environment/bin/pip install aeon .
    aeon-environment/bin/python benchmarks/speed/rotation_forest_vs_aeon.py [--trees 50]

aeon is needed by nothing else here, so it has an environment of its own. The ratio is our
processor time over aeon's, the largest over three sets; target 0.5. Accuracies are of the half of
the rows that is not fitted.
"""

import argparse
import json
import time

import numpy as np
from aeon.classification.sklearn import RotationForestClassifier as AeonRotationForest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split

from kernsemble import RotationForestClassifier
from kernsemble.datasets import make_waveform

# Both grow unpruned trees on all rows.
PUBLISHED = {"bootstrap": False, "min_samples_split": 2}


def timed(forest, X, y):
    """Fit on half of the rows; return the processor times of fit and predict, and the accuracy."""
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    start = time.process_time()
    forest.fit(train, y_train)
    fitted = time.process_time()
    accuracy = np.mean(forest.predict(test) == y_test)
    return fitted - start, time.process_time() - fitted, round(float(accuracy), 4)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trees", type=int, default=50)
    n_trees = parser.parse_args().trees
    sets = {
        "waveform": make_waveform(3000, random_state=0),
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
    }
    RotationForestClassifier(2).fit(np.eye(8), np.arange(8) % 2).predict(np.eye(8))
    results = {}
    for name, (X, y) in sets.items():
        ours = timed(RotationForestClassifier(n_trees, **PUBLISHED, random_state=0), X, y)
        theirs = timed(AeonRotationForest(n_estimators=n_trees, random_state=0), X, y)
        results[name] = {
            "fit": round(ours[0] / theirs[0], 3),
            "predict": round(ours[1] / theirs[1], 3),
            "ours_s": round(ours[0], 2),
            "theirs_s": round(theirs[0], 2),
            "accuracy": ours[2],
            "aeon_accuracy": theirs[2],
        }
    line = {
        "benchmark": "rotation_forest_vs_aeon",
        "ratio": max(result["fit"] for result in results.values()),
        "target": "largest fit ratio at most 0.5",
        "trees": n_trees,
        "sets": results,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
