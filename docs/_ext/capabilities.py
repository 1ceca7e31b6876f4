"""What every classifier can do, as a table made from its tags.

`tests/test_capabilities.py` fits every classifier and compares what happens with this table.
"""

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


class CapabilitiesTable(Directive):
    """The directive `capabilities`: a row a classifier, a column an ability."""

    def run(self):
        columns = len(ABILITIES) + 1
        table = nodes.table(classes=["capabilities"])
        group = nodes.tgroup(cols=columns)
        table += group
        group += [nodes.colspec(colwidth=1) for _ in range(columns)]
        head, body = nodes.thead(), nodes.tbody()
        group += [head, body]
        head += _row([nodes.Text(text) for text in ("classifier", *ABILITIES)])
        for name, abilities in capabilities().items():
            link = nodes.reference("", name, refuri=f"api/generated/kernsemble.{name}.html")
            marks = [nodes.Text("yes" if has else "–") for has in abilities.values()]
            body += _row([link, *marks])
        return [table]


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
    return {"parallel_read_safe": True, "parallel_write_safe": True}
