"""Blocks of zhang-suganthan-2017.md: forests, kernel ridges and networks on the 121-set study."""

import tomllib
from functools import cache

import pandas as pd

from kernsemble.benchmark.experiments import list_experiments
from kernsemble.benchmark.published import read_published
from kernsemble.benchmark.recompute import scores_of_179
from kernsemble.benchmark.reproduce import compare_with_paper
from kernsemble.benchmark.statistics import complete, rank_methods, wilcoxon_p

from .blocks import ROOT, block, table
from .rows import is_development, means, read_rows

STUDY = "zhang-suganthan-2017"
HALVES, FORESTS, RIDGES = (f"{STUDY}/{name}" for name in ("halves", "table-6", "table-5"))
NETWORKS, PERTURBED = "rvfl", "RVFL ensemble, one-sided, vote"
# Printed name in Table VI → our method and its protocol.
PRINTED = {
    "MPRaF": ("MPRaF", FORESTS),
    "MPRRoF": ("MPRRoF", FORESTS),
    "CoKRR-max": ("Co-KRR-max", HALVES),
    "KRR": ("KRR-O", HALVES),
    "RVFL ensemble": ("RVFL ensemble, one-sided, vote", HALVES),
}
RIVALS = {"parRF_t": "parRF_caret", "rf_t": "rf_caret", "RotationForest_w": "RotationForest_weka"}


def _ours(protocol):
    """Return accuracies in percent, data sets under the names of the study × methods."""
    found = 100 * means(read_rows(STUDY, protocol)).dropna()
    return found.set_axis(found.index.str.rpartition("/").get_level_values(2))


def _against(ours, theirs):
    """Return wins, losses and the p-value of Wilcoxon's test, in text."""
    gains = (ours - theirs).round(9)
    p = wilcoxon_p(gains)
    said = f"{(gains > 0).sum()} : {(gains < 0).sum()}, p = {p:.2g}"
    return said if p < 0.05 else f"{said}, not significant"


def _published(sets):
    """Return the published table; a classifier that failed on a set gets the mean of all there."""
    return complete(scores_of_179().loc[sets], "mean")


def _place_alone(ours):
    """Return rank and place of each method when it alone joins the 179 published classifiers."""
    places = {}
    for method in ours:
        joined = _published(ours.index).assign(**{method: ours[method].round(1)})
        ranks = rank_methods(joined).mean()
        places[method] = ranks[method], int((ranks < ranks[method]).sum()) + 1
    return pd.DataFrame(places, index=["rank", "place"]).T


@cache
def _printed_alone():
    """Return accuracy, rank and place of the methods of Table VI, ours and printed."""
    ours = {name: _ours(protocol)[method] for name, (method, protocol) in PRINTED.items()}
    ours = pd.DataFrame(ours)
    rows = read_published(STUDY)
    printed = rows[rows["table"] == "table-6"].pivot(
        index="method", columns="quantity", values="value"
    )
    found = _place_alone(ours).assign(accuracy=ours.mean()).sort_values("rank")
    return found.join(printed.astype(float)), len(ours)


@block("zhang-suganthan.summary")
def summary():
    found, n_sets = _printed_alone()
    ridges = compare_with_paper(list_experiments()[RIDGES], read_rows(STUDY, HALVES)).table
    ours, networks = ridges["ours"].sort_values(), _ours(HALVES)
    vote = networks["RVFL ensemble, one-sided, vote"]
    wins = _against(vote, networks["RVFL"])
    said = {
        name: f"rank {row['rank']:.1f} and place {row.place:.0f} (the paper "
        f"{row['Friedman rank']:.1f} and {row.position:.0f})"
        for name, row in found.iterrows()
    }
    return f"""
* {n_sets} sets without a known flaw and of at most 5,000 rows, on their published splits; each \
method alone among the 179 published classifiers. The paper's figures are among 183 on 121 sets.
* MPRaF has {said["MPRaF"]}, MPRRoF {said["MPRRoF"]}.
* Co-KRR-max has {said["CoKRR-max"]}, the RVFL ensemble {said["RVFL ensemble"]}.
* Among the seven kernel ridges of Table V, {ours.index[0]} has the best and {ours.index[-1]} the \
worst mean rank here, {ridges["paper"].idxmin()} and {ridges["paper"].idxmax()} in the paper.
* The ensemble of 500 networks wins and loses {wins} against a single one; the paper has 79 \
wins of 121.
"""


@block("zhang-suganthan.table-6")
def table_6():
    found, _ = _printed_alone()
    digits = {"accuracy": 2, "rank": 2, "place": 0}
    digits |= {"mean accuracy": 2, "Friedman rank": 2, "position": 0}
    lines = [
        [name, *(f"{row[column]:.{number}f}" for column, number in digits.items())]
        for name, row in found.iterrows()
    ]
    header = ["", "mean accuracy, %", "rank among 180", "place"]
    return table([*header, "paper: accuracy", "rank among 183", "place"], lines)


@block("zhang-suganthan.table-5")
def table_5():
    experiment = list_experiments()[RIDGES]
    halves = compare_with_paper(experiment, read_rows(STUDY, HALVES))
    header, columns = ["", "paper, 121 sets", "ours, halves"], [halves.table["ours"]]
    again = read_rows(STUDY, RIDGES)
    if len(again):
        found = compare_with_paper(experiment, again)
        n_sets = len(means(again).dropna())
        header.append(f"ours, leave-one-out, {n_sets} sets")
        columns.append(found.table["ours"])
    lines = [
        [name, f"{printed:.3f}", *(f"{column[name]:.3f}" for column in columns)]
        for name, printed in halves.table["paper"].sort_values().items()
    ]
    return table(header, lines)


@block("zhang-suganthan.closed-form")
def closed_form():
    ours = _ours(HALVES)
    seen, places = is_development("jmlr121/" + ours.index), _place_alone(ours)
    ranks = rank_methods(ours).mean().sort_values()
    lines = [
        [name, f"{ours[name].mean():.2f}", f"{rank:.3f}"]
        + [f"{ours.loc[part, name].mean():.2f}" for part in (seen, ~seen)]
        + [f"{places.loc[name, 'rank']:.2f}", f"{places.loc[name, 'place']:.0f}"]
        for name, rank in ranks.items()
    ]
    header = ["", "mean accuracy, %", "mean rank of these", "development sets", "other sets"]
    return table([*header, "rank among 180", "place"], lines)


@block("zhang-suganthan.bagged")
def bagged():
    ours = _ours(NETWORKS)
    perturbed, bags, one = (ours[name] for name in (PERTURBED, "bagged RVFL, vote", "RVFL"))
    lines = [[name, f"{ours[name].mean():.2f}"] for name in ours.mean().sort_values().index[::-1]]
    study = tomllib.loads((ROOT / "benchmarks" / "studies" / "rvfl.toml").read_text())
    left = sorted({name.rpartition("/")[2] for name in study["datasets"]} - set(ours.index))
    missing = f"\n\nSets of the study that were not run: {', '.join(left)}." if left else ""
    return f"""
{table([f"{len(ours)} sets", "mean accuracy, %"], lines)}

Perturbed against bagged networks: {_against(perturbed, bags)}; the paper has 75 : 34 on 121 sets. \
Against a single network, perturbed ones have {_against(perturbed, one)} and bagged ones \
{_against(bags, one)}.{missing}
"""


@block("zhang-suganthan.ridge-tests")
def ridge_tests():
    ours, lines = _ours(HALVES), []
    for name in ("Co-KRR-avg", "Co-KRR-max"):
        for rival in ("KRR-O", name.replace("Co-KRR", "2KRR")):
            lines.append([f"{name} against {rival}", _against(ours[name], ours[rival])])
    return table(["", "sets won : lost"], lines)


@block("zhang-suganthan.best-of-179")
def best_of_179():
    published = _published(_ours(HALVES).index)
    ranks = rank_methods(published).mean().sort_values()[:10]
    lines = [[n, f"{published[n].mean():.2f}", f"{rank:.2f}"] for n, rank in ranks.items()]
    return table(["", "mean accuracy, %", "rank of 179"], lines)


@block("zhang-suganthan.forests")
def forests():
    exact, ours = _ours(FORESTS), _ours(FORESTS).round(1)
    published = _published(ours.index).rename(columns={v: k for k, v in RIVALS.items()})
    five = ours.join(published[list(RIVALS)])
    accuracies = exact.join(published[list(RIVALS)])
    seen = is_development("jmlr121/" + ours.index)
    lines = []
    for label, kept in (("all", seen | True), ("development", seen), ("other", ~seen)):
        part = five[kept]
        every = rank_methods(published[kept].join(ours[kept])).mean()
        for name, rank in rank_methods(part).mean().sort_values().items():
            gain = part[name] - part["parRF_t"]
            against = f"{(gain > 1e-9).sum()} / {(gain < -1e-9).sum()}"
            mean = accuracies.loc[kept, name].mean()
            numbers = [f"{mean:.2f}", f"{rank:.2f}", f"{every[name]:.2f}", against]
            lines.append([f"{label} {kept.sum()}", name, *numbers])
    header = ["sets", "", "mean accuracy, %", "mean rank of five", "rank of 181"]
    return table([*header, "wins / losses against parRF_t"], lines)


@block("zhang-suganthan.leave-one-out")
def leave_one_out():
    found = 100 * means(read_rows("leave-one-out"))
    ours, theirs = found["leave-one-out"], found["four folds"]
    wins, losses = int((ours > theirs).sum()), int((ours < theirs).sum())
    return (
        f"On halves of {len(found)} sets, kernel ridge with width and strength by leave-one-out "
        f"has {ours.mean():.2f} % on average, by a grid search with four folds "
        f"{theirs.mean():.2f} %: {wins} wins, {losses} losses, Wilcoxon "
        f"p = {wilcoxon_p(ours - theirs):.3f}."
    )


@block("zhang-suganthan.relatives")
def relatives():
    rows = read_rows("forest-relatives")
    accuracy, loss, seconds = (
        rows.pivot_table(index="dataset", columns="method", values=name)
        for name in ("accuracy", "log_loss", "cpu_seconds")
    )
    lines = []
    for name in sorted(accuracy):
        base, said = name.partition(",")[0], ["", ""]
        if name != base:
            said = [_against(own[name], own[base]) for own in (accuracy, -loss)]
        numbers = f"{100 * accuracy[name].mean():.2f}", f"{loss[name].mean():.3f}"
        lines.append([name, *numbers, *said, f"{seconds[name].sum():.1f}"])
    header = [f"{len(accuracy)} sets", "accuracy, %", "log-loss"]
    return table([*header, "accuracy, won : lost", "log-loss, won : lost", "CPU s"], lines)
