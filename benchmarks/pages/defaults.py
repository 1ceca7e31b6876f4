"""Blocks of defaults.md: what every method has at its defaults beside a tuned SVC.

A method is compared on the splits that it and the SVC both have, and on those only, so that a study
that is not complete has no unfair mean; the page says which results are missing.
"""

import tomllib

import numpy as np

from .blocks import ROOT, block, table, with_error
from .rows import is_development, read_rows

STUDY, RIVAL, RIDGE = "defaults", "SVC", "KernelRidge"
STUDIES = ROOT / "benchmarks" / "studies"
#: What is no kernel method.
OTHERS = ("SVC", "RandomForest", "CatBoost", "ObliqueTree", "MPRaF", "MPRRoF", "RotationForest")
MEASURES = ["n_rows", "accuracy", "log_loss", "cpu_seconds"]


def _rows(seen=None):
    """Return measures by set, split and method, of sets that the design has seen or has not."""
    rows = read_rows(STUDY, STUDY)
    if seen is not None:
        rows = rows[is_development(rows["dataset"]) == seen]
    return rows.set_index(["dataset", "split", "method"])[MEASURES].unstack("method")


def _by_set(rows, names):
    """Return the means by set over the splits that all of these methods have."""
    names = list(names)
    common = rows[rows["accuracy"].reindex(columns=names).notna().all(axis=1)]
    # Rows have six digits. Rounding takes away what the order of a sum has left.
    found = common.loc[:, (slice(None), names)].groupby("dataset").mean().round(10)
    return found, len(common)


def _methods(rows):
    known = rows["accuracy"].columns[rows["accuracy"].notna().any()]
    return [name for name in known if not name.endswith(", paper")]


def _settings(rows, name):
    """Return the names of a method at its defaults and with the settings of its paper."""
    paper = f"{name}, paper"
    return [name, paper] if paper in rows["accuracy"] else [name]


def _points(found, name):
    """Return the points of accuracy above the SVC, by set."""
    return (100 * (found["accuracy"][name] - found["accuracy"][RIVAL])).round(8)


def _line(rows, name):
    settings = _settings(rows, name)
    found, n_splits = _by_set(rows, {RIVAL, *settings})
    if not n_splits:
        return None
    accuracy, loss, seconds = (found[measure] for measure in MEASURES[1:])
    time = "" if seconds[name].isna().all() else f"{seconds[name].mean():.2f}"
    numbers = [(f"{100 * accuracy[s].mean():.2f}", f"{loss[s].mean():.3f}") for s in settings]
    (own, own_loss), (paper, paper_loss), *_ = [*numbers, ("", "")]
    behind = _points(found, name)
    less = "" if name == RIVAL else with_error(behind)
    cells = [name, str(len(found)), str(n_splits), own, less, own_loss, time, paper, paper_loss]
    return behind.mean(), cells


def _table(seen):
    rows = _rows(seen)
    lines = [line for name in _methods(rows) if (line := _line(rows, name))]
    lines = [cells for _, cells in sorted(lines, key=lambda line: -line[0])]
    header = ["", "sets", "splits", "mean accuracy, %", "less SVC, points", "mean log-loss"]
    return table([*header, "processor s", "accuracy, paper", "log-loss, paper"], lines)


@block("defaults.development")
def development():
    return _table(True)


@block("defaults.others")
def others():
    return _table(False)


def _differences():
    """Return points above the SVC by set, and by method, of the kernel methods on unseen sets."""
    rows = _rows(False)
    names = [name for name in _methods(rows) if name not in OTHERS]
    found = {
        name: _points(_by_set(rows, {RIVAL, *_settings(rows, name)})[0], name) for name in names
    }
    return dict(sorted(found.items(), key=lambda item: item[1].mean()))


def _below(differences):
    return {name: points for name, points in differences.items() if points.mean() < -1.0}


def _loss_ratios(names):
    """Return the log-losses over that of kernel ridge on the same splits of unseen sets."""
    rows, ratios = _rows(False), {}
    for name in names:
        means = _by_set(rows, {name, RIDGE})[0]["log_loss"].mean()
        ratios[name] = means[name] / means[RIDGE]
    return ratios


@block("defaults.summary")
def summary():
    differences = _differences()
    below = [f"{name} ({points.mean():+.2f})" for name, points in _below(differences).items()]
    ratios = _loss_ratios(differences)
    worst = max(ratios, key=lambda name: ratios[name])
    return f"""
* Of {len(differences)} kernel methods, on sets that the design has not seen, more than one point \
below the tuned SVC in the mean: {", ".join(below) or "none"}.
* The largest log-loss is {ratios[worst]:.2f} times that of kernel ridge on the same splits \
({worst}).
* Every exported classifier with its defaults and with the settings of its paper, beside an SVC \
tuned inside the training part, a random forest and CatBoost, on {_coverage()}
"""


def _study():
    """Return the names of the methods and of the sets of the study, and its number of splits."""
    with (STUDIES / f"{STUDY}.toml").open("rb") as file:
        study = tomllib.load(file)
    sets = [name for path in study["datasets"] for name in (STUDIES / path).read_text().split()]
    return study["methods"], sets, study["protocol-options"]["n_splits"]


def _coverage():
    """Say on how many sets and splits the study is, and how many results the methods have."""
    methods, sets, n_splits = _study()
    wanted = len(sets) * n_splits
    text = f"{n_splits} published splits of {len(sets)} sets of up to 2,500 rows. "
    counts = _rows()["accuracy"].reindex(columns=methods).notna().sum()
    lacking = counts[counts < wanted]
    if lacking.empty:
        return text + f"Every method has all {wanted} results."
    none, some = (list(lacking.index[lacking == 0]), lacking[lacking > 0])
    said = [f"{len(methods) - len(lacking)} of {len(methods)} methods have all {wanted} results"]
    if len(some):
        said.append(f"{len(some)} have {some.min()} to {some.max()} of them")
    if none:
        said.append(f"{', '.join(none)} none yet")
    return text + f"{'; '.join(said)}."


@block("defaults.reasons")
def reasons():
    """Say of every kernel method far below the SVC how much of that two sets make."""
    lines = []
    for name, points in _below(_differences()).items():
        size = _rows(False)["n_rows"].groupby("dataset").mean()[RIVAL]
        worst = points.sort_values(kind="stable").index[:2]
        named = [
            f"{dataset.partition('/')[2]} ({points[dataset]:+.1f} points, {size[dataset]:.0f} rows)"
            for dataset in worst
        ]
        rest, share = points.drop(worst), np.mean(points >= 0.0)
        lines.append(
            f"* {name}: {with_error(points)} points; {rest.mean():+.2f} without "
            f"{' and '.join(named)}. The median over the sets is {points.median():+.2f}, and on "
            f"{100 * share:.0f} % of them it is no worse than the SVC."
        )
    return "\n".join(lines) or "No kernel method is more than one point below the SVC."
