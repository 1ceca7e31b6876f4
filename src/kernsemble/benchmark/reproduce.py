"""The papers' tables again: what they print, what we find, and the difference.

A target is a paper and a table, ``001-5.10``. Some tables follow from others in the same paper and
are computed again from what is printed; tables of accuracies are run again (`experiments`), cell by
cell into a ledger, so that a run can be stopped and continued.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from kernsemble.datasets import list_datasets

from ..errors import UserError, unknown_name
from . import statistics
from .bayesian import probability_better
from .experiments import EXPERIMENTS, METHODS_OF_003
from .published import published_scores, read_published
from .results import mean_table, tested_rows
from .runner import run_study
from .study import make_study

__all__ = [
    "PAPERS",
    "Reproduction",
    "list_targets",
    "match_targets",
    "name_of_121",
    "reproduce",
]

PAPERS = {
    "000": "RPEMEKL: multiple empirical kernel learning on random subsets",
    "001": "Ensemble classifiers via kernel PCA",
    "002": "MRSKL: multiple random subset-kernel learning",
    "003": "Oblique forests, RVFL and co-trained kernel ridge ensembles on 121 data sets",
    "004": "MEKL-DLP: multiple empirical kernel learning with locality preservation",
}

# What no run can bring back, and why.
_DIAGRAM = "a diagram, without data"
_BETA_CURVES = "curves without numbers; examples/plot_mekl_dlp_beta.py draws one"
IMPOSSIBLE = {
    "000-1": "lists the steps of the algorithm",
    "000-3": "training times of another machine and another language",
    "000-F1": "a curve without numbers; examples/plot_rpemekl_convergence.py draws it",
    "001-5.1": "describes the data",
    "001-F1.1": _DIAGRAM,
    "001-F2.1": _DIAGRAM,
    "001-F4.1": _DIAGRAM,
    "001-F4.2": _DIAGRAM,
    "001-F4.3": _DIAGRAM,
    "002-F1": "boundaries on a drawing of artificial data whose centres are not printed; "
    "examples/plot_mrskl.py draws them on another",
    "002-F2": "training accuracies, a curve without numbers but the last, 92.20; the benchmark "
    "keeps accuracies on test rows",
    "003-1": "lists symbols",
    "003-3": "lists settings",
    "003-5": "ranks between variants of one method whose results are not published set by set",
    "003-A": "the appendix with results set by set is not part of the printed article",
    "003-F1": _DIAGRAM,
    "003-F2": _DIAGRAM,
    "003-F3": "boundaries on two spirals, a picture without numbers; "
    "examples/plot_oblique_boundaries.py draws them",
    "003-F4": _DIAGRAM,
    "004-1": "lists the steps of the algorithm",
    "004-2": "describes the data",
    "004-F2": _BETA_CURVES,
    "004-F3": _BETA_CURVES,
}

_KERNEL_PCA_TABLES = [f"5.{number}" for number in range(2, 8)]
# Names in 003 → names in the table of 179 classifiers.
_NAMES_OF_121 = {"KRR": "elm_kernel_matlab", "svm_C": "svm_C", "rforest_R": "rforest_R"}
_NAMES_OF_121 |= {"RaForest_R": "rforest_R", "adaboost_R": "adaboost_R"}
_NAMES_OF_121 |= {"BG_LibSVM_w": "Bagging_LibSVM_weka", "B_LibSVM_w": "Bagging_LibSVM_weka"}
_NAMES_OF_121 |= {"MAB_LibSVM_w": "MultiBoostAB_LibSVM_weka", "LibSVM_w": "LibSVM_weka"}
_NAMES_OF_121 |= {"RotationForest_w": "RotationForest_weka"}
_NAMES_OF_121 |= {"parRaF_t": "parRF_caret", "RaF_t": "rf_caret", "RRaF_t": "RRF_caret"}


class Reproduction(NamedTuple):
    """Rows with the columns paper, ours and difference, and what has to be said about them."""

    table: pd.DataFrame
    notes: tuple


def _compared(paper, ours):
    table = pd.DataFrame({"paper": paper, "ours": ours})
    return table.assign(difference=table["ours"] - table["paper"])


def _ranks(table, *sources, notes=()):
    rows = read_published("001")
    printed = rows[rows["table"] == table].set_index("method")["value"].astype(float)
    scores = published_scores("001", *sources)
    friedman = statistics.friedman(scores)
    found = f"Friedman χ²({friedman.n_methods - 1}) = {friedman.chi2:.2f}"
    ranks = statistics.average_ranks(scores)[printed.index]
    return Reproduction(_compared(printed, ranks), (found, *notes))


def _spread_of_ranks():
    """The boxes of Figure 5.1: quartiles of each method's ranks over the data sets."""
    ranks = statistics.rank_methods(published_scores("001", *_KERNEL_PCA_TABLES, "5.9"))
    order = ranks.mean().sort_values(kind="stable").index
    quartiles = ranks[order].quantile([0.25, 0.5, 0.75])
    quartiles.index = ["lower quartile", "median", "upper quartile"]
    ours = quartiles.T.stack()
    ours.index.names = ["method", "rank"]
    notes = (
        "Ranks over the 19 sets among all methods of Tables 5.2 to 5.9, best mean first; the paper "
        "draws them as boxes, without numbers.",
    )
    return Reproduction(_unprinted(ours), notes)


def _unprinted(ours):
    """Return a table of what the paper shows without numbers."""
    return pd.DataFrame({"paper": float("nan"), "ours": ours, "difference": float("nan")})


def _scores_of_179():
    folder = os.environ.get("KERNSEMBLE_DATA")
    path = Path(folder or "") / "results" / "jmlr121_179_classifiers.csv"
    if not folder or not path.is_file():
        raise UserError(f"This table needs {path.name} in KERNSEMBLE_DATA/results.")
    return pd.read_csv(path, index_col=0)


def name_of_121(name):
    """Return the column of a method of 003 in the table of 179 classifiers."""
    # caret's methods end in _t in the papers.
    return _NAMES_OF_121.get(name) or name.replace("_t", "_caret")


def _means_of_121():
    rows = read_published("003")
    rows = rows[(rows["table"] == "2") & (rows["quantity"] == "mean accuracy")]
    printed = rows.set_index("method")["value"].astype(float)
    means = _scores_of_179().mean()
    ours = pd.Series({name: means[name_of_121(name)] for name in printed.index})
    notes = ("Means over the sets on which a classifier did not fail.",)
    return Reproduction(_compared(printed, ours), notes)


def _signs_of_121():
    """The sign test of Table IV between the methods that are published set by set."""
    printed = read_published("003_signs")
    table = _scores_of_179()
    known = [name for name in printed["method"].unique() if name_of_121(name) in table.columns]
    found, threshold = statistics.sign_test(table[[name_of_121(name) for name in known]])
    found = found.set_axis(known, axis=0).set_axis(known, axis=1)
    signs = printed.pivot(index="method", columns="other", values="sign")
    signs = signs.reindex(index=known, columns=known).fillna("")
    same = int((signs == found).to_numpy().sum()) - len(known)
    notes = (
        "Number of other methods that a method beats significantly often (sign test).",
        f"{same} of {len(known) * (len(known) - 1)} entries agree; a win counts from "
        f"{threshold:.2f} of {len(table)} sets.",
        "The four methods of the paper itself are not published set by set and are left out.",
    )
    wins = [(part == "+").sum(axis=1).astype(float) for part in (signs, found)]
    return Reproduction(_compared(*wins), notes)


def _probabilities(table):
    scores = published_scores("004", table) / 100.0
    better = probability_better(scores)
    order = statistics.average_ranks(scores).index
    best = better.loc["MEKL-DLP", [name for name in order if name != "MEKL-DLP"]]
    notes = (
        "Probability that MEKL-DLP beats the method by more than a point (Bayesian signed rank on "
        "the printed accuracies); the paper shows it in colours, without numbers.",
    )
    return Reproduction(_unprinted(best), notes)


RECOMPUTED = {
    "001-5.8": lambda: _ranks(
        "5.8",
        *_KERNEL_PCA_TABLES,
        notes=(
            "The paper's rows of RBF + Sigmoid and RBF + Poly are permuted: 9.87 belongs to "
            "RBF + Sigmoid NN (10d), 16.24 to RBF + Poly DT (10d).",
        ),
    ),
    "001-5.10": lambda: _ranks("5.10", "5.9"),
    "001-5.11": lambda: _ranks(
        "5.11",
        *_KERNEL_PCA_TABLES,
        "5.9",
        notes=("Printed accuracies have three decimals, which makes ties the authors had not.",),
    ),
    "001-F5.1": _spread_of_ranks,
    "003-2": _means_of_121,
    "003-4": _signs_of_121,
    "004-F1a": lambda: _probabilities("3"),
    "004-F1b": lambda: _probabilities("4"),
}


def _ranks_among_179(ledger, only, options):
    """Run the methods of 003 under its protocol; rank each among the 179 published classifiers."""
    published = _scores_of_179()
    known = [entry for entry in list_datasets() if entry.collection == "jmlr121"]
    chosen = {
        entry.name: entry.stem
        for entry in known
        if not entry.flawed
        and entry.stem in published.index
        and (not only or entry.stem in only or entry.name in only)
    }
    if not chosen:
        raise UserError("None of the data sets is an unflawed one of KERNSEMBLE_DATA/jmlr121.")
    study = make_study(list(chosen), list(METHODS_OF_003), "published", variants=METHODS_OF_003)
    run_study(study, ledger, **options)
    rows = tested_rows(ledger.results(), "published")
    rows = rows[rows["dataset"].isin(chosen) & rows["method"].isin(METHODS_OF_003)]
    # The published accuracies have one decimal; with more, ours would never tie.
    ours = (100.0 * mean_table(rows)).rename(index=chosen).round(1)
    scores = statistics.complete(published.loc[ours.index].join(ours), "mean")
    ranks = statistics.rank_methods(scores).mean()
    printed = read_published("003")
    printed = printed[(printed["table"] == "6") & (printed["quantity"] == "Friedman rank")]
    printed = printed.set_index("method")["value"].astype(float)
    notes = (
        f"Average ranks among 179 published classifiers and these {len(METHODS_OF_003)} over "
        f"{len(ours)} sets; the paper's are among 183 over 121.",
        "Flawed sets are left out. Kernel ridges and networks tune themselves by leave-one-out.",
    )
    names = list(METHODS_OF_003)
    return Reproduction(_compared(printed[names], ranks[names]), notes)


def list_targets():
    """Return every target with how it is reproduced, or why it cannot be."""
    targets = dict.fromkeys(RECOMPUTED, "computed again from what is printed")
    for name, experiment in EXPERIMENTS.items():
        missing = experiment.missing
        without = f", without {', '.join(missing)}" if missing else ""
        n_sets, n_methods = len(experiment.datasets), len(experiment.methods) - len(missing)
        targets[name] = f"run again: {n_methods} methods on {n_sets} data sets{without}"
    targets["003-6"] = "run again on the 121 sets, ranked among the 179 published classifiers"
    targets |= {name: f"cannot be reproduced: {why}" for name, why in IMPOSSIBLE.items()}
    return dict(sorted(targets.items(), key=lambda item: _order(item[0])))


def _order(target):
    paper, _, table = target.partition("-")
    return paper, [int(part) if part.isdigit() else 99 for part in table.split(".")], table


def match_targets(text):
    """Return the targets that ``PAPER`` or ``PAPER-TABLE`` means."""
    targets = list_targets()
    if text in targets:
        return [text]
    if text in PAPERS:
        return [name for name in targets if name.startswith(text) and name not in IMPOSSIBLE]
    raise unknown_name("paper or table", text, [*PAPERS, *targets])


def reproduce(target, ledger, *, only=None, **options):
    """Return what a target prints and what we find.

    Parameters
    ----------
    target : str
        A name of `list_targets`.
    ledger : Ledger
        Where cells of experiments are kept.
    only : list of str, default=None
        Data sets of an experiment to run; None means all.
    **options
        Of `run_study`.
    """
    if target in IMPOSSIBLE:
        raise UserError(f"{target} cannot be reproduced: {IMPOSSIBLE[target]}.")
    if target in RECOMPUTED:
        return RECOMPUTED[target]()
    if target == "003-6":
        return _ranks_among_179(ledger, only, options)
    return _run_again(EXPERIMENTS[target], ledger, only, options)


def _run_again(experiment, ledger, only, options):
    study = experiment.study(only)
    summary = run_study(study, ledger, **options)
    rows = tested_rows(ledger.results(), study.protocol.name)
    ours = 100.0 * mean_table(rows)
    printed = experiment.scale * published_scores(experiment.paper, experiment.table)
    names = {source: name for name, source in experiment.datasets.items()}
    ours = ours.rename(index=names)[list(study.methods)].loc[
        [names[label] for label in study.datasets]
    ]
    printed = printed.loc[ours.index, ours.columns]
    means = pd.DataFrame({"paper": printed.mean(), "ours": ours.mean()})
    means.index = pd.MultiIndex.from_product([["mean"], means.index])
    table = pd.concat([_compared(printed.stack(), ours.stack()), _compared(**means)])
    table.index.names = ["data set", "method"]
    notes = list(experiment.notes)
    if experiment.missing:
        notes.append(f"Not in this version of the library: {', '.join(experiment.missing)}.")
    if summary.failed:
        notes.append(f"{summary.failed} of {summary.planned} cells failed.")
    return Reproduction(table, tuple(notes))
