"""Blocks of understanding.md: flipped labels that are found, p-values, the cost of explanations."""

import pandas as pd

from .blocks import block, table
from .rows import FOLDER
from .speed import measured


def _flipped():
    return pd.read_csv(FOLDER / "suspects.csv")


def _by(rows, *columns):
    return rows.groupby([*columns, "method"])[
        ["precision", "recall", "average_precision", "n_wrong", "seconds"]
    ].mean()


@block("understanding.summary")
def summary():
    means = _by(_flipped()).round(3)
    ours, theirs = means.loc["suspects"], means.loc["cleanlab"]
    distance = measured("novelty_uniform", "distance")
    found, forest = (measured("novelty_uniform", name) for name in ("found", "isolation_forest"))
    ratio = measured("explain_vs_shap", "ratio")
    said = " and ".join(f"{value:.3f} for `{case}`" for case, value in ratio.items())
    return f"""
* `suspects()` finds flipped labels with precision {ours.precision:.3f} and recall \
{ours.recall:.3f}; cleanlab with five folds of the same model {theirs.precision:.3f} and \
{theirs.recall:.3f}.
* It takes {ours.seconds:.1f} s of processor time where cleanlab's cross-validation takes \
{theirs.seconds:.1f}.
* p-values of `novelty` are uniform on held-out rows of {len(distance)} sets: the largest \
Kolmogorov–Smirnov distance is {distance.max():.3f}.
* It finds {100 * found.mean():.0f} % of rows with shuffled columns at 5 % false alarms, an \
isolation forest {100 * forest.mean():.0f} %.
* `explain` takes {said} of the time of shap's KernelExplainer at no larger error; 0.05 was the aim.
"""


@block("understanding.flipped")
def flipped():
    means = _by(_flipped(), "split")
    lines = [
        [
            f"{100 * share:g} %",
            method,
            *(f"{row[name]:.3f}" for name in ("precision", "recall", "average_precision")),
            f"{row.n_wrong:.2f}",
            f"{row.seconds:.2f}",
        ]
        for (share, method), row in means.iterrows()
    ]
    heads = ["flipped", "", "precision", "recall", "average precision", "estimated / true", "s"]
    return table(heads, lines)


@block("understanding.sets")
def sets():
    means = _by(_flipped(), "dataset", "split").reset_index()
    wide = means.pivot(index=["dataset", "split"], columns="method", values=["precision", "recall"])
    lines = [
        [
            dataset,
            f"{100 * share:g} %",
            *(
                f"{row[(name, method)]:.3f}"
                for name in ("precision", "recall")
                for method in ("suspects", "cleanlab")
            ),
        ]
        for (dataset, share), row in wide.iterrows()
    ]
    heads = ["set", "flipped", "precision", "cleanlab's", "recall", "cleanlab's"]
    return table(heads, lines)


@block("understanding.novelty")
def novelty():
    names = ("distance", "noise", "found", "isolation_forest")
    values = {name: measured("novelty_uniform", name) for name in names}
    lines = [
        [case, *(f"{values[name][case]:.3f}" for name in names)]
        for case in values["distance"].index
    ]
    heads = ["set", "distance", "5 % point", "shuffled rows found", "isolation forest"]
    return table(heads, lines)


@block("understanding.explain")
def explain():
    names = ("ours_s", "theirs_s", "error", "their_error", "stated_error", "size")
    counts = ("n_coalitions", "shap_rows")
    values = {name: measured("explain_vs_shap", name) for name in (*names, *counts)}
    lines = [
        [
            case,
            *(f"{values[name][case]:.3g}" for name in names),
            *(f"{values[name][case]:.0f}" for name in counts),
        ]
        for case in values["ours_s"].index
    ]
    heads = ["", "ours, s", "shap, s", "our error", "shap's", "stated", "size"]
    return table([*heads, "coalitions", "rows by shap"], lines)
