"""Kernel learners at their defaults and with the papers' settings, beside others and a tuned SVC.

KERNSEMBLE_DATA=folder python benchmarks/speed/kernel_learner_defaults.py results.jsonl [set ...]

For every set, the first two published splits: accuracy, log-loss, processor seconds of the default
fit, and its cost relative to a fit with the strength and the kernels that it chose. Results are
added to the file and not computed again; the means of all results are printed as one JSON line for
each method.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

import kernsemble
from kernsemble.datasets import load

LEARNERS = ["AlignmentMKL", "AverageMKL", "EasyMKL", "GroupLassoMKL", "KernelFDA", "MKDA"]
LEARNERS += ["SILPMKL", "SVM2K", "SimpleMKL", "UFOMKL"]
OTHERS = ["SVC", "KernelRidge", "RVFL", "RVFLEnsemble", "EdRVFL", "LandmarkRidge"]
N_SPLITS = 2
COSTS, GAMMAS = 4.0 ** np.arange(-1, 6), 4.0 ** np.arange(-3, 3)


def tuned_svc(X, y):
    gammas = GAMMAS / (2 * X.shape[1] * X.var())
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return GridSearchCV(SVC(), {"C": COSTS, "gamma": gammas}, cv=folds).fit(X, y)


def timed(fit):
    start = time.process_time()
    return fit(), time.process_time() - start


def with_choices(name, fitted, X, y):
    """Return processor seconds of a fit with the strength and the kernels that were chosen."""
    params = {fitted._strength: getattr(fitted, f"{fitted._strength}_")}
    params |= (
        {"kernel": fitted.kernels_[0]} if name == "KernelFDA" else {"kernels": fitted.kernels_}
    )
    given = getattr(kernsemble, f"{name}Classifier")(random_state=0, normalize=None, **params)
    return timed(lambda: given.fit(X, y))[1]


def measure(name, preset, X, y, X_new, y_new):
    """Return one result as a dict."""
    if name == "SVC":
        clf, seconds = timed(lambda: tuned_svc(X, y))
        return {"accuracy": clf.score(X_new, y_new), "seconds": seconds}
    make = getattr(kernsemble, f"{name}Classifier")
    clf, seconds = timed(lambda: make(preset=preset, random_state=0).fit(X, y))
    P = clf.predict_proba(X_new)
    found = {
        "accuracy": clf.score(X_new, y_new),
        "log_loss": log_loss(y_new, P, labels=clf.classes_),
        "seconds": seconds,
    }
    if name in LEARNERS and preset == "auto":
        found["cost"] = seconds / with_choices(name, clf, X, y)
    return found


def run(path, names):
    known = read(path)
    methods = [(name, "auto") for name in OTHERS]
    methods += [(name, preset) for preset in ("auto", "paper") for name in LEARNERS]
    for dataset in names:
        data = load(dataset)
        for split, (train, test) in enumerate(data.splits[:N_SPLITS]):
            rows = data.X[train], data.y[train], data.X[test], data.y[test]
            for name, preset in methods:
                key = [dataset, split, name, preset]
                if key in [result["key"] for result in known]:
                    continue
                known.append({"key": key, **measure(name, preset, *rows)})
                with path.open("a") as file:
                    file.write(json.dumps(known[-1]) + "\n")


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def report(results):
    """Print the means over the sets that every method has."""
    methods = sorted({tuple(result["key"][2:]) for result in results})
    cells = {m: {tuple(r["key"][:2]) for r in results if tuple(r["key"][2:]) == m} for m in methods}
    common = set.intersection(*cells.values())
    for name, preset in methods:
        own = [
            r for r in results if r["key"][2:] == [name, preset] and tuple(r["key"][:2]) in common
        ]
        line = {"method": name, "preset": preset, "sets": len({cell[0] for cell in common})}
        for measured in ("accuracy", "log_loss", "seconds", "cost"):
            if measured in own[0]:
                line[measured] = round(float(np.mean([r[measured] for r in own])), 4)
        print(json.dumps(line))


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    ledger = Path(sys.argv[1])
    run(ledger, sys.argv[2:])
    report(read(ledger))
