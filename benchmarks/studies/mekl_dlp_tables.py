"""Tables 3 and 4 of the MEKL-DLP paper: accuracy over five folds, everything tuned inside.

    python benchmarks/mekl_dlp_tables.py [set ...] [--rows N]

Table 3 uses the kernel widths 1/4, 1 and 4; Table 4 chooses the widths too. Everything is chosen in
the training rows of a fold: scaling, widths, alpha and coupling on their grid without the locality
term, from one eigendecomposition, then beta, gamma and the neighbours one after the other.
Mammographic is left out (the paper's data were damaged). Continues an interrupted run.
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
from mekl_protocol import (
    SCALERS,
    accuracies,
    comparison_table,
    mean_line,
    prepared,
    write_results,
)
from scipy.ndimage import uniform_filter
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, cross_val_score
from study import RESULTS, Ledger, read_set

from kernsemble import MEKLDLPClassifier
from kernsemble.kernels import MeanSquaredDistance
from kernsemble.maps import EmpiricalKernelMap
from kernsemble.solvers.mhks_path import held_out_scores
from kernsemble.targets import decode_scores, encode_targets

# Accuracy of MEKL-DLP, mean and standard deviation, from the paper's Tables 3 and 4.
TABLE_3 = {
    "iris": (98.67, 1.83),
    "liver-disorders": (71.59, 3.01),
    "ionosphere": (94.87, 3.29),
    "house-votes": (94.70, 1.97),
    "bcw": (96.84, 2.43),
    "hill-valley": (52.63, 2.70),
    "cmc": (56.22, 1.95),
    "semeion": (95.63, 1.42),
    "segment": (97.84, 1.05),
}
TABLE_4 = TABLE_3 | {
    "liver-disorders": (73.04, 1.59),
    "ionosphere": (95.44, 2.75),
    "house-votes": (94.95, 1.00),
    "bcw": (97.42, 1.88),
    "hill-valley": (53.13, 3.85),
}
GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
NEIGHBORS = (1, 3, 5, 7, 9)
WIDTHS = {
    3: [(0.25, 1.0, 4.0)],
    4: [(0.25, 1.0, 4.0), (0.0625, 0.25, 1.0), (1.0, 4.0, 16.0), (0.0625, 1.0, 16.0)],
}
FIELDS = ("set", "table", "fold", "accuracy", "scaling", "widths", "alpha", "coupling", "beta")
FIELDS += ("gamma", "n_neighbors", "seconds")
# Above this many training rows parameters are chosen on parts of them.
LARGE = 800
# Strong coupling makes the papers' iteration slow, and what it gains late does not matter.
MAX_ITER = 50


def choose_widths_and_strengths(X, y, all_widths):
    """Return scaling, kernels, alpha and coupling of the best MultiK-MHKS by five inner folds."""
    if len(y) > LARGE:
        part = StratifiedShuffleSplit(1, train_size=LARGE, random_state=0)
        rows = next(part.split(X, y))[0]
        X, y = X[rows], y[rows]
    classes, codes = np.unique(y, return_inverse=True)
    T = encode_targets(codes, len(classes), "ovo")
    folds = np.empty(len(y), dtype=int)
    inner = StratifiedKFold(5, shuffle=True, random_state=0)
    for number, (_, held_out) in enumerate(inner.split(X, y)):
        folds[held_out] = number
    best = -1.0
    for scaling, widths in product(SCALERS, all_widths):
        Z = prepared("passthrough", scaling).fit_transform(X)
        kernels = MeanSquaredDistance(widths).sample(Z, len(widths), np.random.RandomState(0))
        views = [EmpiricalKernelMap(kernel).fit_transform(Z) for kernel in kernels]
        S = held_out_scores(views, T, folds, GRID, GRID, max_iter=MAX_ITER)
        found = np.array(
            [[accuracy(S[:, :, i, j], codes, len(classes)) for j in range(5)] for i in range(5)]
        )
        # A single point of the grid is noise; its neighbourhood is not.
        found = uniform_filter(found, 3, mode="nearest")
        if found.max() > best:
            best = found.max()
            i, j = np.unravel_index(found.argmax(), found.shape)
            settings = {"kernels": MeanSquaredDistance(widths)}
            settings |= {"alpha": GRID[i], "coupling": GRID[j], "max_iter": MAX_ITER}
            chosen = scaling, settings
    return chosen


def accuracy(S, codes, n_classes):
    scores = decode_scores(S.astype(float), n_classes, "ovo")
    found = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return np.mean(found == codes)


def choose_locality(X, y, scaling, settings):
    """Return beta, gamma and n_neighbors, each chosen with the others fixed."""
    if len(y) > LARGE:
        inner = StratifiedShuffleSplit(3, train_size=500, test_size=300, random_state=0)
    else:
        inner = StratifiedKFold(3, shuffle=True, random_state=1)
    chosen, found = {"beta": 0.01, "gamma": 0.01, "n_neighbors": 5}, {}
    for name, values in (("beta", GRID), ("gamma", GRID), ("n_neighbors", NEIGHBORS)):
        trials = [{**chosen, name: value} for value in values]
        for trial in trials:
            if str(trial) not in found:
                model = prepared(MEKLDLPClassifier(**settings, **trial), scaling)
                found[str(trial)] = cross_val_score(model, X, y, cv=inner).mean()
        chosen = max(trials, key=lambda trial: found[str(trial)])
    return chosen


def run(name, ledger, most):
    """Add at most so many rows to the ledger."""
    X, y = read_set(name)
    outer = StratifiedKFold(5, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(outer.split(X, y)):
        done = {}
        for table, widths in WIDTHS.items():
            if ledger.has(set=name, table=table, fold=fold) or len(ledger.rows) >= most:
                continue
            start = time.perf_counter()
            scaling, settings = choose_widths_and_strengths(X[train], y[train], widths)
            key = scaling, repr(settings)
            if key not in done:
                chosen = choose_locality(X[train], y[train], scaling, settings)
                model = prepared(MEKLDLPClassifier(**settings, **chosen), scaling)
                done[key] = chosen, model.fit(X[train], y[train]).score(X[test], y[test])
            chosen, share = done[key]
            ledger.add(
                set=name,
                table=table,
                fold=fold,
                accuracy=round(share, 6),
                scaling=scaling,
                widths=" ".join(map(str, settings["kernels"].multipliers)),
                alpha=settings["alpha"],
                coupling=settings["coupling"],
                **chosen,
                seconds=round(time.perf_counter() - start, 2),
            )


def report(ledger):
    parts = [
        "Accuracy in percent, mean ± sd over five stratified folds. Missing cells are filled by\n"
        "the column mean; the scaling (standard, to [0, 1], none) and every parameter are chosen\n"
        "inside the training rows. The paper's own values come from five-fold cross-validation\n"
        "that also chose its parameters. The choice of the scaling was added after a first run\n"
        "with standardised columns alone (Table 3: iris 96.00, liver-disorders 71.30,\n"
        "ionosphere 92.88, house-votes 96.09).\n\n    python benchmarks/mekl_dlp_tables.py"
    ]
    for table, published in ((3, TABLE_3), (4, TABLE_4)):
        measured = {name: accuracies(ledger, set=name, table=table) for name in published}
        parts.append(f"Table {table}:\n\n{comparison_table(published, measured)}")
        parts.append(mean_line(published, measured))
        # Far above chance here and at chance in the paper, it outweighs all the others.
        parts.append(mean_line(published, measured, without=("hill-valley",)))
    write_results("MEKL-DLP, Tables 3 and 4", "\n\n".join(parts))


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(TABLE_3))
    parser.add_argument("--rows", type=int, default=10**9, help="stop after so many new rows")
    arguments = parser.parse_args()
    book = Ledger(RESULTS / "mekl_dlp_tables.csv", FIELDS)
    most = len(book.rows) + arguments.rows
    for chosen_set in arguments.sets:
        run(chosen_set, book, most)
        report(book)
