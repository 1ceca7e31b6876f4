"""Tables and figures of the papers that follow from what they print, computed again."""

import os
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..errors import UserError
from . import statistics
from .bayesian import probability_better
from .published import published_scores, read_published

_THESIS, _BENCHMARKING = "zvi-thesis", "zhang-suganthan-2017"
_KERNEL_TABLES = [f"table-5.{number}" for number in range(2, 8)]
# Tables of ranks → tables of the accuracies that are ranked.
_RANKED = {
    "table-5.8": _KERNEL_TABLES,
    "table-5.10": ["table-5.9"],
    "table-5.11": [*_KERNEL_TABLES, "table-5.9"],
}
# Table 5.8: the name beside a rank → the method whose rank it is.
_ROWS_OF_5_8 = {
    "RBF + Sigmoid DT (10d)": "RBF + Sigmoid NN (10d)",
    "RBF + Sigmoid DT (0.5d)": "RBF + Sigmoid NN (0.5d)",
    "RBF + Poly NN (10d)": "RBF + Sigmoid DT (10d)",
    "RBF + Poly NN (0.5d)": "RBF + Sigmoid DT (0.5d)",
    "RBF + Poly DT (0.5d)": "RBF + Poly NN (0.5d)",
    "RBF + Poly DT (10d)": "RBF + Poly NN (10d)",
    "RBF + Sigmoid NN (0.5d)": "RBF + Poly DT (0.5d)",
    "RBF + Sigmoid NN (10d)": "RBF + Poly DT (10d)",
}
# Half of the last printed digit of a rank, and rounding.
_HALF_DIGIT = 0.0051
# Names in Zhang and Suganthan (2017) → names in the table of 179 classifiers.
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


def compared(paper, ours):
    """Return the columns paper, ours and difference."""
    table = pd.DataFrame({"paper": paper, "ours": ours})
    return table.assign(difference=table["ours"] - table["paper"])


def _ranks(table, notes=()):
    printed, scores = thesis_ranks(table)
    friedman = statistics.friedman(scores)
    found = f"Friedman χ²({friedman.n_methods - 1}) = {friedman.chi2:.2f}"
    compare = compared(printed, statistics.average_ranks(scores)[printed.index])
    same, allowed = agreement(printed, scores)
    text = f"{same.sum()} of {len(printed)} ranks agree to the printed digits"
    if not same.all():
        text += (
            f"; {(allowed & ~same).sum()} of the others lie between the rank with all ties won and "
            "that with all ties lost. Accuracies are printed with three decimals and tie where "
            "those that the author ranked did not"
        )
    return Reproduction(compare, (found, *notes, f"{text}."))


def thesis_ranks(table):
    """Return the ranks that a table of the thesis prints, and the accuracies that they are of."""
    rows = read_published(_THESIS)
    printed = rows[rows["table"] == table].set_index("method")["value"].astype(float)
    printed = printed.rename(index=_ROWS_OF_5_8 if table == "table-5.8" else {})
    return printed, published_scores(_THESIS, *_RANKED[table])


def agreement(printed, scores):
    """Return which printed ranks agree to their digits, and which rounded scores allow."""
    ranks = statistics.average_ranks(scores)[printed.index]
    lowest, highest = (found[printed.index] for found in statistics.rank_bounds(scores))
    allowed = (printed >= lowest - _HALF_DIGIT) & (printed <= highest + _HALF_DIGIT)
    return (printed - ranks).abs() <= _HALF_DIGIT, allowed


def _spread_of_ranks():
    """The boxes of Figure 5.1: quartiles of each method's ranks over the data sets."""
    ranks = statistics.rank_methods(published_scores(_THESIS, *_KERNEL_TABLES, "table-5.9"))
    order = ranks.mean().sort_values(kind="stable").index
    quartiles = ranks[order].quantile([0.25, 0.5, 0.75])
    quartiles.index = ["lower quartile", "median", "upper quartile"]
    ours = quartiles.T.stack()
    ours.index.names = ["method", "rank"]
    notes = (
        "Ranks over the 19 sets among all methods of Tables 5.2 to 5.9, best mean first; the "
        "thesis draws them as boxes, without numbers.",
    )
    return Reproduction(_unprinted(ours), notes)


def _unprinted(ours):
    """Return a table of what the paper shows without numbers."""
    return pd.DataFrame({"paper": float("nan"), "ours": ours, "difference": float("nan")})


def scores_of_179():
    """Return the accuracies in percent of the 179 classifiers of the 121-set study."""
    folder = os.environ.get("KERNSEMBLE_DATA")
    path = Path(folder or "") / "results" / "jmlr121_179_classifiers.csv"
    if not folder or not path.is_file():
        raise UserError(f"This table needs {path.name} in KERNSEMBLE_DATA/results.")
    return pd.read_csv(path, index_col=0)


def name_of_121(name):
    """Return the column of a method of Zhang and Suganthan (2017) among the 179 classifiers."""
    # caret's methods end in _t in the papers.
    return _NAMES_OF_121.get(name) or name.replace("_t", "_caret")


def printed_ranks(table):
    """Return the Friedman ranks that a table of Zhang and Suganthan (2017) prints."""
    return _printed(table, "Friedman rank")


def _printed(table, quantity):
    rows = read_published(_BENCHMARKING)
    rows = rows[(rows["table"] == table) & (rows["quantity"] == quantity)]
    return rows.set_index("method")["value"].astype(float)


def _means_of_121():
    printed = _printed("table-2", "mean accuracy")
    means = scores_of_179().mean()
    ours = pd.Series({name: means[name_of_121(name)] for name in printed.index})
    notes = ("Means over the sets on which a classifier did not fail.",)
    return Reproduction(compared(printed, ours), notes)


def _signs_of_121():
    """The sign test of Table IV between the methods that are published set by set."""
    printed = read_published(f"{_BENCHMARKING}-signs")
    table = scores_of_179()
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
    return Reproduction(compared(*wins), notes)


def _probabilities(table):
    scores = published_scores("wang-2019", table) / 100.0
    better = probability_better(scores)
    order = statistics.average_ranks(scores).index
    best = better.loc["MEKL-DLP", [name for name in order if name != "MEKL-DLP"]]
    notes = (
        "Probability that MEKL-DLP beats the method by more than a point (Bayesian signed rank on "
        "the printed accuracies); the paper shows it in colours, without numbers.",
    )
    return Reproduction(_unprinted(best), notes)


#: Target → function that computes it again.
RECOMPUTED = {
    f"{_THESIS}/table-5.8": lambda: _ranks(
        "table-5.8",
        (
            "The thesis's rows of RBF + Sigmoid and RBF + Poly are permuted, and stand here under "
            "the names that they have in its Table 5.11: 9.87 is printed beside RBF + Sigmoid DT "
            "(10d) and belongs to RBF + Sigmoid NN (10d), 16.24 beside that one and belongs to "
            "RBF + Poly DT (10d).",
        ),
    ),
    f"{_THESIS}/table-5.10": lambda: _ranks("table-5.10"),
    f"{_THESIS}/table-5.11": lambda: _ranks("table-5.11"),
    f"{_THESIS}/figure-5.1": _spread_of_ranks,
    f"{_BENCHMARKING}/table-2": _means_of_121,
    f"{_BENCHMARKING}/table-4": _signs_of_121,
    "wang-2019/figure-1a": lambda: _probabilities("table-3"),
    "wang-2019/figure-1b": lambda: _probabilities("table-4"),
}
