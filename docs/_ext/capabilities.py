"""What every classifier can do and what a fit costs, as tables.

Abilities come from the tags of the classifiers; `tests/test_site.py` fits every one and compares
what happens with the table. `benchmarks/speed/fit_cost.py` measured the processor seconds of fits.
"""

import csv
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sklearn.base import is_classifier
from sklearn.utils import get_tags

import kernsemble

#: Column of the table → function of a classifier that tells whether it has the ability.
ABILITIES = {
    "several classes": lambda clf: get_tags(clf).classifier_tags.multi_class,
    "sparse rows": lambda clf: get_tags(clf).input_tags.sparse,
    "missing values": lambda clf: get_tags(clf).input_tags.allow_nan,
    "categories": lambda clf: get_tags(clf).input_tags.categorical,
    "chunks and dask": lambda clf: clf._accept_chunks,
    "partial_fit": lambda clf: hasattr(clf, "partial_fit"),
    "n_jobs": lambda clf: "n_jobs" in clf.get_params(),
}

COSTS = Path(__file__).parents[1] / "results" / "rows" / "fit-cost.csv"
#: Rows and columns of the tables that were fitted: a small one, more rows, more columns.
SIZES = (500, 10), (2000, 10), (500, 40)


def classifiers():
    """Return name → classifier at its defaults, for everything that the package exports."""
    found = {name: getattr(kernsemble, name) for name in kernsemble.__all__}
    return {
        name: value()
        for name, value in sorted(found.items())
        if isinstance(value, type) and name.endswith("Classifier") and is_classifier(value())
    }


def capabilities():
    """Return name of a classifier → name of an ability → whether it has it."""
    return {
        name: {ability: bool(has(clf)) for ability, has in ABILITIES.items()}
        for name, clf in classifiers().items()
    }


def costs():
    """Return name of a classifier → (rows, columns) of a table → processor seconds of a fit."""
    found = {}
    with COSTS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            size = int(row["rows"]), int(row["columns"])
            found.setdefault(row["classifier"], {})[size] = float(row["seconds"])
    return found


def cost_cells(times):
    """Return the seconds of the smallest fit, and by what more rows and columns multiply them."""
    small, more_rows, more_columns = (times[size] for size in SIZES)
    return [_seconds(small), f"× {more_rows / small:.2g}", f"× {more_columns / small:.2g}"]


def _seconds(value):
    return f"{value:.0f} s" if value >= 10 else f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"


class CapabilitiesTable(Directive):
    """The directive `capabilities`: a row a classifier, a column an ability."""

    def run(self):
        marks = {
            name: ["yes" if has else "–" for has in abilities.values()]
            for name, abilities in capabilities().items()
        }
        return [_table(ABILITIES, marks)]


class CostsTable(Directive):
    """The directive `costs`: a row a classifier, the time of a fit and how it grows."""

    def run(self):
        head = ["500 rows, 10 columns", "4 times the rows", "4 times the columns"]
        return [_table(head, {name: cost_cells(times) for name, times in sorted(costs().items())})]


def _table(head, lines):
    """Return a table with a line for every classifier, whose name links to its page."""
    table = nodes.table(classes=["capabilities"])
    group = nodes.tgroup(cols=len(head) + 1)
    table += group
    group += [nodes.colspec(colwidth=1) for _ in range(len(head) + 1)]
    top, body = nodes.thead(), nodes.tbody()
    group += [top, body]
    top += _row([nodes.Text(text) for text in ("classifier", *head)])
    for name, texts in lines.items():
        link = nodes.reference("", name, refuri=f"api/generated/kernsemble.{name}.html")
        body += _row([link, *map(nodes.Text, texts)])
    return table


def _row(cells):
    row = nodes.row()
    for cell in cells:
        entry = nodes.entry()
        paragraph = nodes.paragraph()
        paragraph += cell
        entry += paragraph
        row += entry
    return row


def setup(app):
    app.add_directive("capabilities", CapabilitiesTable)
    app.add_directive("costs", CostsTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
