"""Whether the draws of an ensemble should be spread over their range: asked of training rows alone.

    python benchmarks/kernel_pca_spread.py [--sets zoo yeast …]

The sets are the development sets of the 121-set study that the thesis of the kernel-PCA ensemble
does not use; of each, the training rows of the first published split by 3-fold cross-validation.
Ensembles of ten are drawn again and again from 100 members that cover the range of a rule, either
independently or one from each tenth of it. Accuracies go to docs/results/kernel_pca_spread.csv as
they come, and a section to docs/results/kernel_pca.md. KERNSEMBLE_DATA names the folder of the
sets.
"""

import argparse
import os
from pathlib import Path

import numpy as np
from kernel_pca_tables import (
    COLUMNS,
    N_TEAMS,
    PAGE,
    TITLE,
    count_right,
    draw_teams,
    member_scores,
)
from sklearn.model_selection import StratifiedKFold
from study import RESULTS, Ledger, markdown_table, write_section

from kernsemble.datasets import load
from kernsemble.kernels import KernelSampler, MedianScale, RandomRBF

# Sets of the thesis under the names of the study.
IN_THESIS = {"ionosphere", "pima", "spambase", "statlog-image", "waveform-noise"}
RULES = {"scale-free": MedianScale("rbf"), "paper": RandomRBF()}
FIELDS = ("set", "rule", "draw", "column", "mean", "deviation")
N_FOLDS = 3
# So many that a member is seldom drawn twice into one ensemble.
N_EVEN = 100


class Ordered(KernelSampler):
    """The RBF kernels of a rule, widest first, so that neighbours are neighbours in its range."""

    def __init__(self, rule):
        self.rule = rule

    def sample(self, X, n_kernels, rng):
        return sorted(self.rule.sample(X, n_kernels, rng), key=lambda kernel: kernel.gamma)


def development_sets():
    listed = Path(os.environ["KERNSEMBLE_DATA"], "development_sets.txt").read_text().split()
    return [name for name in listed if name not in IN_THESIS]


def inner_folds(name):
    """Yield training and validation parts of the training rows of the first published split."""
    data = load(f"jmlr121/{name}")
    rows = data.splits[0][0]
    X, y = data.X[rows], data.y[rows]
    for train, validation in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y):
        yield X[train], y[train], X[validation], y[validation]


def team_accuracies(name, rule):
    """Return the accuracies of the teams, by how they are drawn, of shape (n_columns, n_teams)."""
    teams, n_rows = draw_teams(N_EVEN), 0
    right = dict.fromkeys(teams, 0.0)
    for X, y, X_validation, y_validation in inner_folds(name):
        scores = member_scores(name, Ordered(RULES[rule]), N_EVEN, 0, X, y, X_validation)
        # A class that is missing in the training part is no column of the scores.
        classes = list(np.unique(y))
        truth = np.array([classes.index(c) if c in classes else -1 for c in y_validation])
        for draw, chosen in teams.items():
            right[draw] += count_right(scores, chosen, truth)
        n_rows += len(truth)
    return {draw: hits / n_rows for draw, hits in right.items()}


def run(names, ledger):
    for name in names:
        for rule in RULES:
            if ledger.has(set=name, rule=rule):
                continue
            for draw, accuracies in team_accuracies(name, rule).items():
                for column, values in zip(COLUMNS, accuracies):
                    ledger.add(
                        set=name,
                        rule=rule,
                        draw=draw,
                        column=column,
                        mean=round(values.mean(), 6),
                        deviation=round(values.std(), 6),
                    )


def report(ledger):
    lines = []
    for rule in RULES:
        for column in COLUMNS:
            cells = []
            for field in ("mean", "deviation"):
                for draw in ("independent", "spread"):
                    rows = ledger.matching(rule=rule, draw=draw, column=column)
                    cells.append(f"{np.mean([float(row[field]) for row in rows]):.4f}")
            lines.append([rule, column, *cells])
    n_sets = len({row["set"] for row in ledger.rows})
    text = (
        f"Ensembles of ten out of {N_EVEN} RBF members, drawn {N_TEAMS} times independently and "
        f"{N_TEAMS} times one from each tenth of the range of the rule, on the training rows of "
        f"{n_sets} development sets of the 121-set study, none of which the thesis uses. Accuracy "
        f"by {N_FOLDS}-fold cross-validation, and how much it varies from draw to draw; both "
        "averaged over the sets.\n\n"
        "    python benchmarks/kernel_pca_spread.py\n\n"
        + markdown_table(
            ["rule", "", "independent", "spread", "deviation, independent", "deviation, spread"],
            lines,
        )
    )
    write_section(PAGE, "Spread or independent draws", text, page_title=TITLE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=development_sets())
    ledger = Ledger(RESULTS / "kernel_pca_spread.csv", FIELDS)
    run(parser.parse_args().sets, ledger)
    report(ledger)


if __name__ == "__main__":
    main()
