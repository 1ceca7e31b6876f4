"""What was understood of a table, shown before a fit that may take long."""

from collections import Counter

import pandas as pd

from ..frames.columns import CATEGORY, has_ambiguous_dates, is_date, kind_of
from ..frames.encoder import FEW_LEVELS
from ..frames.text import looks_like_text

# Columns and classes that are shown; a table of thousands is not read by anybody.
_SHOWN_COLUMNS, _SHOWN_CLASSES = 40, 8


def describe_training(training, path):
    """Return lines: rows, how the file is written, every column with kind, levels and missing.

    Parameters
    ----------
    training : Training
    path : path-like
    """
    X = training.X
    written = "" if training.dialect is None else f" ({training.dialect})"
    lines = [f"{path}{written}: {len(X)} rows, {X.shape[1]} columns beside the target."]
    if training.n_dropped:
        lines.append(
            f"{training.n_dropped} rows without a value of {training.target} are left out."
        )
    shown = list(X)[:_SHOWN_COLUMNS]
    cells = [("column", "kind", "levels", "missing")]
    cells += [_describe(X[name], name, training.kinds[name]) for name in shown]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines += [
        f"  {name:<{widths[0]}}  {kind:<{widths[1]}}  {levels:>{widths[2]}}  {missing:>{widths[3]}}"
        for name, kind, levels, missing in cells
    ]
    if X.shape[1] > len(shown):
        lines.append(f"  … and {X.shape[1] - len(shown)} more")
    unclear = [name for name in shown if _is_unclear(X[name], training.kinds[name])]
    if unclear:
        lines.append(
            f"Dates in {', '.join(unclear)} are read as categories: day and month cannot be told "
            'apart. Say "date, day first" or "date, month first" with --columns.'
        )
    lines.append(f"Target {training.target}: {_classes(training.y)}.")
    return "\n".join(lines)


def _describe(column, name, kind):
    missing, levels = int(column.isna().sum()), ""
    if kind_of(column.dtype) == CATEGORY:
        kind, levels = _kind_of_levels(column, kind), str(column.nunique())
    shown = kind.removesuffix(" ISO8601") if is_date(kind) else kind
    return str(name), shown, levels, str(missing) if missing else ""


def _kind_of_levels(column, kind):
    """Return the kind of a column of names: most of its levels in one row alone are no category."""
    levels = column.dropna().unique()
    chosen = isinstance(column.dtype, pd.CategoricalDtype)
    if chosen or len(levels) <= FEW_LEVELS or 2 * len(levels) <= column.notna().sum():
        return kind
    return "text" if looks_like_text(levels) else "name of rows"


def _is_unclear(column, kind):
    return kind == CATEGORY and has_ambiguous_dates(column)


def _classes(y):
    counts = Counter(pd.Series(y).tolist()).most_common()
    named = [f"{label} ({count})" for label, count in counts[:_SHOWN_CLASSES]]
    more = f", and {len(counts) - len(named)} more classes" if len(counts) > len(named) else ""
    return ", ".join(named) + more
