"""The multiple kernel learning columns of two published tables, on the raw sets.

    python benchmarks/mkl_tables.py run --table dlp        # SimpleMKL, GLMKL, EasyMKL
    python benchmarks/mkl_tables.py run --table rpemekl    # SVM-2K, MKDA, SILP-MKL
    python benchmarks/mkl_tables.py report                 # rewrites docs/results/mkl.md

Every line of docs/results/mkl_rows.csv is one method on one split of one set; lines that are there
are not computed again. KERNSEMBLE_DATA names the folder of the sets.

"dlp" is Table 4 of the MEKL-DLP paper: 5-fold cross-validation, RBF kernels with sigma² at
multiples of the mean squared distance. "rpemekl" is Table 2 of the RPEMEKL paper: 10 random splits.
Its figures are multiples of 1 / 105 on Ionosphere and 1 / 230 on Pima for MKDA, so that 30 % of the
rows were held out there, and of 1 / 105 on Glass for SVM-2K, half of the rows. Missing values are
replaced by the median and columns standardised, both from the training rows. Parameters are chosen
by 3-fold cross-validation on at most 500 rows of the training part.
"""

import argparse
import csv
import os
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    ParameterGrid,
    StratifiedKFold,
    StratifiedShuffleSplit,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernsemble import (
    EasyMKLClassifier,
    GroupLassoMKLClassifier,
    MKDAClassifier,
    SILPMKLClassifier,
    SimpleMKLClassifier,
    SVM2KClassifier,
)
from kernsemble.kernels import MeanDistance, MeanSquaredDistance, evaluate

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
ROWS, PAGE = RESULTS / "mkl_rows.csv", RESULTS / "mkl.md"
FIELDS = ["table", "method", "set", "split", "accuracy", "seconds", "chosen"]
TUNING_ROWS = 500
COSTS = [0.01, 0.1, 1.0, 10.0, 100.0]

# Published accuracies in %, as printed.
PUBLISHED = {
    "dlp": {
        "iris": (96.00, 96.67, 98.00),
        "liver-disorders": (72.17, 70.72, 66.67),
        "ionosphere": (95.43, 94.30, 91.72),
        "house-votes": (94.22, 94.03, 95.39),
        "bcw": (97.28, 96.99, 94.98),
        "mammographic": (56.71, 53.69, 56.82),
        "hill-valley": (51.73, 52.06, 53.05),
        "cmc": (54.58, 55.07, 50.92),
        "semeion": (95.05, 94.94, 86.44),
        "segment": (97.36, 97.45, 98.05),
    },
    "rpemekl": {
        "iris": (96.67, 96.22, 98.00),
        "wine": (80.00, 96.42, 95.29),
        "sonar": (58.06, 79.13, 85.63),
        "glass": (97.90, 93.69, 97.71),
        "ionosphere": (83.20, 63.81, 70.40),
        "house-votes": (87.24, 38.46, 94.29),
        "clean1": (55.54, 56.64, 89.49),
        "pima": (65.10, 65.22, 76.25),
        "arrhythmia": (55.76, 63.88, 64.86),
        "cmc": (47.06, 49.12, 29.37),
        "segment": (83.97, 97.07, 92.15),
        "waveform": (65.37, 74.57, 86.79),
        "page-blocks": (89.80, 85.74, 94.01),
    },
}
# Published figures that no honest run gives (see the notes): left out of the second mean.
SUSPECT = {
    "dlp": {"": ["mammographic", "hill-valley"]},
    "rpemekl": {
        "": ["glass"],
        "MKDA": ["house-votes", "ionosphere", "clean1", "pima"],
        "SILP-MKL": ["cmc"],
    },
}
COLUMNS = {"dlp": ["SimpleMKL", "GLMKL", "EasyMKL"], "rpemekl": ["SVM-2K", "MKDA", "SILP-MKL"]}
# Triples around a quarter of the mean squared distance, around all of it and around four times it.
TRIPLES = MeanSquaredDistance(tuple(2.0**e for e in (-4, -2, 0, 2, 4)))
THREE = {"members": [[0, 1, 2], [1, 2, 3], [2, 3, 4]]}
FIFTY = MeanSquaredDistance(tuple(np.logspace(-4, 4, 50, base=2.0)))
TEN = MeanSquaredDistance(tuple(np.logspace(-2, 2, 10)))
METHODS = {
    "SimpleMKL": (SimpleMKLClassifier, TRIPLES, {"C": COSTS, **THREE}),
    "GLMKL": (GroupLassoMKLClassifier, TRIPLES, {"C": COSTS, **THREE}),
    "EasyMKL": (EasyMKLClassifier, FIFTY, {"lam": [0.001, 0.01, 0.1, 0.5, 0.9]}),
    "SVM-2K": (
        SVM2KClassifier,
        MeanDistance(),
        {"C": [0.1, 1.0, 10.0], "coupling": [0.1, 1.0], "members": [[0, 1], [0, 2], [1, 2]]},
    ),
    "MKDA": (MKDAClassifier, TEN, {"alpha": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]}),
    "SILP-MKL": (SILPMKLClassifier, MeanDistance(), {"C": COSTS}),
}


def load(name):
    folder = Path(os.environ["KERNSEMBLE_DATA"]) / "papers_raw"
    table = pd.read_csv(folder / f"{name.removesuffix(' without Id')}.csv.gz")
    if name.endswith(" without Id"):
        table = table.drop(columns="Id")
    return table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


def splits(table, method, y):
    """Yield (train, test), the same for every method of equal test share."""
    if table == "dlp":
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        return list(folds.split(np.zeros(len(y)), y))
    share = 0.3 if method == "MKDA" else 0.5
    # Classes of one row cannot be stratified; they join the next one for the purpose.
    counts = pd.Series(y).map(pd.Series(y).value_counts()).to_numpy()
    strata = np.where(counts < 2, -1, y)
    if np.sum(strata == -1) == 1:
        strata[strata == -1] = pd.Series(y).mode()[0]
    return list(
        StratifiedShuffleSplit(10, test_size=share, random_state=0).split(np.zeros(len(y)), strata)
    )


def choose(cls, grid, stack, y):
    """Return the parameters of best 3-fold accuracy on rows 0, 1, ... of the Gram stack."""
    rows = np.arange(len(y))
    if len(rows) > TUNING_ROWS:
        rows, _ = train_test_split(rows, train_size=TUNING_ROWS, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(rows, y[rows]))
    best, chosen = -1.0, None
    for params in ParameterGrid(grid):
        scores = []
        for inner, held_out in folds:
            clf = make(cls, params, stack).fit(rows[inner, None], y[rows[inner]])
            scores.append(clf.score(rows[held_out, None], y[rows[held_out]]))
        if np.mean(scores) > best:
            best, chosen = np.mean(scores), params
    return chosen


def make(cls, params, stack):
    params = dict(params)
    members = params.pop("members", slice(None))
    return cls(stack[members], calibration_folds=0, random_state=0, **params)


def run_split(method, X, y, train, test):
    cls, sampler, grid = METHODS[method]
    prepare = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    A, B = prepare.fit_transform(X[train]), prepare.transform(X[test])
    rng = np.random.RandomState(0)
    kernels = sampler.sample(A, sampler.n_default, rng)
    # One set of Gram matrices serves the search and the final fit; test rows come last.
    stack = np.stack(evaluate(kernels, np.vstack([A, B])))
    params = choose(cls, grid, stack, y[train])
    rows = np.arange(float(len(X)))[:, None]
    clf = make(cls, params, stack).fit(rows[: len(A)], y[train])
    accuracy = accuracy_score(y[test], clf.predict(rows[len(A) :]))
    return accuracy, params


def run(table, methods, sets, n_splits):
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    if not ROWS.exists():
        ROWS.write_text(",".join(FIELDS) + "\n")
    for name in sets:
        X, y = load(name)
        for method in methods:
            for number, (train, test) in enumerate(splits(table, method, y)[:n_splits]):
                key = (table, method, name, number)
                done = pd.read_csv(ROWS)[FIELDS[:4]].itertuples(index=False, name=None)
                if key in set(done):
                    continue
                start = perf_counter()
                accuracy, params = run_split(method, X, y, train, test)
                seconds = round(perf_counter() - start, 1)
                with ROWS.open("a", newline="") as file:
                    csv.writer(file).writerow([*key, round(accuracy, 5), seconds, params])
                print(*key, round(100 * accuracy, 2), f"{seconds} s", params, flush=True)


def report():
    rows = pd.read_csv(ROWS)
    page = [
        "# Multiple kernel learning: the papers' columns again",
        "",
        "Made by `python benchmarks/mkl_tables.py run --table dlp`, `... run --table rpemekl` and",
        "`... report`; the protocol is in that file's first lines, every split in `mkl_rows.csv`.",
        "Accuracy in %, mean ± standard deviation over the splits (their number in brackets where",
        "it is not the paper's 5 and 10), the published figure after the stroke.",
    ]
    for table, title in (
        ("dlp", "Table 4 of the MEKL-DLP paper"),
        ("rpemekl", "Table 2 of the RPEMEKL paper"),
    ):
        page += ["", f"## {title}", "", *_markdown(rows[rows.table == table], table)]
    page += ["", *NOTES]
    PAGE.write_text("\n".join(page) + "\n")
    print("\n".join(page))


def _sets(table):
    return list(PUBLISHED[table]) + (["glass without Id"] if table == "rpemekl" else [])


def _markdown(rows, table):
    columns, full = COLUMNS[table], 5 if table == "dlp" else 10
    lines = ["| set | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    pairs = {method: {} for method in columns}
    for name in _sets(table):
        cells = []
        for index, method in enumerate(columns):
            part = rows[(rows.set == name) & (rows.method == method)].accuracy * 100
            published = PUBLISHED[table].get(name, (None,) * 3)[index]
            if published is not None and not part.empty:
                pairs[method][name] = (part.mean(), published)
            cells.append(_cell(part, full) + (f" / {published:.2f}" if published else ""))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    plain = [_mean(pairs[method]) for method in columns]
    doubtful = SUSPECT[table]
    kept = [
        _mean(pairs[method], without=[*doubtful[""], *doubtful.get(method, [])])
        for method in columns
    ]
    lines.append("| **mean of the sets run** | " + " | ".join(plain) + " |")
    return [*lines, "| **without doubtful published figures** | " + " | ".join(kept) + " |"]


def _cell(part, full):
    if len(part) < 2:
        return "-" if part.empty else f"{part.mean():.2f} (1)"
    count = "" if len(part) == full else f" ({len(part)})"
    return f"{part.mean():.2f} ± {part.std(ddof=0):.2f}{count}"


def _mean(pairs, without=()):
    kept = [pair for name, pair in pairs.items() if name not in without]
    if not kept:
        return "-"
    ours, theirs = np.mean(kept, axis=0)
    return f"**{ours:.2f} / {theirs:.2f}** ({len(kept)} sets)"


NOTES = [
    "## Notes",
    "",
    "- The papers do not say how columns were scaled, nor on which rows parameters were chosen;",
    "  here both use the training part alone.",
    "- Mammographic and Hill-Valley are near chance in the MEKL-DLP paper whatever the method; its",
    "  preprocessing must differ, and the first mean profits from that on our side.",
    "- Glass in the RPEMEKL paper counts the row number among its inputs, and the rows are sorted",
    "  by class. The line of that name keeps it for comparison; the last line leaves it out.",
    "- MKDA in the RPEMEKL paper gives the majority or minority share with zero spread on four",
    "  sets (House-votes, Ionosphere, Clean, Pima): degenerate runs.",
    "- SILP-MKL has 29 % on Cmc in the RPEMEKL paper, below the largest class's 43 %.",
    "- Sets of fewer splits than ten in the second table are marked with their number.",
    "- The set Letter (432 inputs, 500 rows) of the RPEMEKL paper is not public.",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("--table", choices=list(COLUMNS))
    parser.add_argument("--methods", nargs="*")
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--splits", type=int, default=10)
    args = parser.parse_args()
    if args.command == "report":
        return report()
    warnings.simplefilter("ignore", ConvergenceWarning)
    sets = args.sets or _sets(args.table)
    return run(args.table, args.methods or COLUMNS[args.table], sets, args.splits)


if __name__ == "__main__":
    main()
