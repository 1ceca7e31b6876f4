"""Whether the draws of an ensemble should be spread over their range: asked of training rows alone.

    python benchmarks/kernel_pca_spread.py [--sets zoo yeast …]

The sets are the development sets of the 121-set study that the thesis of the kernel-PCA ensemble
does not use; of each, the training rows of the first published split by 3-fold cross-validation.
Ensembles of ten are drawn again and again from 100 members that cover the range of a rule, either
independently, without repeats, or one from each tenth of it. Accuracies go to
docs/results/kernel_pca_spread.csv as they come, and a section to docs/results/kernel_pca.md.
KERNSEMBLE_DATA names the folder of the sets.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from kernel_pca_tables import (
    COLUMNS,
    N_MEMBERS,
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


def distinct_teams():
    """Return the teams, by how they are drawn, none of which has a member twice.

    An independent draw out of few members would repeat some of them, which a continuous one does
    not, and lose by that alone.
    """
    rng = np.random.RandomState(0)
    teams = [rng.choice(N_EVEN, N_MEMBERS, replace=False) for _ in range(N_TEAMS)]
    return draw_teams(N_EVEN) | {"independent": np.array(teams)}


def team_accuracies(name, rule):
    """Return the accuracies of the teams, by how they are drawn, of shape (n_columns, n_teams)."""
    teams, n_rows = distinct_teams(), 0
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
    rows = pd.DataFrame(ledger.rows).astype({"mean": float, "deviation": float})
    cells = rows.pivot(index=["rule", "column", "set"], columns="draw")
    lines = []
    for rule in RULES:
        for column in COLUMNS:
            means, deviations = (cells.loc[rule, column][field] for field in ("mean", "deviation"))
            gains = means["spread"] - means["independent"]
            numbers = [f"{x:.4f}" for x in (means["independent"].mean(), means["spread"].mean())]
            numbers.append(f"{gains.mean():+.4f} ± {gains.sem():.4f}")
            numbers += [f"{deviations[draw].mean():.4f}" for draw in ("independent", "spread")]
            lines.append([rule, column, *numbers])
    header = ["rule", "", "independent", "spread", "difference ± standard error over sets"]
    text = (
        f"Ensembles of ten out of {N_EVEN} RBF members, drawn {N_TEAMS} times independently but "
        f"without repeats and {N_TEAMS} times one from each tenth of the range of the rule, on the "
        f"training rows of {rows['set'].nunique()} development sets of the 121-set study, none of "
        f"which the thesis uses. Accuracy by {N_FOLDS}-fold cross-validation, and how much it "
        "varies from draw to draw; both averaged over the sets.\n\n"
        "    python benchmarks/kernel_pca_spread.py\n\n"
        + markdown_table([*header, "deviation, independent", "deviation, spread"], lines)
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
