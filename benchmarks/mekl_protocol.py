"""What the two reproductions of the empirical-kernel papers share: data, ledger, table."""

import csv
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from kernsemble.datasets import load

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"


def read_set(name):
    """Return rows and classes of an unscaled set; Glass without its row number."""
    data = load(f"papers_raw/{name}")
    kept = [i for i, feature in enumerate(data.feature_names) if feature.lower() != "id"]
    return data.X[:, kept], data.y


SCALERS = {"standard": StandardScaler(), "minmax": MinMaxScaler(), "raw": "passthrough"}


def prepared(classifier, scaling="standard"):
    """Fill and scale by the training rows alone."""
    return make_pipeline(SimpleImputer(), clone(SCALERS[scaling], safe=False), classifier)


class Ledger:
    """Rows of a CSV file, appended as they come; a run continues where the last one ended."""

    def __init__(self, path, fields):
        self.path, self.fields, self.rows = Path(path), fields, []
        if self.path.exists():
            with self.path.open(newline="") as stream:
                self.rows = list(csv.DictReader(stream))
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("w", newline="") as stream:
                csv.writer(stream).writerow(fields)

    def has(self, **key):
        return any(all(row[k] == str(v) for k, v in key.items()) for row in self.rows)

    def add(self, **row):
        row = {field: str(row[field]) for field in self.fields}
        self.rows.append(row)
        with self.path.open("a", newline="") as stream:
            csv.DictWriter(stream, self.fields).writerow(row)
        print(row, flush=True)

    def accuracies(self, **key):
        """Accuracies in percent of the rows that match."""
        return np.array(
            [
                100.0 * float(row["accuracy"])
                for row in self.rows
                if all(row[k] == str(v) for k, v in key.items())
            ]
        )


def comparison_table(published, measured):
    """Markdown: published mean ± sd, measured mean ± sd and runs, and the distance in sds."""
    lines = [
        "| set | published | measured | runs | difference | within two sds or above |",
        "|---|---|---|---|---|---|",
    ]
    for name, (mean, sd) in published.items():
        found = measured.get(name, np.array([]))
        if not len(found):
            lines.append(f"| {name} | {mean:.2f} ± {sd:.2f} | not run | 0 | | |")
            continue
        difference = found.mean() - mean
        lines.append(
            f"| {name} | {mean:.2f} ± {sd:.2f} | {found.mean():.2f} ± {found.std(ddof=1):.2f} "
            f"| {len(found)} | {difference:+.2f} | {'yes' if difference >= -2 * sd else 'no'} |"
        )
    return "\n".join(lines)


def mean_line(published, measured, without=()):
    """One sentence on the means over the sets that were run."""
    names = [name for name in published if len(measured.get(name, ())) and name not in without]
    ours = np.mean([measured[name].mean() for name in names])
    theirs = np.mean([published[name][0] for name in names])
    left_out = f", without {', '.join(without)}" if without else ""
    return f"Mean over {len(names)} sets{left_out}: measured {ours:.2f}, published {theirs:.2f}."


def write_section(path, title, text):
    """Replace the section `## title` of a markdown file, or append it."""
    path = Path(path)
    page = path.read_text() if path.exists() else "# Multiple empirical kernel learning\n"
    start = page.find(f"## {title}\n")
    section = f"## {title}\n\n{text.strip()}\n"
    if start < 0:
        page = page.rstrip() + "\n\n" + section
    else:
        end = page.find("\n## ", start + 1)
        page = page[:start] + section + ("" if end < 0 else page[end:])
    path.write_text(page)
