"""Constructors: parameters are declared as fields, and documented once.

A class declares its parameters as annotated fields with defaults; `with_parameters` writes the
constructor, which stores them, and completes the docstring. The text about a parameter stands where
the parameter is declared: in the class itself, in a base class of its family, or, for parameters
that several families have, in `SHARED`. Defaults in the text come from the constructor. A name in
braces, alone on its line, stands for a text in `TEXTS`, and a class without an example of its own
gets the usual one.
"""

import inspect
import re
from dataclasses import dataclass
from textwrap import fill, indent
from typing import dataclass_transform

from .texts import ORDER, SHARED, TEXTS

WIDTH = 100

_EXAMPLE = """
    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernsemble import {name}
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = {name}(random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.9)
    True
    """

_GROUP = re.compile(r"^( *)\{(\w+)\}$", flags=re.MULTILINE)
_SECTION = re.compile(r"^    Parameters\n    -+\n((?:    .*\n)*)\n?", flags=re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+) : (.*)\n((?:        .*\n)*)", flags=re.MULTILINE)


@dataclass_transform(eq_default=False)
def with_parameters(cls):
    """Give a class the constructor of its fields, and complete its docstring."""
    # From Python 3.13 on, docstrings come without the indentation of the source.
    own_text = indent(inspect.cleandoc(vars(cls).get("__doc__") or ""), "    ").lstrip() + "\n    "
    cls = dataclass(eq=False, repr=False)(cls)
    signature = inspect.signature(cls.__init__)
    first, *others = signature.parameters.values()
    if sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in others) > 1:
        raise TypeError(f"{cls.__name__} must declare at most one field before KW_ONLY.")
    others.sort(key=lambda parameter: ORDER.index(parameter.name))
    # All but the first parameter are passed by name, so that only the display changes.
    cls.__init__.__signature__ = signature.replace(parameters=[first, *others])
    cls._own_text = own_text
    cls.__doc__ = _complete(cls, own_text, others)
    return cls


def _complete(cls, text, parameters):
    """Return a docstring with all parameters in the order of the constructor."""
    told = {}
    for ancestor in reversed(cls.__mro__):
        found = _SECTION.search(vars(ancestor).get("_own_text", ""))
        for name, kind, lines in _ENTRY.findall(found[1] if found else ""):
            told[name] = re.sub(r", default=.*", "", kind), lines
    entries = []
    for parameter in parameters:
        kind, lines = told.get(parameter.name) or _shared(parameter.name)
        shown = repr(parameter.default).replace("'", '"')
        entries.append(f"    {parameter.name} : {kind}, default={shown}\n{lines}")
    section = "    Parameters\n    ----------\n" + "".join(entries) + "\n"
    text = _SECTION.sub("", text)
    text = text.replace("    Attributes\n    ---", section + "    Attributes\n    ---", 1)
    if cls.__name__.endswith("Classifier") and "    Examples\n    ---" not in text:
        text = text.rstrip() + "\n" + _EXAMPLE.format(name=cls.__name__)
    return _GROUP.sub(lambda found: indent(TEXTS[found[2]], found[1]), text)


def _shared(name):
    kind, text = SHARED[name]
    return kind, indent(fill(text, WIDTH - 8), " " * 8) + "\n"
