"""Test accuracy of kernel ridge tuned by leave-one-out and by 4-fold cross-validation.

    python benchmarks/krr_loo_accuracy.py

Every set of the folder papers_raw up to 2,500 rows, halves for training and testing, two random
splits. The rival is GridSearchCV(KernelRidge on one-hot targets, cv=4) with its default score,
whose choice is found here by one eigendecomposition per fold and width in place of twenty fits;
`check` compares the choices with GridSearchCV itself. Both sides have 25 widths and 20 ridges.
Results go to docs/results/krr_loo_accuracy.csv as they come. The data lie in KERNSEMBLE_DATA.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.datasets import load_wine
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import euclidean_distances, r2_score
from sklearn.model_selection import GridSearchCV, KFold, train_test_split

from kernsemble import KernelRidgeClassifier
from kernsemble.kernels import GammaGrid
from kernsemble.solvers.ridge_loo import dual_coefs
from kernsemble.solvers.ridge_spectrum import gram_spectrum

GAMMAS, RIDGES = 2.0 ** np.arange(-16, 9), 2.0 ** np.arange(-14, 6)
RESULTS = Path(__file__).parents[1] / "docs" / "results" / "krr_loo_accuracy.csv"


def standardise(train, test):
    """Fill gaps by the training means, drop constant columns and scale by the training rows."""
    mean, scale = np.nanmean(train, axis=0), np.nanstd(train, axis=0)
    kept = scale > 0
    return [
        np.nan_to_num((part[:, kept] - mean[kept]) / scale[kept], nan=0.0) for part in (train, test)
    ]


def choose_by_folds(X, T):
    """Return the gamma and the ridge that GridSearchCV(KernelRidge, cv=4) chooses."""
    D = euclidean_distances(X, squared=True)
    scores = np.zeros((len(RIDGES), len(GAMMAS)))
    for fit, check in KFold(4).split(X):
        for g, gamma in enumerate(GAMMAS):
            spectrum = gram_spectrum(np.exp(-gamma * D[np.ix_(fit, fit)]))
            across = np.exp(-gamma * D[np.ix_(check, fit)])
            for r, ridge in enumerate(RIDGES):
                S = across @ dual_coefs(spectrum, T[fit], ridge)
                scores[r, g] += r2_score(T[check], S) / 4
    r, g = np.unravel_index(scores.argmax(), scores.shape)
    return GAMMAS[g], RIDGES[r]


def check():
    X, y = load_wine(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    (X, _), T = standardise(X[order], X[order]), np.eye(3)[y[order]]
    grid = {"alpha": RIDGES, "gamma": GAMMAS}
    theirs = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=4).fit(X, T).best_params_
    assert (theirs["gamma"], theirs["alpha"]) == choose_by_folds(X, T), theirs


def compare(X, y, seed):
    """Return the test accuracies of both ways."""
    codes = np.unique(y, return_inverse=True)[1]
    X, X_test, y, y_test = train_test_split(X, codes, train_size=0.5, random_state=seed)
    X, X_test = standardise(X, X_test)
    ours = KernelRidgeClassifier(GammaGrid(), alpha=RIDGES).fit(X, y).score(X_test, y_test)
    T = np.eye(codes.max() + 1)[y]
    gamma, ridge = choose_by_folds(X, T)
    rival = KernelRidge(kernel="rbf", gamma=gamma, alpha=ridge).fit(X, T)
    return ours, np.mean(rival.predict(X_test).argmax(axis=1) == y_test)


def main():
    check()
    done = set(pd.read_csv(RESULTS)["set"]) if RESULTS.exists() else set()
    folder = Path(os.environ["KERNSEMBLE_DATA"]) / "papers_raw"
    tables = {path.name.removesuffix(".csv.gz"): path for path in folder.glob("*.csv.gz")}
    for name, path in sorted(tables.items(), key=lambda item: item[1].stat().st_size):
        if name in done or name.endswith(".parts"):
            continue
        table = pd.read_csv(path)
        if len(table) > 2500:
            continue
        X, y = table.iloc[:, :-1].to_numpy(float), table["target"].to_numpy()
        ours, theirs = np.mean([compare(X, y, seed) for seed in (0, 1)], axis=0)
        row = pd.DataFrame([(name, len(y), 100 * ours, 100 * theirs)])
        row.columns = ["set", "rows", "loo", "grid_search_cv"]
        row.round(3).to_csv(RESULTS, mode="a", header=not RESULTS.exists(), index=False)
        print(name, ours, theirs, file=sys.stderr, flush=True)
    found = pd.read_csv(RESULTS)
    line = {
        "benchmark": "krr_loo_accuracy",
        "sets": len(found),
        "loo": round(found["loo"].mean(), 3),
        "grid_search_cv": round(found["grid_search_cv"].mean(), 3),
        "wins": int((found["loo"] > found["grid_search_cv"]).sum()),
        "losses": int((found["loo"] < found["grid_search_cv"]).sum()),
        "wilcoxon_p": round(float(wilcoxon(found["loo"], found["grid_search_cv"]).pvalue), 3),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
