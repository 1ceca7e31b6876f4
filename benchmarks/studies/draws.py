"""Should the draws of an ensemble be spread over their range? Asked of training rows alone.

    python benchmarks/studies/draws.py draws.sqlite [--sets jmlr121/zoo jmlr121/yeast …]

Of each set, the training rows of the first published split, or all rows where none is published, by
3-fold cross-validation. Kernel-PCA ensembles of ten are drawn 200 times from 100 members whose
widths cover the range of a rule: independently but without repeats, or one from each tenth of the
range. A row has the mean accuracy of the draws and how much it varies from draw to draw. The
default are the development sets that Zvi's thesis does not use. KERNSEMBLE_DATA names the data.
"""

import argparse

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernsemble import KernelPCAEnsembleClassifier
from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.datasets import load
from kernsemble.datasets.folder import find_folder
from kernsemble.environment import describe_environment

IN_THESIS = {"ionosphere", "pima", "spambase", "statlog-image", "waveform-noise"}
COLUMNS = {
    "NN (10d)": {"estimator": "nearest", "n_components": 10},
    "NN (0.5d)": {"estimator": "nearest", "n_components": 0.5},
    "DT (10d)": {"n_components": 10},
    "DT (0.5d)": {"n_components": 0.5},
}
RULES = ("scale_free", "paper")
N_MEMBERS, N_POOL, N_TEAMS, N_FOLDS = 10, 100, 200, 3


def draw_teams():
    """Return, by how they are drawn, which of the members in order of width each team has."""
    rng = np.random.RandomState(0)
    independent = [rng.choice(N_POOL, N_MEMBERS, replace=False) for _ in range(N_TEAMS)]
    part = N_POOL // N_MEMBERS
    spread = part * np.arange(N_MEMBERS) + rng.randint(part, size=(N_TEAMS, N_MEMBERS))
    return {"independent": np.array(independent), "spread": spread}


def member_votes(settings, X, y, X_new):
    """Return the votes of the members for each class, widest kernel first."""
    pool = KernelPCAEnsembleClassifier(N_POOL, random_state=0, **settings).fit(X, y)
    members = sorted(pool.estimators_, key=lambda member: member.feature_map.kernel.gamma)
    winners = np.stack([member.scores(X_new).argmax(axis=1) for member in members])
    return pool.classes_, winners[:, :, None] == np.arange(len(pool.classes_))


def team_accuracies(settings, data):
    """Return the accuracies of the teams, by how they are drawn."""
    rows = data.splits[0][0] if data.splits else np.arange(len(data.y))
    X, y, teams = data.X[rows], data.y[rows], draw_teams()
    right = {draw: np.zeros(N_TEAMS) for draw in teams}
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y):
        classes, votes = member_votes(settings, X[train], y[train], X[test])
        for draw, chosen in teams.items():
            found = [classes[votes[team].sum(axis=0).argmax(axis=1)] for team in chosen]
            right[draw] += (np.stack(found) == y[test]).sum(axis=1)
    return {draw: hits / len(y) for draw, hits in right.items()}


def run(ledger, names):
    for name in names:
        for rule in RULES:
            for column, options in COLUMNS.items():
                settings = {"rule": rule, **options}
                cell = Cell(
                    name, f"{rule.replace('_', '-')} {column}", "training-rows", "spread draws", 0
                )
                if not ledger.claim(cell):
                    continue
                for draw, shares in team_accuracies(settings, load(name)).items():
                    outcome = {
                        "accuracy": shares.mean(),
                        "measures": {"deviation": shares.std()},
                        "params": settings,
                    }
                    maker = {"study": __doc__, "versions": describe_environment()}
                    ledger.record(cell._replace(split=f"{draw} draws"), outcome, maker)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ledger")
    parser.add_argument("--sets", nargs="*")
    options = parser.parse_args()
    listed = (find_folder() / "development_sets.txt").read_text().split()
    default = [f"jmlr121/{name}" for name in listed if name not in IN_THESIS]
    with Ledger(options.ledger) as ledger:
        run(ledger, options.sets or default)


if __name__ == "__main__":
    main()
