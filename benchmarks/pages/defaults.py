"""Blocks of defaults.md."""

from .blocks import block, table
from .rows import is_development, means, read_rows

STUDY, RIVAL = "defaults", "SVC"
#: What is no kernel method.
OTHERS = ("SVC", "RandomForest", "CatBoost", "ObliqueTree", "MPRaF", "MPRRoF", "RotationForest")


def _means(seen):
    """Return accuracy, log-loss and processor seconds, sets × methods, of the sets SVC has."""
    rows = read_rows(STUDY, STUDY)
    rows = rows[is_development(rows["dataset"]) == seen]
    found = [means(rows, name) for name in ("accuracy", "log_loss", "cpu_seconds")]
    kept = found[0].index[found[0][RIVAL].notna()]
    return [numbers.reindex(kept) for numbers in found]


def _table(seen):
    accuracy, loss, seconds = _means(seen)
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
            [
                f"{100 * accuracy.loc[own.index, paper].mean():.2f}",
                f"{loss.loc[own.index, paper].mean():.3f}",
            ]
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


@block("defaults.summary")
def summary():
    accuracy, loss, _ = _means(False)
    names = [name for name in accuracy if name not in OTHERS and not name.endswith(", paper")]
    behind = accuracy[names].sub(accuracy[RIVAL], axis=0).mean()
    below = [f"{name} ({100 * d:+.2f})" for name, d in behind.sort_values().items() if d < -0.01]
    ratios = {}
    for name in names:
        own = loss[name].dropna()
        ratios[name] = own.mean() / loss.loc[own.index, "KernelRidge"].mean()
    worst = max(ratios, key=lambda name: ratios[name])
    return f"""
* Of {len(names)} kernel methods, on sets that the design has not seen, more than one point below \
the tuned SVC: {", ".join(below) or "none"}.
* The largest log-loss is {ratios[worst]:.2f} times that of kernel ridge on the same sets ({worst}).
"""
