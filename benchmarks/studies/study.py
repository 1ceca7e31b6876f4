"""What the studies share: sets of the papers, rows written as they come, sections of a page."""

import csv
from pathlib import Path

from kernsemble.datasets import load

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"


def read_set(name):
    """Return rows and classes of an unscaled set, without a column of row numbers."""
    data = load(f"papers_raw/{name}")
    kept = [i for i, feature in enumerate(data.feature_names) if feature.lower() != "id"]
    return data.X[:, kept], data.y


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

    def matching(self, **key):
        """Return the rows with these values."""
        return [row for row in self.rows if all(row[k] == str(v) for k, v in key.items())]

    def has(self, **key):
        return bool(self.matching(**key))

    def add(self, **row):
        row = {field: str(row[field]) for field in self.fields}
        self.rows.append(row)
        with self.path.open("a", newline="") as stream:
            csv.DictWriter(stream, self.fields).writerow(row)
        print(row, flush=True)


def markdown_table(header, lines):
    """Return a markdown table of cells that are text already."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def write_section(path, title, text, *, page_title):
    """Replace the section `## title` of a markdown file, or append it."""
    path = Path(path)
    page = path.read_text() if path.exists() else f"# {page_title}\n"
    start = page.find(f"## {title}\n")
    section = f"## {title}\n\n{text.strip()}\n"
    if start < 0:
        page = page.rstrip() + "\n\n" + section
    else:
        end = page.find("\n## ", start + 1)
        page = page[:start] + section + ("" if end < 0 else page[end:])
    path.write_text(page)
