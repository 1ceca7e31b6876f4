"""Candidates for the defaults of a method, compared inside the training rows of development sets.

    python benchmarks/defaults/compare.py STUDY [--sets N] [--max-rows N] [--draws N] [--only END]

prints mean accuracy, mean log-loss and processor seconds of every candidate over the development
sets of up to 2,500 rows, smallest first; `--rows FILE` keeps what every set and draw gave. Only the
training rows of the first published split are used: three quarters of them are fitted, the others
scored, for as many draws of the quarters as `--draws` says. Needs KERNSEMBLE_DATA.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from forest_relatives import DoubleForest, GradientForest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernsemble as ks
from kernsemble.datasets import load
from kernsemble.fitting.kernel_learner import KernelLearner
from kernsemble.fitting.midpoint import MidpointKernelLearner
from kernsemble.kernels import MedianGrid, MedianScale
from kernsemble.strengths import SCALES, STRENGTHS

MAX_ROWS = 2500
SVC_GRID = {"svc__C": [0.5, 2, 8, 32, 128, 512], "svc__gamma": [2.0**e for e in range(-11, 3, 2)]}


def rivals():
    svc = make_pipeline(StandardScaler(), SVC())
    return {
        "SVC, grid inside": GridSearchCV(svc, SVC_GRID, cv=3),
        "KernelRidge": ks.KernelRidgeClassifier(random_state=0),
    }


def ho_kashyap():
    return {
        **{
            f"{cls.__name__} {name}": cls(random_state=0, **params)
            for cls in (
                ks.KMHKSClassifier,
                ks.MultiKMHKSClassifier,
                ks.RPEMEKLClassifier,
                ks.MEKLLPCClassifier,
                ks.MEKLDLPClassifier,
            )
            for name, params in {
                "auto": {},
                "auto, one-vs-one": {"multi_class": "ovo"},
                "paper": {"preset": "paper"},
            }.items()
        },
    }


def mrskl():
    variants = {
        "as it is": {},
        "paper": {"preset": "paper"},
        "ridge": {"combine": "ridge"},
        "nnls": {"combine": "nnls"},
        "ridge, 100 rows": {"combine": "ridge", "subset_size": 0.5},
        "ridge, wider": {"combine": "ridge", "gamma_range": "auto"},
    }
    return {
        f"MRSKL {name}": ks.MRSKLClassifier(random_state=0, **p) for name, p in variants.items()
    }


class LeastHonestLoss(ClassifierMixin, BaseEstimator):
    """The one of several classifiers with the least honest log-loss."""

    def __init__(self, classifiers):
        self.classifiers = classifiers

    def fit(self, X, y):
        fitted = [clone(classifier).fit(X, y) for classifier in self.classifiers]
        self.best_ = min(fitted, key=lambda classifier: classifier.honest_log_loss_)
        self.classes_ = self.best_.classes_
        return self

    def predict(self, X):
        return self.best_.predict(X)

    def predict_proba(self, X):
        return self.best_.predict_proba(X)


def mrskl_sizes():
    sizes = {"a tenth": 0.1, "a fifth": 0.2, "three tenths": "auto", "half": 0.5}
    single = {
        f"MRSKL, {name} of the rows": ks.MRSKLClassifier(random_state=0, subset_size=size)
        for name, size in sizes.items()
    }
    return {**single, "MRSKL, size of least honest loss": LeastHonestLoss([*single.values()])}


def kernel_pca():
    variants = {"as it is": {}, "paper": {"preset": "paper"}}
    return {
        f"KernelPCA {name}": ks.KernelPCAEnsembleClassifier(random_state=0, **p)
        for name, p in variants.items()
    }


def kernel_learners():
    classes = [ks.AverageMKLClassifier, ks.SimpleMKLClassifier, ks.EasyMKLClassifier]
    classes += [ks.MKDAClassifier, ks.KernelFDAClassifier]
    variants = {
        "as it is": {},
        "one-vs-one": {"multi_class": "ovo"},
        "trace": {"normalize": "trace"},
        "variance": {"normalize": "variance"},
        "paper": {"preset": "paper"},
    }
    return {
        f"{cls.__name__} {name}": cls(random_state=0, **params)
        for cls in classes
        for name, params in variants.items()
    }


def landmark_ridge():
    variants = {
        "as it is": {},
        "half of the rows": {"n_landmarks": 0.5},
        "kernels around the median distance": {"kernels": MedianScale()},
        "alpha 0.01": {"alpha": 0.01},
        "paper": {"preset": "paper"},
    }
    return {
        f"LandmarkRidge {name}": ks.LandmarkRidgeClassifier(random_state=0, **params)
        for name, params in variants.items()
    }


def forest_relatives():
    draws = {"random_state": 0}
    forests = {
        "MPRaF": ks.MPRaFClassifier(**draws),
        "MPRRoF": ks.MPRRoFClassifier(**draws),
        "RotationForest": ks.RotationForestClassifier(**draws),
    }
    rotated = {name: forest for name, forest in forests.items() if name != "MPRaF"}
    return {
        **forests,
        "MPRaF, all rows": ks.MPRaFClassifier(bootstrap=False, **draws),
        **{f"{name}, double": DoubleForest(forests[name]) for name in ("MPRaF", "MPRRoF")},
        **{f"{name}, gradients": GradientForest(forest) for name, forest in rotated.items()},
        **{
            f"{name}, gradients of all features": GradientForest(forest, whole=True)
            for name, forest in rotated.items()
        },
    }


def searches():
    """Return the defaults that try a few candidates, beside searches of all candidates."""
    every = {"kernels": MedianGrid(high=6)}
    couplings = {"coupling": np.concatenate([[0.0], 4.0 * STRENGTHS])}
    whole = {
        ks.KernelRidgeClassifier: every,
        ks.CoKRRClassifier: {**every, **couplings},
        ks.RVFLClassifier: {"weight_scale": SCALES},
        ks.EdRVFLClassifier: {"weight_scale": SCALES},
    }
    return {
        f"{cls.__name__} {name}": cls(random_state=0, **params)
        for cls, all_candidates in whole.items()
        for name, params in {"as it is": {}, "all candidates": all_candidates}.items()
    }


def widths():
    """Return grids of widths that end at the same wide kernel and at narrower and narrower ones."""
    return {
        f"KernelRidge, widths up to 2^{high}": ks.KernelRidgeClassifier(
            MedianGrid(high=high), random_state=0
        )
        for high in (4, 5, 6, 7)
    }


class LowerKernelFDA(ks.KernelFDAClassifier):
    _strengths = (*ks.KernelFDAClassifier._strengths, 1e-6, 1e-7)


class LowerMKDA(ks.MKDAClassifier):
    _strengths = (*ks.MKDAClassifier._strengths, 1e-6, 1e-7)


class LowerEasyMKL(ks.EasyMKLClassifier):
    _strengths = (*ks.EasyMKLClassifier._strengths, 2e-3, 5e-4)


def midpoint():
    """Return the learners with a threshold midway, and what else they could choose."""
    lower = {
        ks.KernelFDAClassifier: LowerKernelFDA,
        ks.MKDAClassifier: LowerMKDA,
        ks.EasyMKLClassifier: LowerEasyMKL,
    }
    return {
        f"{cls.__name__} {name}": classifier
        for cls, with_lower in lower.items()
        for name, classifier in {
            "as it is": cls(random_state=0),
            "lower strengths": with_lower(random_state=0),
            "one-vs-one": cls(random_state=0, multi_class="ovo"),
        }.items()
    }


def with_factors(cls, value):
    """Return a kernel learner whose classes have factors of their own beside a bias, or not."""

    class Changed(cls):
        _has_class_factors = value

        def _lines(self, S, codes, weights):
            # Without factors, only learners with a threshold midway have a bias.
            if not value and not issubclass(cls, MidpointKernelLearner):
                return np.ones(1), np.zeros(1)
            return super()._lines(S, codes, weights)

    return Changed


def lines():
    """Return the kernel learners with and without a line for the scores of each class."""
    classes = [getattr(ks, name) for name in ks.__all__ if name.endswith("Classifier")]
    return {
        f"{cls.__name__} {name}": with_factors(cls, value)(random_state=0)
        for cls in classes
        if issubclass(cls, KernelLearner)
        for name, value in {"with lines": True, "without lines": False}.items()
    }


STUDIES = {
    "lines": lines,
    "midpoint": midpoint,
    "widths": widths,
    "searches": searches,
    "rivals": rivals,
    "ho_kashyap": ho_kashyap,
    "mrskl": mrskl,
    "mrskl_sizes": mrskl_sizes,
    "kernel_pca": kernel_pca,
    "kernel_learners": kernel_learners,
    "landmark_ridge": landmark_ridge,
    "forest_relatives": forest_relatives,
}


def development_sets(max_rows):
    """Return the names of the development sets, smallest first."""
    folder = Path(os.environ["KERNSEMBLE_DATA"])
    names = (folder / "development_sets.txt").read_text().split()
    sets = {name: load(f"jmlr121/{name}") for name in names}
    kept = {name: data for name, data in sets.items() if len(data.y) <= max_rows}
    return dict(sorted(kept.items(), key=lambda item: item[1].X.size))


def measure(classifier, data, draw):
    """Return accuracy, log-loss and processor seconds inside the training rows of split 0."""
    train = data.splits[0][0]
    X, y = data.X[train], data.y[train]
    counts = dict(zip(*np.unique(y, return_counts=True)))
    strata = y if min(counts.values()) > 1 else None
    fit, new = train_test_split(
        np.arange(len(y)), test_size=0.25, stratify=strata, random_state=draw
    )
    start = time.process_time()
    classifier.fit(X[fit], y[fit])
    seconds = time.process_time() - start
    accuracy, loss = classifier.score(X[new], y[new]), np.nan
    if hasattr(classifier, "predict_proba"):
        known = np.isin(y[new], classifier.classes_)
        P = np.clip(classifier.predict_proba(X[new][known]), 1e-15, 1.0)
        loss = log_loss(y[new][known], P, labels=classifier.classes_)
    return accuracy, loss, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--sets", type=int, default=None, help="only the first so many sets")
    parser.add_argument("--max-rows", type=int, default=MAX_ROWS)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--only", default="", help="candidates whose name ends with this")
    parser.add_argument("--rows", type=Path, default=None, help="CSV file of every set and draw")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = list(development_sets(options.max_rows).items())[: options.sets]
    kept = []
    for name, classifier in STUDIES[options.study]().items():
        if not name.endswith(options.only):
            continue
        draws = range(options.draws)
        found = [[measure(classifier, data, draw) for draw in draws] for _, data in sets]
        kept += [
            (dataset, name, options.study, draw, 0, *numbers)
            for (dataset, _), of_set in zip(sets, found)
            for draw, numbers in enumerate(of_set)
        ]
        found = np.mean(found, axis=1)
        accuracy, loss, seconds = found.T
        print(
            json.dumps(
                {
                    "candidate": name,
                    "sets": len(sets),
                    "accuracy": round(100 * accuracy.mean(), 2),
                    "log_loss": round(loss.mean(), 4),
                    "seconds": round(seconds.sum(), 2),
                    "each": [round(100 * value, 1) for value in accuracy],
                }
            ),
            flush=True,
        )
    if options.rows is not None:
        columns = ["dataset", "method", "protocol", "split", "seed"]
        table = pd.DataFrame(kept, columns=[*columns, "accuracy", "log_loss", "cpu_seconds"])
        table.round(6).to_csv(options.rows, index=False)


if __name__ == "__main__":
    main()
