"""The API reference: every public object has a page, and its docstring is complete."""

import inspect
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

import kernsemble

DOCS = Path(__file__).parents[1] / "docs"
if not (DOCS / "conf.py").exists():
    pytest.skip("the documentation is not beside the tests", allow_module_level=True)
sys.path.append(str(DOCS / "_ext"))

#: Code of numpydoc → why it does not apply here.
IGNORED = {
    "ES01": "one sentence is enough where it says everything",
    "SA01": "the guide and the lists of the reference say what belongs together",
    "SS02": "the summary of a kernel is its formula, which starts with k(x, y)",
    "RT02": "results have names, which the text about them uses",
}
#: Modules and objects without an example: contributors meet tables in the hooks of a method, which
#: CONTRIBUTING.md shows; the others need a folder or a file of results.
NO_EXAMPLE = (
    "kernsemble.tables.",
    "kernsemble.datasets.import_study",
    "kernsemble.report.write_report",
    "kernsemble.report.write_version_report",
)


def pages():
    from reference import public_names

    return [name for names in public_names().values() for name in names]


def resolve(name):
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def methods():
    """Return the full names of the methods that the pages of classes show, each once."""
    found = {}
    for page in pages():
        cls = resolve(page)
        if not isinstance(cls, type) or page.startswith("kernsemble.tables."):
            continue
        for name in dir(cls):
            raw = inspect.getattr_static(cls, name)
            function = getattr(raw, "__func__", raw)
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            if not function.__module__.startswith("kernsemble."):
                continue
            # A method that overrides another one without a text of its own has that one's.
            if function.__doc__:
                found.setdefault(function, f"{page}.{name}")
            else:
                assert inspect.getdoc(getattr(cls, name)), f"{page}.{name} has no docstring"
    return list(found.values())


def complaints(name):
    validate = pytest.importorskip("numpydoc.validate").validate
    return [(code, text) for code, text in validate(name)["errors"] if code not in IGNORED]


def test_every_public_object_has_a_page():
    public = set()
    for module in pkgutil.iter_modules(kernsemble.__path__, "kernsemble."):
        exporting = import_module(module.name) if module.ispkg else None
        for name in getattr(exporting, "__all__", ()):
            # Constants are explained where they are used.
            if callable(getattr(exporting, name)):
                public.add(getattr(exporting, name))
    assert len(public) > 80
    assert public == {resolve(page) for page in pages()}
    assert len(pages()) == len(set(pages())) == len(public)


@pytest.mark.parametrize("name", pages())
def test_the_docstring_of_a_public_object_is_complete(name):
    found = complaints(name)
    if name.startswith(NO_EXAMPLE):
        found = [(code, text) for code, text in found if code != "EX01"]
    assert not found


def test_the_docstrings_of_methods_are_complete():
    # Examples stand in the text of the class.
    found = {
        name: [(code, text) for code, text in complaints(name) if code != "EX01"]
        for name in methods()
    }
    assert len(found) > 30
    assert not {name: texts for name, texts in found.items() if texts}
