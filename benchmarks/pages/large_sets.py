"""Blocks of large_sets.md, and the picture of cost against log-loss.

python -m benchmarks.pages.large_sets      # draws docs/images/pareto.png
"""

import numpy as np

from kernsemble.benchmark.statistics import average_ranks

from .blocks import ROOT, block, table
from .rows import means, read_rows

OURS, STUDY = "KernelEnsemble", "large-sets"
PICTURE = ROOT / "docs" / "images" / "pareto.png"
# The sets that its design has looked at.
SEEN = ("letter", "magic", "statlog-landsat", "page-blocks", "twonorm")


def _cells():
    """Return the rows of the sets that every method has run."""
    rows = read_rows(STUDY, STUDY).copy()
    # A method of one thread has used at most the time that passed; older rows have only that.
    rows["cost"] = rows["fit_cpu_seconds"].fillna(rows["fit_seconds"])
    counts = rows.groupby("dataset")["method"].transform("nunique")
    return rows[counts == rows["method"].nunique()]


def _loss_ranks(rows):
    return average_ranks(-means(rows, "log_loss"))


def _ratios(rows, rival="CatBoost"):
    """Return our time to fit divided by a rival's, by data set."""
    cost = rows.pivot_table(index="dataset", columns="method", values="cost")
    return cost[OURS] / cost[rival]


@block("large-sets.headline")
def headline():
    """The claim of the README."""
    rows = _cells()
    loss, ranks, loss_ranks = means(rows, "log_loss"), average_ranks(means(rows)), _loss_ranks(rows)
    second, calm = ranks.drop(OURS).index[0], loss_ranks.drop(OURS).index[0]
    return (
        f"On {len(loss)} sets of more than 5,000 rows its mean rank by log-loss is "
        f"{loss_ranks[OURS]:.2f} before {calm} with {loss_ranks[calm]:.2f},\nby accuracy "
        f"{ranks[OURS]:.2f} before {second} with {ranks[second]:.2f}, at "
        f"{_ratios(rows).median():.1f} times CatBoost's time (median)."
    )


@block("large-sets.summary")
def summary():
    rows = _cells()
    loss, accuracy = means(rows, "log_loss"), means(rows)
    rivals = [name for name in loss if name != OURS]
    above = loss[OURS] / loss[rivals].min(axis=1)
    worse = above[above > 1.05].index
    ours = rows[rows["method"] == OURS].set_index("dataset")
    gap = 100 * (ours["honest_accuracy"] - ours["accuracy"])
    loss_gap = 100 * (ours["honest_log_loss"] / ours["log_loss"] - 1)
    said = ", ".join(f"{name.split('/')[1]} ({100 * above[name] - 100:.0f} %)" for name in worse)
    ranks, loss_ranks = average_ranks(accuracy), _loss_ranks(rows)
    second, calm = ranks.drop(OURS).index[0], loss_ranks.drop(OURS).index[0]
    return f"""
* {len(loss)} sets, {len(loss.columns)} methods. Mean rank by log-loss {loss_ranks[OURS]:.2f}, the \
best rival's {loss_ranks[calm]:.2f} ({calm}); by accuracy {ranks[OURS]:.2f}, the best rival's \
{ranks[second]:.2f} ({second}).
* Mean log-loss {loss[OURS].mean():.4f}, CatBoost's {loss["CatBoost"].mean():.4f}; mean accuracy \
{100 * accuracy[OURS].mean():.2f} %, CatBoost's {100 * accuracy["CatBoost"].mean():.2f} %.
* Sets with a log-loss more than 5 % above that of the best rival: {said or "none"}.
* Time to fit divided by CatBoost's: median {_ratios(rows).median():.2f}, from \
{_ratios(rows).min():.2f} to {_ratios(rows).max():.2f}.
* `honest_accuracy_` less test accuracy: {gap.mean():+.2f} points on average; `honest_log_loss_` \
differs from the test's by {loss_gap.median():+.1f} % (median); label sets at 90 % hold \
{100 * ours["coverage"].mean():.1f} % of the test classes.
"""


@block("large-sets.methods")
def methods():
    return _method_table(_cells())


@block("large-sets.unseen")
def unseen():
    """The same table for the sets that the design has not looked at."""
    rows = _cells()
    rows = rows[~rows["dataset"].str.split("/").str[1].isin(SEEN)]
    return f"{rows['dataset'].nunique()} sets.\n\n{_method_table(rows)}"


def _method_table(rows):
    loss, accuracy = means(rows, "log_loss"), means(rows)
    ranks, loss_ranks = average_ranks(accuracy), _loss_ranks(rows)
    lines = []
    for name in loss_ranks.index:
        own = rows[rows["method"] == name]
        numbers = [f"{loss[name].mean():.4f}", f"{loss_ranks[name]:.2f}"]
        numbers += [f"{100 * accuracy[name].mean():.2f}", f"{ranks[name]:.2f}"]
        lines.append([name, *numbers, f"{own['cost'].median():.2f}"])
    header = ["", "mean log-loss", "rank", "mean accuracy, %", "rank", "median fit, s of one core"]
    return table(header, lines)


@block("large-sets.sets")
def sets():
    rows = _cells()
    names = [OURS, *(name for name in _loss_ranks(rows).index if name != OURS)]
    lines = []
    for dataset, own in rows.groupby("dataset"):
        own = own.set_index("method")
        cells = [f"{own.log_loss[m]:.4f}, {100 * own.accuracy[m]:.2f}" for m in names]
        times = [f"{own.cost[m]:.1f}" for m in (OURS, "CatBoost")]
        mark = " *" if dataset.split("/")[1] in SEEN else ""
        lines.append([dataset.split("/")[1] + mark, *cells, " / ".join(times)])
    return table(["", *names, "fit, s: ours / CatBoost"], lines)


def draw():
    """Draw one point for each method: median time to fit, geometric mean of the log-loss."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, NullFormatter

    rows = _cells()
    loss = np.exp(np.log(means(rows, "log_loss").clip(lower=1e-4)).mean())
    cost = rows.groupby("method")["cost"].median()
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for name in loss.index:
        color = "#1f4e79" if name == OURS else "0.45"
        ax.plot(cost[name], loss[name], "o", color=color)
        below = name == "HistGradientBoosting"
        # Towards the middle of the picture, where a long name is not cut off.
        right = cost[name] > np.sqrt(cost.min() * cost.max())
        place = {"xytext": (-5 if right else 5, -14 if below else 5), "textcoords": "offset points"}
        place["ha"] = "right" if right else "left"
        ax.annotate(name, (cost[name], loss[name]), **place, color=color)
    ax.set(xscale="log", yscale="log", xlabel="median time to fit, seconds of one core")
    ax.set_ylabel("log-loss, geometric mean (low is good)")
    ax.set_yticks([t for t in (0.02, 0.05, 0.1, 0.2, 0.5) if loss.min() < 2 * t < 4 * loss.max()])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda tick, _: f"{tick:g}"))
        axis.set_minor_formatter(NullFormatter())
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_title(f"{rows['dataset'].nunique()} sets of 3,772 to 59,535 training rows", fontsize=10)
    ax.margins(x=0.35, y=0.15)
    figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    draw()
