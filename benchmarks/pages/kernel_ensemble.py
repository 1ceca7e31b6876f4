"""Blocks of kernel_ensemble.md and of the README."""

from kernsemble.benchmark.statistics import average_ranks, holm, wilcoxon_p

from .blocks import block, table, with_error
from .rows import is_development, means, read_rows

OURS, STUDY = "KernelEnsemble", "kernel-ensemble"
# Sets of few rows have test parts of a dozen, and class shares that one row changes.
SMALL = 200
MEDIUM = 1000


def _cells():
    """Return the rows of the splits that every method has run."""
    rows = read_rows(STUDY, STUDY)
    counts = rows.groupby(["dataset", "split"])["method"].transform("nunique")
    return rows[counts == rows["method"].nunique()]


def _part(seen):
    rows = _cells()
    return rows[is_development(rows["dataset"]) == seen]


def p_values(ours, theirs):
    """Return Holm's adjusted p-values of two-sided signed-rank tests, column by column."""
    raw = [wilcoxon_p(ours - theirs[name]) for name in theirs.columns]
    return dict(zip(theirs.columns, holm(raw)))


class _Comparison:
    """Means, ranks and tests of ours against every rival."""

    def __init__(self, rows):
        self.rows = rows
        self.accuracy, self.loss = means(rows), means(rows, "log_loss")
        self.ranks = average_ranks(self.accuracy)
        self.rivals = [name for name in self.ranks.index if name != OURS]
        if self.ranks.index[0] != OURS:
            raise ValueError(f"{OURS} has not the best mean rank: write another sentence.")
        self.p_accuracy = p_values(self.accuracy[OURS], self.accuracy[self.rivals])
        self.p_loss = p_values(self.loss[OURS], self.loss[self.rivals])

    def best(self, values, largest=True):
        """Return the rival with the largest or the smallest mean, and that mean."""
        rivals = values[self.rivals].mean()
        name = rivals.idxmax() if largest else rivals.idxmin()
        return name, rivals[name]

    def fit_seconds(self, name):
        """Return the median processor seconds of a method's fits, with the search of its grid.

        Only first splits are compared, which all methods have run beside each other.
        """
        own = self.rows[(self.rows["method"] == name) & (self.rows["split"] == "0")]
        return (own["fit_cpu_seconds"] + own["tune_seconds"]).median()

    def table(self):
        lines = []
        for name in self.ranks.index:
            theirs = self.accuracy[name]
            gains = (self.accuracy[OURS] - theirs).round(9)
            against = ["", "", ""]
            if name != OURS:
                wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
                tests = (f"{self.p_accuracy[name]:.1e}", f"{self.p_loss[name]:.1e}")
                against = [tests[0], f"{wins} / {losses}", tests[1]]
            numbers = [f"{100 * theirs.mean():.2f}", f"{self.ranks[name]:.2f}", *against[:2]]
            numbers += [f"{self.loss[name].mean():.4f}", against[2]]
            numbers += [f"{self.fit_seconds(name):.2f}"]
            lines.append([name, *numbers])
        header = ["", "mean accuracy, %", "mean rank", "p", "our wins / losses"]
        return table([*header, "mean log-loss", "p", "median fit, s of one core"], lines)


def _gap(rows, column="honest_accuracy"):
    """Return honest less test accuracy in points, by set."""
    ours = rows[rows["method"] == OURS].groupby("dataset")[[column, "accuracy"]].mean()
    return 100 * (ours[column] - ours["accuracy"])


@block("kernel-ensemble.headline")
def headline():
    """The claim of the README."""
    found = _Comparison(_cells())
    second, loss = found.rivals[0], found.best(found.loss, largest=False)[1]
    return (
        f"On {len(found.accuracy)} data sets of the 121-set study it has the best mean rank of "
        f"{len(found.ranks)} methods,\n{found.ranks[OURS]:.2f} before {second} with "
        f"{found.ranks[second]:.2f} (p = {found.p_accuracy[second]:.1g}), and a mean log-loss of "
        f"{found.loss[OURS].mean():.3f};\nthe best rival's is {loss:.3f}."
    )


@block("kernel-ensemble.summary")
def summary():
    found, unseen = _Comparison(_cells()), _Comparison(_part(False))
    second, ours = found.rivals[0], found.accuracy[OURS]
    rival, accuracy = found.best(found.accuracy)
    calm, loss = found.best(found.loss, largest=False)
    gaps, drawn = _gap(_cells()), _gap(read_rows(STUDY, "stratified-quarter"))
    return f"""
* Best mean rank of {len(found.ranks)} methods on {len(ours)} sets: {found.ranks[OURS]:.2f}, \
before {second} with {found.ranks[second]:.2f} (p = {found.p_accuracy[second]:.1e}).
* Mean accuracy {100 * ours.mean():.2f} %, the best rival's {100 * accuracy:.2f} % ({rival}); mean \
log-loss {found.loss[OURS].mean():.4f}, the best rival's {loss:.4f} ({calm}).
* On the {len(unseen.accuracy)} sets that its design has not seen: rank {unseen.ranks[OURS]:.2f} \
before {unseen.ranks[unseen.rivals[0]]:.2f}, accuracy {100 * unseen.accuracy[OURS].mean():.2f} %.
* `honest_accuracy_`, known without test rows, less test accuracy is {gaps.mean():+.2f} points on \
these splits and {with_error(drawn)} on stratified ones of our own.
* A fit takes {found.fit_seconds(OURS):.2f} s of one core (median); everything is tuned inside the \
training part.
"""


@block("kernel-ensemble.all")
def all_sets():
    return _Comparison(_cells()).table()


@block("kernel-ensemble.scope")
def scope():
    rows = read_rows(STUDY, STUDY)
    cells = _cells()
    n_splits = len(cells[cells["method"] == OURS])
    return (
        f"{cells['dataset'].nunique()} of {rows['dataset'].nunique()} sets have a split that every "
        f"method has run, {n_splits} splits in all."
    )


@block("kernel-ensemble.development")
def development():
    return f"{_part(True)['dataset'].nunique()} sets.\n\n{_Comparison(_part(True)).table()}"


@block("kernel-ensemble.others")
def others():
    return f"{_part(False)['dataset'].nunique()} sets.\n\n{_Comparison(_part(False)).table()}"


@block("kernel-ensemble.by-size")
def by_size():
    """Ours against the best rival, by the number of rows."""
    rival = _Comparison(_cells()).rivals[0]
    rows = _cells()
    sizes = rows.groupby("dataset")["n_rows"].first()
    kinds = {
        f"up to {SMALL} rows": sizes <= SMALL,
        f"{SMALL + 1} to {MEDIUM:,} rows": (sizes > SMALL) & (sizes <= MEDIUM),
        f"more than {MEDIUM:,} rows": sizes > MEDIUM,
    }
    lines = []
    for label, kept in kinds.items():
        numbers = []
        for column, sign in (("accuracy", 1.0), ("log_loss", -1.0)):
            table_ = means(rows, column)[kept]
            gains = (sign * (table_[OURS] - table_[rival])).round(9)
            p = wilcoxon_p(gains)
            verdict = "" if p < 0.05 else ", not significant"
            numbers += [f"{(gains > 0).sum()} / {(gains < 0).sum()}, p = {p:.2g}{verdict}"]
        lines.append([label, str(int(kept.sum())), *numbers])
    header = ["", "sets", f"accuracy: wins / losses against {rival}", "log-loss: wins / losses"]
    return table(header, lines)


def _loss_gap(rows):
    """Return how far the mean honest log-loss is above that of the test parts, as a text."""
    # Older rows do not have it.
    known = rows.dropna(subset=["honest_log_loss"]).groupby("dataset")
    if known.ngroups < rows["dataset"].nunique():
        return "–"
    honest, test = (known[name].mean().mean() for name in ("honest_log_loss", "log_loss"))
    return f"{100 * (honest / test - 1):+.1f} %"


@block("kernel-ensemble.honest")
def honest():
    ways = {"published splits": STUDY, "random rows": "random-quarter"}
    ways["stratified rows"] = "stratified-quarter"
    lines = []
    for label, protocol in ways.items():
        rows = read_rows(STUDY, protocol)
        rows = rows[rows["method"] == OURS]
        by_set = rows.groupby("dataset")
        gaps, sizes, cover = _gap(rows), by_set["n_rows"].first(), by_set["coverage"].mean()
        small, large = sizes <= SMALL, sizes > MEDIUM
        n_splits = " or ".join(map(str, sorted(by_set.size().unique())))
        lines.append(
            [
                label,
                f"{len(gaps)}, {n_splits} split{'' if n_splits == '1' else 's'}",
                with_error(gaps),
                f"{gaps.median():+.2f}",
                with_error(gaps[small]),
                with_error(gaps[~small]),
                with_error(_gap(rows, "honest_matched")),
                _loss_gap(rows),
                with_error(100 * cover, sign="-"),
                with_error(100 * cover[large], sign="-"),
            ]
        )
    header = ["", "sets", "honest less test accuracy", "median", f"up to {SMALL} rows"]
    header += ["more rows", "by the test part's class shares", "honest above test log-loss"]
    header += ["label sets at 90 % cover, %", f"of more than {MEDIUM:,} rows"]
    return table(header, lines)


@block("kernel-ensemble.published-splits")
def published_splits():
    published, drawn = read_rows(STUDY, "published-splits"), read_rows(STUDY, "stratified-quarter")
    gains = 100 * (means(published) - means(drawn))[["extra trees", "nearest neighbours"]].dropna()
    small = published.groupby("dataset")["n_rows"].first()[gains.index] <= SMALL
    kinds = {
        f"all {len(gains)} sets": gains,
        f"{small.sum()} sets of up to {SMALL} rows": gains[small],
        f"{(~small).sum()} sets of more rows": gains[~small],
    }
    lines = [[label, *(with_error(part[m]) for m in part)] for label, part in kinds.items()]
    return table(["", *gains], lines)


@block("kernel-ensemble.ablation")
def ablation():
    rows, whole = read_rows(STUDY, "kernel-ensemble-ablation"), "without nothing"
    # Kinds that are no more have rows of earlier code alone.
    rows = rows[rows["commit"].isin(rows.loc[rows["method"] == whole, "commit"])]
    accuracy, loss = means(rows), means(rows, "log_loss")
    lines = [
        [
            name,
            f"{100 * accuracy[name].mean():.2f}",
            f"{100 * (accuracy[name] - accuracy[whole]).mean():+.2f}",
            f"{loss[name].mean():.4f}",
            f"{(loss[name] - loss[whole]).mean():+.4f}",
        ]
        for name in accuracy.mean().sort_values().index
    ]
    header = ["", "mean accuracy, %", "difference", "mean log-loss", "difference"]
    said = "Every line is a fit of its own."
    if "without boosted" not in accuracy:
        said = (
            "The members of one fit were weighed anew without each kind, by code in which members\n"
            "did not race and boosted trees and the additive regression were not kinds yet."
        )
    return f"{len(accuracy)} sets, the first split of each. {said}\n\n{table(header, lines)}"
