"""Blocks of mixed-tables.md: tables with categories and missing values."""

import tomllib

from kernsemble.benchmark.statistics import average_ranks

from .blocks import ROOT, block, table
from .kernel_ensemble import OURS, p_values
from .rows import means, read_rows

STUDY = "mixed-tables"
# Ours behind indicator columns and imputation. It is no rival, and has no rank among them.
BEHIND = "OneHotKernelEnsemble"
# The design has seen the first tables of the study.
N_SEEN = 10


def _cells():
    """Return the rows of the folds that ours and every rival have run."""
    rows = read_rows(STUDY, STUDY)
    counts = rows[rows["method"] != BEHIND].groupby(["dataset", "split"])["method"].nunique()
    complete = counts.index[counts == counts.max()]
    return rows[rows.set_index(["dataset", "split"]).index.isin(complete)]


def _tables():
    content = (ROOT / "benchmarks" / "studies" / f"{STUDY}.toml").read_text(encoding="utf-8")
    return tomllib.loads(content)["datasets"]


def _part(seen):
    rows = _cells()
    return rows[rows["dataset"].isin(_tables()[:N_SEEN]) == seen]


def _spent(rows):
    """Return the processor time of the fits, tables × methods: means over the folds."""
    return rows.pivot_table(index="dataset", columns="method", values="fit_cpu_seconds")


class _Comparison:
    """Means, ranks and tests of ours against every rival, by log-loss and by accuracy."""

    def __init__(self, rows):
        self.rows = rows = rows[rows["method"] != BEHIND]
        self.spent = _spent(rows)
        self.loss, self.accuracy = means(rows, "log_loss"), means(rows)
        self.ranks = average_ranks(-self.loss), average_ranks(self.accuracy)

    def place(self, number):
        """Return our place by the mean rank of log-loss (0) or accuracy (1)."""
        return list(self.ranks[number].index).index(OURS) + 1

    def table(self):
        names = list(self.ranks[0].index)
        lines = {name: [name] for name in names}
        for found, ranks, sign in zip((self.loss, self.accuracy), self.ranks, (-1, 1)):
            tests = p_values(found[OURS], found.drop(columns=OURS))
            for name in names:
                mean = found[name].mean()
                gains = sign * (found[OURS] - found[name]).round(9)
                lines[name] += [f"{mean:.4f}" if sign < 0 else f"{100 * mean:.2f}"]
                lines[name] += [f"{ranks[name]:.2f}", _wins(gains, tests.get(name))]
        times = self.spent.sum() / self.spent[OURS].sum()
        medians = self.spent.div(self.spent[OURS], axis=0).median()
        for name in names:
            lines[name].append(f"{times[name]:.2f}, {medians[name]:.2f}")
        header = ["", "mean log-loss", "rank", "our wins / losses", "mean accuracy, %", "rank"]
        header += ["our wins / losses", "time to fit, of ours: sum, median"]
        return table(header, lines.values())


def _wins(gains, p):
    return "" if p is None else f"{(gains > 0).sum()} / {(gains < 0).sum()}, p = {p:.1e}"


def _behind():
    """Return the rows of the folds that ours has run in both ways."""
    rows = _cells()
    rows = rows[rows["method"].isin([OURS, BEHIND])]
    counts = rows.groupby(["dataset", "split"])["method"].transform("nunique")
    return rows[counts == 2]


@block("mixed-tables.headline")
def headline():
    """The claim of the README."""
    found = _Comparison(_cells())
    loss, spent, (by_loss, by_accuracy) = found.loss.mean(), found.spent.sum(), found.ranks
    gain = 100 * (1 - loss[OURS] / loss["CatBoost"])
    return (
        f"On {len(found.loss)} tables with categories and missing values its mean rank is "
        f"{by_loss[OURS]:.2f} by log-loss and {by_accuracy[OURS]:.2f} by accuracy\nof "
        f"{len(by_loss)} methods, and its log-loss {gain:.0f} % "
        f"below CatBoost's, in {spent[OURS] / spent['CatBoost']:.1f} of its processor time."
    )


@block("mixed-tables.summary")
def summary():
    found, unseen = _Comparison(_cells()), _Comparison(_part(False))
    loss, (by_loss, by_accuracy), spent = found.loss.mean(), found.ranks, found.spent
    gain, other = (
        100 * (1 - own[OURS].mean() / own["CatBoost"].mean()) for own in (found.loss, unseen.loss)
    )
    ratios = spent[OURS] / spent["CatBoost"]
    seconds = spent[OURS].sum() / spent["CatBoost"].sum()
    second, third = by_loss.drop(OURS), by_accuracy.drop(OURS)
    honest = means(found.rows, "honest_accuracy")[OURS] - found.accuracy[OURS]
    return f"""
* {scope()} The flagship is number {found.place(0)} of {len(by_loss)} in mean rank of log-loss \
({by_loss[OURS]:.2f}; {second.index[0]} has {second.iloc[0]:.2f}) and number {found.place(1)} in \
that of accuracy ({by_accuracy[OURS]:.2f}; {third.index[0]} has {third.iloc[0]:.2f}).
* Its mean log-loss is {loss[OURS]:.4f}, {gain:.1f} % below CatBoost's {loss["CatBoost"]:.4f} \
(target: 2 %); on the {len(unseen.loss)} tables that its design has not seen, {other:.1f} % below.
* Its fits take {seconds:.2f} of CatBoost's processor time in all (target: at most 1.5), and \
{ratios.median():.2f} on the median table, from {ratios.min():.2f} to {ratios.max():.2f}.
* {worth()}
* `honest_accuracy_` less test accuracy is {100 * honest.mean():+.2f} points.
"""


def worth():
    """Return what taking the tables as they are is worth, in a sentence."""
    rows = _behind()
    if rows.empty:
        return "The flagship behind indicator columns and imputation has not been run yet."
    loss, accuracy, spent = means(rows, "log_loss"), means(rows), _spent(rows)
    gains = (loss[BEHIND] - loss[OURS]).round(9)
    p = p_values(loss[OURS], loss[[BEHIND]])[BEHIND]
    gain = 100 * (1 - loss[OURS].mean() / loss[BEHIND].mean())
    return (
        f"Behind indicator columns and imputation its log-loss is {loss[BEHIND].mean():.4f}, its "
        f"accuracy {100 * accuracy[BEHIND].mean():.2f} % instead of {loss[OURS].mean():.4f} and "
        f"{100 * accuracy[OURS].mean():.2f} % on {len(loss)} tables: taking them as they are is "
        f"worth {gain:.1f} % of log-loss ({_wins(gains, p)}), at "
        f"{spent[OURS].sum() / spent[BEHIND].sum():.2f} of the time."
    )


@block("mixed-tables.all")
def all_tables():
    return _Comparison(_cells()).table()


def scope():
    splits = _cells().groupby("dataset")["split"].nunique()
    few, many = splits.min(), splits.max()
    folds = f"{few}" if few == many else f"{few} to {many}"
    return f"{len(splits)} of {len(_tables())} tables, {folds} of five folds each."


@block("mixed-tables.development")
def development():
    return _Comparison(_part(True)).table()


@block("mixed-tables.others")
def others():
    return _Comparison(_part(False)).table()


@block("mixed-tables.tables")
def every_table():
    """Log-loss and accuracy of ours and the rivals, table by table."""
    found, behind = _Comparison(_cells()), _behind()
    losses = [found.loss, means(behind, "log_loss")]
    accuracies = [found.accuracy, means(behind)]
    names = [*((0, name) for name in found.ranks[0].index), (1, BEHIND)]
    lines = []
    for dataset in (name for name in _tables() if name in found.loss.index):
        pairs = [
            f"{losses[k].at[dataset, name]:.4f}, {100 * accuracies[k].at[dataset, name]:.2f}"
            if dataset in losses[k].index
            else ""
            for k, name in names
        ]
        star = " *" if dataset in _tables()[:N_SEEN] else ""
        times = found.spent.loc[dataset]
        seconds = f"{times[OURS]:.1f} / {times['CatBoost']:.1f}"
        lines.append([dataset.removeprefix("mixed/") + star, *pairs, seconds])
    return table(["", *(name for _, name in names), "fit, s: ours / CatBoost"], lines)
