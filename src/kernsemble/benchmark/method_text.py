"""A method in one text, as the command line takes it.

==============================================  =================================================
``RandomForest``                                a known name
``SVM(C=10)``                                   a known name with parameters
``package.module:Class(depth=3, loss="log")``   any classifier that can be imported
``small = package.module:Class(depth=3)``       the same under a name for the results
``LightGBM @ rivals/bin/python``                in an interpreter of its own
==============================================  =================================================

Values are literals: numbers, texts, True, False, None, lists and dicts of them. A value may also be
an object, ``estimator=sklearn.svm.SVC(C=1)``. Nothing of the text is run.
"""

import ast
import json
import re
from typing import NamedTuple

from ..errors import UserError

_TEXT = re.compile(
    r"(?:(?P<name>[^=()@]+?)\s*=\s*)?(?P<what>[^=()@]+?)\s*(?P<call>\(.*\))?\s*(?:@\s*(?P<python>.+))?",
    re.DOTALL,
)
_CLASS = "class"


class MethodText(NamedTuple):
    """What a text says.

    Attributes
    ----------
    name : str
        Name for the results.
    what : str
        A known name, or the full path of a class.
    is_class : bool
        Whether `what` is a class.
    params : dict
    python : str or None
    """

    name: str
    what: str
    is_class: bool
    params: dict
    python: str | None


def parse_method(text):
    """Return what a text says of a method.

    Examples
    --------
    >>> found = parse_method("sklearn.svm:SVC(C=10, kernel='linear') @ other/bin/python")
    >>> found.what, found.params, found.python
    ('sklearn.svm.SVC', {'C': 10, 'kernel': 'linear'}, 'other/bin/python')
    >>> found.name
    "SVC(C=10, kernel='linear')"
    """
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise UserError(
            f"The method {text!r} cannot be read; write a name, or package.module:Class(arg=1)."
        )
    what, call = found["what"], found["call"] or ""
    module, colon, cls = what.partition(":")
    if colon and not (_is_path(module) and cls.isidentifier()):
        raise UserError(f"{what!r} in the method {text!r} is no package.module:Class.")
    path = f"{module}.{cls}" if colon else what
    is_class = bool(colon) or ("." in what and _is_path(what))
    short = path.rpartition(".")[2] if is_class else what
    name = found["name"] or short + ("" if call in ("", "()") else call)
    return MethodText(name, path, is_class, _parse_call(call, text), found["python"])


def _is_path(text):
    return all(part.isidentifier() for part in text.split("."))


def _parse_call(call, text):
    if not call:
        return {}
    try:
        node = ast.parse(f"f{call}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{call} in the method {text!r} cannot be read: {error}.") from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise UserError(f"{call} in the method {text!r} is no list of parameters.")
    params = _keywords(node, text)
    try:
        json.dumps(params, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(f"A value in the method {text!r} is not JSON: {error}.") from None
    return params


def _keywords(node, text):
    if node.args or any(keyword.arg is None for keyword in node.keywords):
        raise UserError(f"Name every parameter in the method {text!r}: Class(arg=1).")
    return {keyword.arg: _value(keyword.value, text) for keyword in node.keywords}


def _value(node, text):
    if isinstance(node, ast.Call):
        return {_CLASS: _path(node.func, text), **_keywords(node, text)}
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(entry, text) for entry in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {
            str(_value(key, text)): _value(value, text)
            for key, value in zip(node.keys, node.values)
        }
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise UserError(
            f"{ast.unparse(node)} in the method {text!r} is neither a literal nor an object such "
            "as sklearn.svm.SVC(C=1)."
        ) from None


def _path(node, text):
    parts = ast.unparse(node)
    if not isinstance(node, ast.Attribute | ast.Name) or not _is_path(parts):
        raise UserError(f"{parts} in the method {text!r} is no full path of a class.")
    return parts
