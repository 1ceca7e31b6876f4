"""Blocks of defaults.md."""

from .blocks import block, table
from .rows import is_development, means, read_rows

STUDY, RIVAL = "defaults", "SVC"


def _table(seen):
    rows = read_rows(STUDY, STUDY)
    rows = rows[is_development(rows["dataset"]) == seen]
    accuracy, loss, seconds = (
        means(rows, name) for name in ("accuracy", "log_loss", "cpu_seconds")
    )
    kept = accuracy.index[accuracy[RIVAL].notna()]
    accuracy, loss = accuracy.loc[kept], loss.reindex(kept)
    lines = []
    for name in accuracy.mean().sort_values(ascending=False).index:
        own = accuracy[name].dropna()
        if name.endswith(", paper") or own.empty:
            continue
        paper = f"{name}, paper"
        numbers = [f"{100 * own.mean():.2f}"]
        numbers.append(f"{100 * (own - accuracy.loc[own.index, RIVAL]).mean():+.2f}")
        numbers.append(f"{loss[name].mean():.3f}")
        numbers.append("" if seconds[name].isna().all() else f"{seconds[name].mean():.2f}")
        numbers += (
            [f"{100 * accuracy[paper].mean():.2f}", f"{loss[paper].mean():.3f}"]
            if paper in accuracy
            else ["", ""]
        )
        lines.append([name, str(len(own)), *numbers])
    header = ["", "sets", "mean accuracy, %", "less SVC, points", "mean log-loss", "processor s"]
    return table([*header, "accuracy, paper", "log-loss, paper"], lines)


@block("defaults.development")
def development():
    return _table(True)


@block("defaults.others")
def others():
    return _table(False)
