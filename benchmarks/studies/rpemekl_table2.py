"""Table 2 of the RPEMEKL paper: accuracy over ten random splits, everything tuned inside.

    python benchmarks/rpemekl_table2.py [set ...] [--rows N]

Splits are stratified 70/30, which the degenerate columns of the paper's table give away (63.81 %
of Ionosphere's 105 test rows, 38.46 % of House-votes' 130). Letter is not public, and Glass is
used without its row number, which gives the class away. Continues an interrupted run.
"""

import argparse
import time

from mekl_protocol import accuracies, comparison_table, mean_line, prepared, write_results
from sklearn.model_selection import StratifiedShuffleSplit
from study import RESULTS, Ledger, read_set

from kernsemble import RPEMEKLClassifier

# Accuracy of RPEMEKL with optimised p, mean and standard deviation, from the paper's Table 2.
PUBLISHED = {
    "iris": (96.00, 1.54),
    "wine": (95.30, 2.69),
    "sonar": (75.44, 4.62),
    "glass": (95.24, 2.87),
    "ionosphere": (89.60, 2.05),
    "house-votes": (92.17, 1.89),
    "clean1": (80.55, 2.35),
    "pima": (74.82, 1.63),
    "arrhythmia": (62.61, 1.04),
    "cmc": (51.74, 1.53),
    "segment": (94.70, 0.50),
    "waveform": (83.44, 4.63),
    "page-blocks": (93.45, 3.61),
}
FIELDS = ("set", "split", "accuracy", "alpha", "coupling", "n_landmarks", "seconds")
N_SPLITS = 10


def run(name, ledger, most):
    """Add at most so many rows to the ledger."""
    X, y = read_set(name)
    splits = StratifiedShuffleSplit(N_SPLITS, test_size=0.3, random_state=0).split(X, y)
    for number, (train, test) in enumerate(splits):
        if ledger.has(set=name, split=number) or len(ledger.rows) >= most:
            continue
        start = time.perf_counter()
        model = prepared(
            RPEMEKLClassifier(
                alpha="auto", coupling="auto", n_landmarks="auto", random_state=number
            )
        ).fit(X[train], y[train])
        ledger.add(
            set=name,
            split=number,
            accuracy=round(model.score(X[test], y[test]), 6),
            alpha=model[-1].alpha_,
            coupling=model[-1].coupling_,
            n_landmarks=model[-1].n_landmarks_,
            seconds=round(time.perf_counter() - start, 2),
        )


def report(ledger):
    measured = {name: accuracies(ledger, set=name) for name in PUBLISHED}
    text = f"""Accuracy in percent, mean ± sd over {N_SPLITS} stratified 70/30 splits. Columns are
filled by their mean and standardised by the training rows; alpha, coupling and n_landmarks are
chosen inside the training rows (`"auto"`). The published values are those of RPEMEKL with
optimised p in the paper's Table 2; its Glass includes the row number, by which the rows are
sorted, so that value cannot be reached without it.

    python benchmarks/rpemekl_table2.py

{comparison_table(PUBLISHED, measured)}

{mean_line(PUBLISHED, measured)}
{mean_line(PUBLISHED, measured, without=("glass",))}
"""
    write_results("RPEMEKL, Table 2", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(PUBLISHED))
    parser.add_argument("--rows", type=int, default=10**9, help="stop after so many new rows")
    arguments = parser.parse_args()
    book = Ledger(RESULTS / "rpemekl_table2.csv", FIELDS)
    most = len(book.rows) + arguments.rows
    for chosen in arguments.sets:
        run(chosen, book, most)
        report(book)
