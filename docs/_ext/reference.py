"""The API reference: one page for every public object, from one list."""

from importlib import import_module
from pathlib import Path

import kernsemble

#: Heading → module whose `__all__` is public, and the sentence under the heading. The reference
#: has a page for each of these objects, and `tests/test_site.py` compares the two.
SECTIONS = {
    "Single machines": ("kernsemble.machines", "Classifiers of one machine."),
    "Ensembles": ("kernsemble.ensembles", "Classifiers of several members."),
    "Multiple kernel learning": ("kernsemble.mkl", "Several kernels, one machine."),
    "Maps": ("kernsemble.maps", "Rows become explicit features."),
    "Kernels and samplers": ("kernsemble.kernels", "Kernels are values; samplers draw them."),
    "Trees": ("kernsemble.trees", "Grown trees as text and as pictures."),
    "Data sets": ("kernsemble.datasets", "Names become data."),
    "Tables": ("kernsemble.tables", "Rows in memory, in chunks or on a cluster."),
    "Reports": ("kernsemble.report", "Results become pages."),
}
#: Where a class is offered at the top of the package, its page carries the short name.
TOP = set(kernsemble.__all__)


def public_names():
    """Return heading → the full names of its objects."""
    return {
        heading: [
            f"kernsemble.{name}" if name in TOP else f"{module}.{name}"
            for name in sorted(import_module(module).__all__, key=str.lower)
            # Constants are explained where they are used.
            if callable(getattr(import_module(module), name))
        ]
        for heading, (module, _) in SECTIONS.items()
    }


def write_index(app, config):
    """Write the page that lists every object, from which autosummary makes the others."""
    lines = ["API reference", "=============", ""]
    for heading, names in public_names().items():
        module, sentence = SECTIONS[heading]
        lines += [heading, "-" * len(heading), "", f"{sentence} Module ``{module}``.", ""]
        lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in names), ""]
    index = Path(app.srcdir) / "api" / "index.rst"
    index.parent.mkdir(exist_ok=True)
    text = "\n".join(lines)
    # An unchanged file keeps its time, and what depends on it is not built again.
    if not index.exists() or index.read_text(encoding="utf-8") != text:
        index.write_text(text, encoding="utf-8")


def as_restructured_text(app, what, name, obj, options, lines):
    """Make docstrings, which are written for a console, into markup.

    Indented formulas become literal blocks, and bars are norms rather than substitutions.
    """
    found, in_formula = [], False
    for number, line in enumerate(lines):
        indented = line.startswith("    ")
        starts = indented and not in_formula and number > 0 and not lines[number - 1].strip()
        if starts and not _is_markup(found):
            if not _written(found)[-1].endswith("::"):
                found += ["::", ""]
            in_formula = True
        elif line.strip() and not indented:
            in_formula = False
        if line.startswith("----"):
            # Sections follow; numpydoc knows them.
            return _replace(lines, found + [escaped(rest) for rest in lines[number:]])
        found.append(line if in_formula else escaped(line))
    return _replace(lines, found)


def escaped(line):
    return line if ">>>" in line else line.replace("|", "\\|")


def _is_markup(lines):
    """Return whether the last paragraph is a directive or a list, whose body is indented."""
    written = _written(lines)
    return not written or written[-1].lstrip().startswith(("..", "- ", "* ", ">>>"))


def _written(lines):
    return [line for line in lines if line.strip()]


def _replace(lines, found):
    lines[:] = found


def setup(app):
    # Before the files of the site are counted.
    app.connect("config-inited", write_index)
    # Before numpydoc, which reads the sections.
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
