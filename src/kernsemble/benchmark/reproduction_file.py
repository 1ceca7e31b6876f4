"""Tables that were made again, as a file to keep: Markdown with the notes, or CSV."""

from pathlib import Path

import pandas as pd

from ..errors import UserError

_COLUMNS = ["target", "row", "paper", "ours", "difference"]


def check_suffix(path):
    """Raise when no table can be written under that name, before anything long starts."""
    if Path(path).suffix not in (".md", ".csv"):
        raise UserError(f"The output must be a .md or .csv file, got {path}.")


def number_rows(table):
    """Yield the keys of each row and its numbers as text, a dash where the paper has none."""
    for key, row in table.iterrows():
        keys = key if isinstance(key, tuple) else (key,)
        numbers = [f"{row['paper']:.2f}", f"{row['ours']:.2f}", f"{row['difference']:+.2f}"]
        yield list(map(str, keys)), ["–" if "nan" in text else text for text in numbers]


def write_reproductions(path, found):
    """Write what was found so far.

    Parameters
    ----------
    path : path-like
        A .md or .csv file.
    found : dict of str to Reproduction
    """
    check_suffix(path)
    text = _as_csv(found) if Path(path).suffix == ".csv" else _as_markdown(found)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"The output cannot be written: {error}") from None


def _as_csv(found):
    rows = []
    for target, one in found.items():
        for key, row in one.table.iterrows():
            name = ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
            rows.append([target, name, row["paper"], row["ours"], row["difference"]])
    return pd.DataFrame(rows, columns=_COLUMNS).to_csv(index=False)


def _as_markdown(found):
    lines = []
    for target, one in found.items():
        names = [name or "method" for name in one.table.index.names]
        titles = [*names, *one.table.columns]
        lines += [f"## {target}", "", _row(titles)]
        lines.append(_row(["---"] * len(names) + ["---:"] * len(one.table.columns)))
        lines += [_row([*keys, *numbers]) for keys, numbers in number_rows(one.table)]
        lines += ["", *(f"- {note}" for note in one.notes), ""]
    return "\n".join(lines)


def _row(entries):
    return f"| {' | '.join(entry.replace('|', chr(92) + '|') for entry in entries)} |"
