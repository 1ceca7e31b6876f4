"""Kernel ridge, co-trained kernel ridge and RVFL on the 121-set benchmark, protocol of the paper.

    python benchmarks/closed_form_study.py krr
    python benchmarks/closed_form_study.py rvfl
    python benchmarks/closed_form_study.py table

Parameters are chosen on the tuning halves (fit on one, best accuracy on the other), then the mean
accuracy over the four published splits is taken; sets with a test file are fitted to their
training file once. Accuracies go to docs/results/closed_form_<part>.csv as they come, smallest sets
first; a set already there is skipped. The table, docs/results/closed_form.md, covers the sets that
all parts have finished. The data lie in the folder KERNSEMBLE_DATA.
"""

import argparse
import os
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import euclidean_distances

from kernsemble.datasets import FLAWED
from kernsemble.maps.random_layer import draw_layer
from kernsemble.members.rvfl import fit_rvfl_members
from kernsemble.solvers.co_ridge import solve_co_kernel_ridge
from kernsemble.solvers.ridge import solve_kernel_ridge, solve_ridge
from kernsemble.solvers.ridge_loo import dual_coefs
from kernsemble.solvers.ridge_spectrum import gram_spectrum

MAX_ROWS = 5000
RIDGES = 2.0 ** np.arange(-14, 6)
GAMMAS = 2.0 ** np.arange(-16, 9)
HIDDEN = range(3, 204, 20)
SCALES = 2.0 ** np.arange(-5, 3)
N_MEMBERS = 500
NETWORK = {"activation": "radbas", "direct_links": True, "output_bias": True}


class Problem:
    """One set with its published partitions."""

    def __init__(self, name, folder):
        self.name = name
        # Where the two files of a set were scaled apart, the mended copy scales both alike.
        mended = (folder / "jmlr121_fixed" / f"{name}.parts.csv.gz").exists()
        place = folder / ("jmlr121_fixed" if mended else "jmlr121")
        table = pd.read_csv(place / f"{name}.csv.gz")
        parts = pd.read_csv(folder / "jmlr121" / f"{name}.parts.csv.gz")
        file = pd.read_csv(place / f"{name}.parts.csv.gz")["file"].to_numpy()
        self.X = table.iloc[:, :-1].fillna(0.0).to_numpy(float)
        self.classes, self.codes = np.unique(table["target"].to_numpy(), return_inverse=True)
        self.T = np.eye(len(self.classes))[self.codes]
        if len(parts) == len(table):
            self.tune = halves(parts["tune"])
        else:
            # A row less than the published halves (soybean): every other row of each class.
            train = np.flatnonzero(file == 0)
            train = train[np.argsort(self.codes[train], kind="stable")]
            self.tune = train[::2], train[1::2]
        two_files = (file == 1).any()
        self.splits = [halves(file)] if two_files else [halves(parts[f"s{i}"]) for i in range(4)]

    def rng(self):
        """Return the generator of this set, the same in every run."""
        return np.random.RandomState(zlib.crc32(self.name.encode()))

    def accuracy(self, scores, rows):
        """Return the share of `rows` (per leading layer) whose class has the largest score."""
        return np.mean(scores.argmax(axis=-1) == self.codes[rows], axis=-1)


def halves(column):
    """Return the rows marked 0 and those marked 1."""
    return np.flatnonzero(column == 0), np.flatnonzero(column == 1)


def set_names(folder):
    """Return the names of the sets, smallest first."""
    sizes = {}
    for path in (folder / "jmlr121").glob("*.parts.csv.gz"):
        name = path.name.removesuffix(".parts.csv.gz")
        sizes[name] = len(pd.read_csv(path))
    kept = [name for name, n in sizes.items() if n <= MAX_ROWS and f"jmlr121/{name}" not in FLAWED]
    return sorted(kept, key=lambda name: (sizes[name], name))


# Kernel ridge and co-trained kernel ridge ------------------------------------------------------


def gaussian(distances, rows, columns, gamma):
    return np.exp(-gamma * distances[np.ix_(rows, columns)])


def tune_kernel_ridge(problem, distances):
    """Return the gamma and the ridge of best accuracy; ties go to large ridges, wide kernels."""
    fit, check = problem.tune
    T, best = problem.T[fit], (-1.0,)
    for gamma in GAMMAS:
        spectrum = gram_spectrum(gaussian(distances, fit, fit, gamma))
        coefs = np.hstack([dual_coefs(spectrum, T, ridge) for ridge in RIDGES])
        scores = gaussian(distances, check, fit, gamma) @ coefs
        scores = scores.reshape(len(check), len(RIDGES), -1).transpose(1, 0, 2)
        for accuracy, ridge in zip(problem.accuracy(scores, check), RIDGES):
            best = max(best, (accuracy, ridge, -gamma))
    return -best[2], best[1]


def combine(views, rule):
    return np.mean(views, axis=0) if rule == "avg" else np.max(views, axis=0)


def co_scores(problem, views, fit, check, C2):
    """Return the scores of rows `check` in both views of Co-KRR."""
    grams = [gaussian(D, fit, fit, gamma) for D, gamma, _ in views]
    ridges = [ridge for _, _, ridge in views]
    coefs = solve_co_kernel_ridge(grams, problem.T[fit], ridges, 2 * len(views) * C2)
    return [gaussian(D, check, fit, gamma) @ A for (D, gamma, _), A in zip(views, coefs)]


def tune_coupling(problem, views):
    """Return the C2 of best accuracy for both rules; ties go to weak coupling."""
    fit, check = problem.tune
    best = {"avg": (-1.0,), "max": (-1.0,)}
    for C2 in RIDGES:
        scores = co_scores(problem, views, fit, check, C2)
        for rule in best:
            accuracy = problem.accuracy(combine(scores, rule), check)
            best[rule] = max(best[rule], (accuracy, -C2))
    return {rule: -found[1] for rule, found in best.items()}


def study_krr(problem):
    """Return the accuracies of the seven kernel ridge methods."""
    X, d = problem.X, problem.X.shape[1]
    original = euclidean_distances(X, squared=True)
    projected = euclidean_distances(X @ problem.rng().randn(d, 2 * d), squared=True)
    both = original + projected
    views = [(D, *tune_kernel_ridge(problem, D)) for D in (original, projected, both)]
    pair = views[:2]
    couplings = tune_coupling(problem, pair)
    found = []
    for fit, check in problem.splits:
        scores = []
        for D, gamma, ridge in views:
            A = solve_kernel_ridge(gaussian(D, fit, fit, gamma), problem.T[fit], ridge)
            scores.append(gaussian(D, check, fit, gamma) @ A)
        row = {f"KRR-{name}": S for name, S in zip("OTC", scores)}
        for rule, C2 in couplings.items():
            row[f"2KRR-{rule}"] = combine(scores[:2], rule)
            row[f"Co-KRR-{rule}"] = combine(co_scores(problem, pair, fit, check, C2), rule)
        found.append({name: problem.accuracy(S, check) for name, S in row.items()})
    return pd.DataFrame(found).mean().to_dict()


# RVFL and its ensemble -------------------------------------------------------------------------


def features(X, layer):
    hidden = np.exp(-((X @ layer.weights + layer.biases) ** 2))
    return np.hstack([np.ones((len(X), 1)), X, hidden])


def tune_rvfl(problem, rng):
    """Return hidden units, scale and ridge of best accuracy; ties go to small networks."""
    fit, check = problem.tune
    best = (-1.0,)
    for n_hidden in HIDDEN:
        for scale in SCALES:
            layer = draw_layer(problem.X.shape[1], n_hidden, scale, rng)
            Z, Z_check = features(problem.X[fit], layer), features(problem.X[check], layer)
            values, V = np.linalg.eigh(Z.T @ Z)
            inside, projected = V.T @ (Z.T @ problem.T[fit]), Z_check @ V
            inside = inside[:, None, :] / (np.maximum(values, 0)[:, None] + RIDGES)[:, :, None]
            scores = (projected @ inside.reshape(len(V), -1)).reshape(len(check), len(RIDGES), -1)
            accuracies = problem.accuracy(scores.transpose(1, 0, 2), check)
            for accuracy, ridge in zip(accuracies, RIDGES):
                best = max(best, (accuracy, -n_hidden, ridge, -scale))
    return -best[1], -best[3], best[2]


def study_rvfl(problem):
    """Return the accuracies of one network and of the ensembles, by mean score and by vote."""
    rng = problem.rng()
    n_hidden, scale, ridge = tune_rvfl(problem, rng)
    draws = {
        "one-sided": lambda: 1.0 + rng.uniform(size=(N_MEMBERS, 3)),
        "symmetric": lambda: 2.0 ** rng.uniform(-1, 1, size=(N_MEMBERS, 3)),
    }
    found = []
    for fit, check in problem.splits:
        X, T = problem.X[fit], problem.T[fit]
        layer = draw_layer(X.shape[1], n_hidden, scale, rng)
        W = solve_ridge(features(X, layer), T, ridge)
        row = {"RVFL": problem.accuracy(features(problem.X[check], layer) @ W, check)}
        for name, draw in draws.items():
            factors = draw() * (n_hidden, scale, ridge)
            layers = [draw_layer(X.shape[1], max(1, round(h)), s, rng) for h, s, _ in factors]
            members = fit_rvfl_members(X, T, layers, factors[:, 2], **NETWORK, loo=False)
            mean, votes = 0.0, np.zeros((len(check), T.shape[1]))
            for member in members:
                S = member.scores(problem.X[check])
                mean = mean + S
                votes[np.arange(len(check)), S.argmax(axis=1)] += 1
            row[f"RVFL ensemble, {name}, mean"] = problem.accuracy(mean, check)
            row[f"RVFL ensemble, {name}, vote"] = problem.accuracy(votes + 1e-6 * mean, check)
        found.append(row)
    return pd.DataFrame(found).mean().to_dict()


# Running and reporting -------------------------------------------------------------------------

STUDIES = {"krr": study_krr, "rvfl": study_rvfl}
RESULTS = Path(__file__).parents[1] / "docs" / "results"
METHODS = [
    *("KRR-O", "KRR-T", "KRR-C", "2KRR-avg", "2KRR-max", "Co-KRR-avg", "Co-KRR-max", "RVFL"),
    *(f"RVFL ensemble, {p}, {c}" for p in ("one-sided", "symmetric") for c in ("mean", "vote")),
]


def run(study, path, folder):
    """Append one line per method for every set the file does not have yet."""
    done = set(pd.read_csv(path)["set"]) if path.exists() else set()
    for name in set_names(folder):
        if name in done:
            continue
        start, problem = time.perf_counter(), Problem(name, folder)
        accuracies = study(problem)
        seconds = time.perf_counter() - start
        rows = [(name, len(problem.X), m, round(100 * a, 4)) for m, a in accuracies.items()]
        lines = pd.DataFrame(rows, columns=["set", "rows", "method", "accuracy"])
        lines.to_csv(path, mode="a", header=not path.exists(), index=False)
        print(f"{name} ({len(problem.X)} rows, {seconds:.0f} s)", file=sys.stderr, flush=True)


def friedman(table):
    """Return the mean rank of every column, 1 for the highest accuracy, ties shared."""
    return pd.Series(rankdata(-table, axis=1).mean(axis=0), table.columns)


def place_among_published(ours, published):
    """Return rank and place of each method when it alone joins the published classifiers."""
    places = {}
    for method in ours:
        ranks = friedman(published.assign(**{method: ours[method].round(1)}))
        places[method] = ranks[method], int((ranks < ranks[method]).sum()) + 1
    return pd.DataFrame(places, index=["rank", "place"]).T


def as_table(frame, digits):
    head = "| | " + " | ".join(frame.columns) + " |"
    rule = "|---|" + "---:|" * len(frame.columns)
    rows = [
        f"| {name} | " + " | ".join(f"{v:.{k}f}" for v, k in zip(row, digits)) + " |"
        for name, row in zip(frame.index, frame.to_numpy())
    ]
    return "\n".join([head, rule, *rows])


def published_accuracies(folder, sets):
    """Return the published table; a classifier that failed on a set gets the mean of all there."""
    table = pd.read_csv(folder / "results" / "jmlr121_179_classifiers.csv", index_col="name")
    return table.loc[sets].apply(lambda row: row.fillna(row.mean()), axis=1)


def compare(ours, folder):
    """Return accuracies and ranks of methods, among themselves and among the published ones."""
    names = set((folder / "development_sets.txt").read_text().split())
    seen = np.array([name in names for name in ours.index])
    places = place_among_published(ours, published_accuracies(folder, ours.index))
    table = {
        "mean accuracy": ours.mean(),
        "Friedman rank": friedman(ours),
        "development sets": ours[seen].mean(),
        "other sets": ours[~seen].mean(),
        "rank among 180": places["rank"],
        "place of 180": places["place"],
    }
    return as_table(pd.DataFrame(table).sort_values("Friedman rank"), (2, 3, 2, 2, 2, 0))


def report(results, folder):
    """Return the page: the methods among themselves and among the 179 published classifiers."""
    table = results.pivot(index="set", columns="method", values="accuracy")
    ours = table[METHODS].dropna()
    kernel = table[[m for m in METHODS if "KRR" in m]].dropna()
    published = published_accuracies(folder, ours.index)
    best = friedman(published).sort_values()[:10]
    top = pd.DataFrame({"mean accuracy": published[best.index].mean(), "rank of 179": best})
    ensembles = [m for m in ours if m.startswith("RVFL ensemble")]
    wins = pd.DataFrame(
        {
            "wins": [(ours[m] > ours["RVFL"]).sum() for m in ensembles],
            "losses": [(ours[m] < ours["RVFL"]).sum() for m in ensembles],
        },
        index=ensembles,
    )
    absent = [f"- {name}" for name in set_names(folder) if name not in ours.index]
    return PAGE.format(
        n_sets=len(ours),
        n_kernel=len(kernel),
        n_all=len(set_names(folder)),
        methods=compare(ours, folder),
        kernel=compare(kernel, folder),
        wins=as_table(wins, (0, 0)),
        top=as_table(top, (2, 2)),
        absent="\n".join(absent) or "None.",
    )


PAGE = """# Closed-form learners on the 121-set benchmark

Made by

    python benchmarks/closed_form_study.py krr
    python benchmarks/closed_form_study.py rvfl
    python benchmarks/closed_form_study.py table

The collection has {n_all} sets of at most 5,000 rows and without a known defect. Protocol of the
paper: parameters of best accuracy on the second tuning half, then the mean accuracy over the four
published splits, or on the published test file. Rows of the tuning halves are tested later; that is
the published study's own choice, and all classifiers here share it.

Kernel ridge: one-hot targets without intercept, Gaussian widths gamma = 2^-16 … 2^8, ridges
2^-14 … 2^5, couplings C₂ like the ridges; equal accuracies go to the larger ridge, the wider kernel
and the weaker coupling. The second view is X W, W of size d × 2d, standard normal; KRR-O, -T and -C
use the inputs, X W and both. Networks: 3, 23, …, 203 units exp(-t²), scales 2^-5 … 2^2, direct
links and bias; ensembles have 500 networks.

"Friedman rank" is among the methods of the table. For the last two columns every method alone joins
the 179 published classifiers, accuracies rounded to one decimal as theirs are; a classifier that
failed on a set gets the mean of all there. Choices in the library were made on the development sets
alone. Small sets are run first, so a table over fewer sets leans to small ones, where kernels are
strong.

## All methods, {n_sets} sets

{methods}

The paper puts Co-KRR-max at place 2 of 183 and its RVFL ensemble at place 11.

Ensembles against the single network, in sets (the paper reports 79 wins of 121):

{wins}

The best of the 179 on the same sets:

{top}

## Kernel ridge methods, {n_kernel} sets

To be set beside Table V of the paper over 121 sets: Co-KRR-max 3.636, Co-KRR-avg 3.694, 2KRR-max
3.748, 2KRR-avg 3.789, KRR-O 3.855, KRR-C 4.074, KRR-T 5.203.

{kernel}

## Sets without a result of every method yet

{absent}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*STUDIES, "table"])
    part = parser.parse_args().part
    folder = Path(os.environ["KERNSEMBLE_DATA"])
    if part == "table":
        tables = [pd.read_csv(RESULTS / f"closed_form_{part}.csv") for part in STUDIES]
        (RESULTS / "closed_form.md").write_text(report(pd.concat(tables), folder))
    else:
        run(STUDIES[part], RESULTS / f"closed_form_{part}.csv", folder)


if __name__ == "__main__":
    main()
