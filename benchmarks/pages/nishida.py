"""Blocks of nishida-2011.md: MRSKL."""

import pandas as pd

from kernsemble.benchmark.published import read_published
from kernsemble.benchmark.statistics import wilcoxon_p

from .blocks import block, table
from .rows import means, read_rows

STUDY, SVM = "nishida-2011", "Single SVM (full set)"
NEAR, ABOVE = "MRSKL 15 x 8000, around the SVC", "MRSKL 15 x 20000"


def _runs(protocol):
    """Return runs on cod-rna with the SVM of the same run beside them, in percent and seconds."""
    rows = read_rows(STUDY, protocol)
    rows = rows.assign(test=100 * rows["accuracy"], train=100 * rows["training_accuracy"])
    return rows.merge(rows[rows["method"] == SVM], on="split", suffixes=("", "_svm"), how="left")


def _against_svm(setting):
    """Return points above the SVM, and fit and predict time as shares of the SVM's, by run."""
    runs = _runs("cod-rna")
    runs = runs[runs["method"] == setting]
    times = [runs[f"{part}_seconds"] / runs[f"{part}_seconds_svm"] for part in ("fit", "predict")]
    return runs["test"] - runs["test_svm"], *times


def _range(values, digits):
    """Return the least and the largest value, or the only one."""
    return " to ".join(dict.fromkeys(f"{v:.{digits}f}" for v in (values.min(), values.max())))


@block("nishida-2011.summary")
def summary():
    points, fit, predict = _against_svm(NEAR)
    more, slow, later = _against_svm(ABOVE)
    gaussians = 100 * means(read_rows(STUDY, "ten-gaussians")).loc["ten-gaussians"]
    printed = read_published(STUDY).set_index("method")["value"]
    apart, inside = _levels("linear_svm")
    gain = (apart - inside).mean()
    return f"""
* cod-rna: fifteen members of 8,000 rows are {_range(-points, 2)} points below a full SVM for \
{_range(fit, 2)} of its fit and {_range(predict, 2)} of its predict time.
* Fifteen members of 20,000 rows are {_range(more, 2)} points above it in two runs, for \
{_range(slow, 1)} times its fit and {_range(later, 2)} of its predict time.
* Ten Gaussians, 200 pairs of rows: {gaussians["MRSKL 200 pairs"]:.2f} %, a full SVM \
{gaussians["Single SVM"]:.2f} %; the paper has {printed["MRSKL 200 pairs"]:.2f} and \
{printed["Single SVM"]:.2f} on its own mixture.
* On the development sets, weights fitted to scores of rows that members have not seen are \
{abs(gain):.2f} points {"better" if gain > 0 else "worse"} than the paper's in-sample ones \
(p = {_verdict(apart, inside)}).
* Times are processor seconds of one thread on a shared machine of two cores.
"""


def _levels(combiner):
    """Return accuracies with weights fitted out of subset, and in sample, by set."""
    found = 100 * means(read_rows(STUDY, "level-one"))
    return found[f"{combiner} out_of_subset"], found[f"{combiner} in_sample"]


def _verdict(ours, theirs):
    """Return the p-value of Wilcoxon's test, in text."""
    p = wilcoxon_p(ours - theirs)
    return f"{p:.2g}" if p < 0.05 else f"{p:.2g}, not significant"


@block("nishida-2011.cod-rna")
def cod_rna():
    runs = _runs("cod-rna").sort_values(["split", "method"], ascending=[True, False])
    lines = []
    for row in runs.itertuples():
        numbers = [f"{row.train:.2f}", f"{row.test:.2f}", f"{row.fit_seconds:g}"]
        numbers += [f"{row.fit_seconds / row.fit_seconds_svm:.2f}", f"{row.predict_seconds:g}"]
        numbers += [f"{row.predict_seconds / row.predict_seconds_svm:.2f}"]
        lines.append([row.split, row.method, *numbers, f"{int(row.kernel_evaluations):,}"])
    header = [
        "",
        "members × rows",
        "train, every tenth row, %",
        "test, %",
        "fit, s",
        "of the SVM's",
    ]
    return table([*header, "predict, s", "of the SVM's", "kernel evaluations"], lines)


@block("nishida-2011.table-1")
def table_1():
    printed = read_published(STUDY).set_index("method")
    ours, lines = _runs(f"{STUDY}/table-1").set_index("method"), []
    for name in printed.index[printed["table"] == "table-1"]:
        row, theirs = ours.loc[name], printed.loc[name]
        numbers = [f"{float(theirs['training']):.2f} / {row['train']:.2f}"]
        numbers += [f"{float(theirs['value']):.2f} / {row['test']:.2f}"]
        lines.append([name, *numbers, f"{row['fit_seconds']:g}", f"{row['predict_seconds']:g}"])
    return table(["", "train, paper / ours", "test, paper / ours", "fit, s", "predict, s"], lines)


@block("nishida-2011.held-out")
def held_out():
    found = 100 * means(read_rows(STUDY, "held-out-sequences")).iloc[0]
    return table(["", "held out, %"], [[name, f"{value:.2f}"] for name, value in found.items()])


@block("nishida-2011.ten-gaussians")
def ten_gaussians():
    rows, lines = read_rows(STUDY, "ten-gaussians").sort_values("kernel_evaluations"), []
    for row in rows.itertuples():
        fit = "" if pd.isna(row.fit_seconds) else f"{row.fit_seconds:g}"
        accuracy, support = f"{100 * row.accuracy:.2f}", f"{int(row.kernel_evaluations):,}"
        lines.append([row.method, accuracy, support, fit])
    return table(["", "test, %", "rows it stands on", "fit, s"], lines)


@block("nishida-2011.level-one")
def level_one():
    lines = []
    for combiner in ("linear_svm", "nnls"):
        apart, inside = _levels(combiner)
        counts = [(apart > inside).sum(), (apart == inside).sum(), (apart < inside).sum()]
        numbers = [f"{apart.mean():.2f}", f"{inside.mean():.2f}", " / ".join(map(str, counts))]
        lines.append([combiner, *numbers, _verdict(apart, inside)])
    header = ["", "out of subset, %", "in sample, %", "sets won / tied / lost", "p"]
    return f"{len(apart)} sets.\n\n{table(header, lines)}"
