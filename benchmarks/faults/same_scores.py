"""Do all classifiers still give the scores they gave at another commit?

    python benchmarks/faults/same_scores.py record scores.npz   # at the commit before
    python benchmarks/faults/same_scores.py compare scores.npz  # after the change

Fits every exported classifier on fixed data with fixed seeds: two and three classes, weights,
sparse rows, options away from their defaults, chunks of rows and `partial_fit`. Prints one line per
case that differs by more than 1e-10 and one JSON line; the exit code is 1 when there is one.
A parameter or value that has another name at the other commit is listed under both names; the first
set of parameters that the class takes is used.
"""

import argparse
import inspect
import json
import sys
import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import kernsemble
from kernsemble.kernels import RBF, Laplacian, MedianGrid
from kernsemble.tables import RowChunks

TOLERANCE = 1e-10
QUICK = {"n_estimators": 7}

# Class → sets of parameters; in a list of dicts the first one that the constructor takes is used.
OPTIONS = {
    "RVFLClassifier": [
        {"alpha": 0.1, "weight_scale": 0.5, "activation": "relu"},
        [
            {"fit_intercept": False, "direct_links": False},
            {"output_bias": False, "direct_links": False},
        ],
    ],
    "RVFLEnsembleClassifier": [
        {"n_estimators": 30, "perturbation": "symmetric", "combine": "vote"},
        {"n_estimators": 120},
    ],
    "KernelRidgeClassifier": [
        {"n_landmarks": 40, "landmarks": "stratified"},
        {"alpha": [0.1, 1.0], "fit_intercept": False},
        [{"kernels": [RBF(0.1), Laplacian(0.2)]}, {"kernel": [RBF(0.1), Laplacian(0.2)]}],
    ],
    "CoKRRClassifier": [
        [
            {"views": [MedianGrid("rbf"), MedianGrid("laplacian")], "combine": "mean"},
            {"views": [MedianGrid("rbf"), MedianGrid("laplacian")], "combine": "avg"},
        ],
        {"n_landmarks": 30, "n_views": 3, "coupling": 1.0},
    ],
    "LandmarkRidgeClassifier": [
        {"combine": "weighted", "landmarks": "stratified", "n_landmarks": 30},
        {"combine": "stacked", "n_landmarks": 0.3},
    ],
    "KMHKSClassifier": [
        [{"multi_class": "ovr", "algorithm": "newton"}],
    ],
    "MultiKMHKSClassifier": [{"multi_class": "ovr", "coupling": 0.3}],
    "MEKLDLPClassifier": [{"gamma": 2.0, "beta": 1.0}],
    "MEKLLPCClassifier": [{"multi_class": "ovr"}],
    "RPEMEKLClassifier": [
        {"n_landmarks": "auto", "alpha": "auto", "coupling": "auto"},
        {"combine": "vote", "multi_class": "ovr", "n_landmarks": 0.3},
    ],
    "MRSKLClassifier": [
        [
            {"combine": "nnls", "prune": 0.1, "n_estimators": 40},
            {"combiner": "nnls", "prune": 0.1, "n_estimators": 40},
        ],
        {"member": "svm", "level_one": "in_sample", "n_estimators": 30, "subset": "random"},
        {"n_candidates": 3, "level_one": "in_sample", "subset": "pair", "n_estimators": 20},
    ],
    "MPRaFClassifier": [
        {"oob_score": True, "combine": "vote"},
        {"regularization": "tikhonov", "max_features": None},
    ],
    "MPRRoFClassifier": [{"regularization": "nullspace", "bootstrap": True, "oob_score": True}],
    "RotationForestClassifier": [{"max_depth": 3}],
    "ObliqueTreeClassifier": [{"max_depth": 4}],
    "KernelPCAEnsembleClassifier": [
        [
            {"kernels": "rbf*poly", "estimator": "nearest", "rule": "paper"},
            {"kernel": "rbf*poly", "estimator": "nearest", "rule": "paper"},
        ],
        {"n_components": "auto", "combine": "mean", "max_exact": 50, "n_landmarks": 30},
    ],
    "KernelEnsembleClassifier": [
        {},
        {"members": ["gaussian", DecisionTreeClassifier(max_depth=3)]},
    ],
    "SimpleMKLClassifier": [
        {"shared_weights": False},
        {"multi_class": "ovr", "normalize": "variance"},
    ],
    "GroupLassoMKLClassifier": [{"multi_class": "ovr"}],
    "EasyMKLClassifier": [{"class_weight": {0: 1.0, 1: 3.0, 2: 1.0}}],
    "UFOMKLClassifier": [{"n_epochs": 2}],
    "KernelFDAClassifier": [{"class_weight": {0: 1.0, 1: 3.0, 2: 1.0}}, {"penalty": "coefs"}],
    "MKDAClassifier": [{"shared_weights": False}],
    "AlignmentMKLClassifier": [{"method": "align"}],
}


def make_data(n_classes, seed=0):
    X, y = make_classification(
        260,
        9,
        n_informative=5,
        n_classes=n_classes,
        n_clusters_per_class=1,
        class_sep=0.8,
        random_state=seed,
    )
    X = StandardScaler().fit_transform(X)
    return X[:160], y[:160], X[160:]


def variants(name):
    """Yield a label and the parameters of every setting of a class."""
    yield "defaults", {}
    for number, choice in enumerate(OPTIONS.get(name, [])):
        choices = choice if isinstance(choice, list) else [choice]
        yield f"options {number}", next(c for c in choices if takes(name, c))


def takes(name, params):
    """Whether a class takes these parameters and their values."""
    cls = getattr(kernsemble, name)
    if not all(param in inspect.signature(cls).parameters for param in params):
        return False
    X, y, _ = make_data(3)
    try:
        build(name, params).fit(X, y)
    except ValueError:
        return False
    return True


def build(name, params):
    cls = getattr(kernsemble, name)
    known = inspect.signature(cls).parameters
    settings = {**QUICK, "random_state": 0, **params}
    return cls(**{key: value for key, value in settings.items() if key in known})


def answers(clf, new):
    """Return the scores and the probabilities of new rows."""
    return {
        "scores": clf.decision_function(new).reshape(len(new), -1),
        "probabilities": clf.predict_proba(new),
    }


def record():
    """Return case → scores, and case → probabilities."""
    found = {}

    def keep(case, clf, new):
        for kind, values in answers(clf, new).items():
            found[f"{case}, {kind}"] = values

    for name in sorted(kernsemble.__all__):
        cls = getattr(kernsemble, name)
        if not name.endswith("Classifier"):
            continue
        for label, params in variants(name):
            for n_classes in (2, 3):
                if "class_weight" in params and n_classes == 2:
                    params = {**params, "class_weight": {0: 1.0, 1: 3.0}}
                X, y, new = make_data(n_classes)
                case = f"{name}, {label}, {n_classes} classes"
                keep(case, build(name, params).fit(X, y), new)
                weights = np.random.RandomState(1).randint(0, 3, len(y)).astype(float)
                try:
                    keep(f"{case}, weights", build(name, params).fit(X, y, weights), new)
                except (TypeError, ValueError):
                    # Not every estimator on kernel-PCA views takes weights.
                    continue
        X, y, new = make_data(3)
        if "class_weight" in inspect.signature(cls).parameters:
            keep(f"{name}, balanced", build(name, {"class_weight": "balanced"}).fit(X, y), new)
        thinned = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0))
        for label, given in {"sparse": (thinned, y), "chunks": (RowChunks(X, y, size=37),)}.items():
            try:
                clf = build(name, {}).fit(*given)
            except (TypeError, ValueError):
                continue
            keep(f"{name}, {label}", clf, new)
        if hasattr(cls, "partial_fit"):
            clf = build(name, {})
            for rows in (slice(0, 60), slice(60, 160)):
                clf.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
            keep(f"{name}, partial_fit", clf, new)
    return found


def compare(old, new):
    """Return the largest difference of every case that both sides have."""
    found = {}
    for case in sorted({*old} & {*new}):
        same_shape = old[case].shape == new[case].shape
        found[case] = float(np.abs(old[case] - new[case]).max()) if same_shape else np.inf
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("path")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        now = record()
    if options.action == "record":
        np.savez_compressed(options.path, **now)
        print(json.dumps({"cases": len(now)}))
        return 0
    old = dict(np.load(options.path))
    differences = compare(old, now)
    for case, difference in differences.items():
        if difference > TOLERANCE:
            print(f"{difference:.3g}  {case}")
    summary = {"cases": len(differences), "only before": sorted({*old} - {*now})}
    for kind in ("scores", "probabilities"):
        found = [value for case, value in differences.items() if case.endswith(kind)]
        summary[f"largest difference of {kind}"] = max(found)
        summary[f"{kind} above {TOLERANCE:g}"] = sum(value > TOLERANCE for value in found)
    print(json.dumps(summary))
    return int(bool({*old} - {*now}) or max(differences.values()) > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
