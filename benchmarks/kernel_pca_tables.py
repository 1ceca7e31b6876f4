"""Tables 5.2 to 5.9 of the kernel-PCA ensemble thesis, by stratified 10-fold cross-validation.

    python benchmarks/kernel_pca_tables.py run [--sets iris wine …] [--kernels rbf poly …]
    python benchmarks/kernel_pca_tables.py rivals [--sets …]
    python benchmarks/kernel_pca_tables.py report

Data are unscaled, as in the thesis, and parameters follow its rules. One kernel-PCA view serves the
four columns of a kernel (nearest neighbour or tree, 10 components or half of the features): the
columns differ in what looks at the coordinates and at how many of them. Accuracies go to
docs/results/kernel_pca_rows.csv as they come, smallest sets first; rows that are there are not
computed again. KERNSEMBLE_DATA names the folder of the sets.
"""

import argparse
import time

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from study import RESULTS, Ledger, markdown_table, read_set, write_section

from kernsemble import KernelPCAEnsembleClassifier
from kernsemble.benchmark.published import published_scores
from kernsemble.combine import vote
from kernsemble.ensembles.kernel_pca import KERNEL_NAMES
from kernsemble.members.projected import fit_classifier, seeded_clone

# Our names of the thesis's sets, smallest first. Its "diabetes" must be Pima, by its accuracies.
SETS = {
    "iris": "iris",
    "wine": "Wine",
    "university": "sat",
    "ecoli": "Ecoli",
    "liver-disorders": "liver-disorders",
    "ionosphere": "Ionosphere",
    "clean1": "Musk Version 1",
    "pima": "diabetes",
    "hill-valley": "Hill Valley without noise",
    "hill-valley-noise": "Hill Valley with noise",
    "website-phishing": "Website Phishing",
    "mfeat": "MultiFeat",
    "segment": "segment",
    "spambase": "spambase",
    "waveform": "Waveform without noise",
    "waveform-noise": "Waveform Generator with noise",
    "landsat": "Statlog Landsat Satellite",
    "musk2": "Musk Version 2",
    "isolet": "isolet",
}
LABELS = ("RBF", "Poly", "Sigmoid", "RBF + Poly", "RBF + Sigmoid", "RBF * Poly")
KERNELS = dict(zip(KERNEL_NAMES, LABELS))
RIVALS = {
    "Bagging": BaggingClassifier,
    "AdaBoost": AdaBoostClassifier,
    "Random Forest": RandomForestClassifier,
    "Gradient Boosting": GradientBoostingClassifier,
}
COLUMNS = {"NN (10d)": ("nearest", 10), "NN (0.5d)": ("nearest", 0.5), "DT (10d)": (None, 10)}
COLUMNS["DT (0.5d)"] = (None, 0.5)
FIELDS = ("set", "fold", "method", "accuracy", "seconds")
PAGE, TITLE = RESULTS / "kernel_pca.md", "The kernel-PCA ensemble"


def folds(name):
    """Yield the number, the training rows and the test rows of each fold, holes filled."""
    X, y = read_set(name)
    splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    for number, (train, test) in enumerate(splitter.split(X, y)):
        fill = SimpleImputer().fit(X[train])
        yield number, fill.transform(X[train]), y[train], fill.transform(X[test]), y[test]


def run(names, kernels, ledger):
    for name in names:
        for number, X, y, X_test, y_test in folds(name):
            for kernel in kernels:
                methods = [f"{KERNELS[kernel]} {column}" for column in COLUMNS]
                if all(ledger.has(set=name, fold=number, method=m) for m in methods):
                    continue
                start = time.perf_counter()
                found = four_columns(kernel, number, X, y, X_test, y_test)
                seconds = round(time.perf_counter() - start, 2)
                for method, accuracy in zip(methods, found):
                    ledger.add(
                        set=name, fold=number, method=method, accuracy=accuracy, seconds=seconds
                    )


def four_columns(kernel, seed, X, y, X_test, y_test):
    """Return the accuracies of the four ensembles that share one kernel's views."""
    half = max(1, int(0.5 * X.shape[1]))
    ensemble = KernelPCAEnsembleClassifier(
        kernel=kernel, rule="paper", n_components=max(10, half), random_state=seed
    ).fit(X, y)
    codes = np.searchsorted(ensemble.classes_, y)
    views = [
        (member.feature_map.transform(X), member.feature_map.transform(X_test))
        for member in ensemble.estimators_
    ]
    accuracies = []
    for estimator, size in COLUMNS.values():
        width = half if size == 0.5 else size
        template = KernelPCAEnsembleClassifier(estimator=estimator)._classifiers()[0]
        rng = np.random.RandomState(seed)
        scores = []
        for Z, Z_test in views:
            classifier = fit_classifier(seeded_clone(template, rng), Z[:, :width], codes)
            scores.append(classifier.predict_proba(Z_test[:, :width]))
        winners = ensemble.classes_[vote(np.stack(scores)).argmax(axis=1)]
        accuracies.append(round(float(np.mean(winners == y_test)), 6))
    return accuracies


def run_rivals(names, ledger):
    for name in names:
        for number, X, y, X_test, y_test in folds(name):
            for method, make in RIVALS.items():
                if ledger.has(set=name, fold=number, method=method):
                    continue
                start = time.perf_counter()
                accuracy = make(random_state=number).fit(X, y).score(X_test, y_test)
                ledger.add(
                    set=name,
                    fold=number,
                    method=method,
                    accuracy=round(accuracy, 6),
                    seconds=round(time.perf_counter() - start, 2),
                )


def report(ledger):
    rows = pd.DataFrame(ledger.rows).astype({"accuracy": float})
    complete = rows.groupby(["set", "method"]).filter(lambda cell: len(cell) == 10)
    ours = complete.pivot_table(index="set", columns="method", values="accuracy")
    published = published_scores("001", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.9")
    published = published.rename(index={label: name for name, label in SETS.items()})
    for label in LABELS:
        columns = [f"{label} {column}" for column in COLUMNS]
        if set(columns) <= set(ours.columns):
            write_section(
                PAGE, f"{label} kernel", _kernel_section(ours, published, columns), page_title=TITLE
            )
    if {"RBF DT (10d)", *RIVALS} <= set(ours.columns):
        section = _rivals_section(ours[["RBF DT (10d)", *RIVALS]].dropna())
        write_section(PAGE, "Against other ensembles", section, page_title=TITLE)


def _kernel_section(ours, published, columns):
    names = [name for name in SETS if name in ours.index and ours.loc[name, columns].notna().all()]
    lines = [
        [name] + [f"{ours.loc[name, c]:.3f} ({published.loc[name, c]:.3f})" for c in columns]
        for name in names
    ]
    mine, theirs = ours.loc[names, columns].mean(), published.loc[names, columns].mean()
    lines.append(["**mean**"] + [f"**{mine[c]:.3f} ({theirs[c]:.3f})**" for c in columns])
    return (
        f"Mean accuracy over ten folds, in brackets as published; {len(names)} of {len(SETS)} sets."
        "\n\n    python benchmarks/kernel_pca_tables.py run\n\n"
        + markdown_table(["set", *columns], lines)
    )


def _rivals_section(table):
    ranks = np.apply_along_axis(rankdata, 1, -table.to_numpy())
    test = friedmanchisquare(*table.to_numpy().T)
    lines = [[name] + [f"{value:.3f}" for value in row] for name, row in table.iterrows()]
    lines.append(["**mean**"] + [f"**{value:.3f}**" for value in table.mean()])
    lines.append(["**mean rank**"] + [f"**{value:.2f}**" for value in ranks.mean(axis=0)])
    return (
        "Rivals at scikit-learn's defaults (Table 5.9). "
        f"Friedman chi² = {test.statistic:.2f}, p = {test.pvalue:.3g}.\n\n"
        "    python benchmarks/kernel_pca_tables.py rivals\n\n"
        + markdown_table(["set", *table.columns], lines)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "rivals", "report"])
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--kernels", nargs="*", default=list(KERNELS), choices=list(KERNELS))
    arguments = parser.parse_args()
    ledger = Ledger(RESULTS / "kernel_pca_rows.csv", FIELDS)
    if arguments.what == "run":
        run(arguments.sets, arguments.kernels, ledger)
    elif arguments.what == "rivals":
        run_rivals(arguments.sets, ledger)
    if ledger.rows:
        report(ledger)


if __name__ == "__main__":
    main()
