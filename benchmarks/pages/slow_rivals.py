"""The block of kernel_ensemble.md about rivals that need minutes or other dependencies."""

from kernsemble.benchmark.statistics import holm, wilcoxon_p

from .blocks import ROOT, block, table
from .rows import means, read_rows

OURS, STUDY = "KernelEnsemble", "kernel-ensemble"
STUDIES = ROOT / "benchmarks" / "studies"
#: Rivals → the list of sets that each is to run.
RIVALS = {
    **dict.fromkeys(("xRFM", "RealMLP", "TabM", "EBM"), "sets_to_2000_rows.txt"),
    "TabPFN": "sets_for_tabpfn.txt",
}


def _first_splits():
    """Return the rows of ours and of the rivals on the first published splits."""
    ours, theirs = read_rows(STUDY, STUDY), read_rows("slow-rivals")
    return ours[(ours["method"] == OURS) & (ours["split"] == "0")], theirs


def _processor_seconds(rows):
    # TabPFN does all its work when it predicts.
    if (rows["method"] == "TabPFN").all():
        return rows["predict_seconds"]
    return rows["fit_cpu_seconds"]


class _Pair:
    """Ours against one rival on the sets that it has run."""

    def __init__(self, ours, rows):
        self.accuracy, self.loss = means(rows), means(rows, "log_loss")
        mine = ours[ours["dataset"].isin(rows["dataset"])]
        (name,) = self.accuracy
        self.ours = means(mine)[OURS], means(mine, "log_loss")[OURS]
        self.theirs = self.accuracy[name], self.loss[name]
        self.gains = self.ours[0] - self.theirs[0], self.theirs[1] - self.ours[1]
        self.p = [wilcoxon_p(gains) for gains in self.gains]
        self.seconds = [_processor_seconds(part).median() for part in (mine, rows)]

    def line(self, name, p, n_sets):
        cells = [name, f"{len(self.gains[0])} of {n_sets}"]
        for k, (factor, digits) in enumerate(((100, 2), (1, 4))):
            gains = self.gains[k].round(9)
            cells += [
                f"{factor * self.ours[k].mean():.{digits}f}, "
                f"{factor * self.theirs[k].mean():.{digits}f}",
                f"{(gains > 0).sum()} / {(gains < 0).sum()}, p = {p[k]:.1e}",
            ]
        return [*cells, f"{self.seconds[0]:.2f}, {self.seconds[1]:.2f}"]


@block("kernel-ensemble.slow-rivals")
def slow_rivals():
    ours, theirs = _first_splits()
    sets = {name: (STUDIES / listed).read_text().split() for name, listed in RIVALS.items()}
    pairs = {
        name: _Pair(ours, theirs[theirs["method"] == name])
        for name, own in sets.items()
        # The smallest sets run first, and a mean over a few of them would say little.
        if 2 * (theirs["method"] == name).sum() >= len(own)
    }
    adjusted = [holm([pair.p[k] for pair in pairs.values()]) for k in (0, 1)]
    lines = [
        pair.line(name, [p[place] for p in adjusted], len(sets[name]))
        for place, (name, pair) in enumerate(pairs.items())
    ]
    header = ["rival", "sets", "accuracy, %: ours, its", "our wins / losses"]
    header += ["log-loss: ours, its", "our wins / losses", "median fit, s: ours, its"]
    return f"{table(header, lines)}\n\n{_missing(theirs, sets)}"


def _short(names):
    return sorted(name.partition("/")[2] for name in names)


def _missing(rows, sets):
    """Return a sentence about the cells that have no result."""
    said = []
    for name, own in sets.items():
        done = set(rows.loc[rows["method"] == name, "dataset"])
        left = _short(set(own) - done)
        if len(left) == len(own):
            said.append(f"{name} on all {len(own)}")
        elif 2 * len(left) > len(own):
            said.append(f"{name} on {len(left)}, all but {', '.join(_short(done))}")
        elif left:
            said.append(f"{name} on {', '.join(left)}")
    return f"Not run yet: {'; '.join(said)}." if said else "Every cell has run."
