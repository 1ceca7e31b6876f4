"""What a model file would make, found out without making any of it.

skops trusts more than a model needs: every estimator of scikit-learn, and every function of NumPy
that works element by element. Here each part of a file is judged by its loader and its type
together, against `TRUSTED` alone.

skops numbers the parts of a file, and a part may stand for another one by its number. A part that
is not what it seems cannot be judged, so `kernsemble fit` leaves the numbers out, except those of
arrays, which are kept once however many parts share them.
"""

import json
from typing import NamedTuple

from .model_archive import NotAModelError, TooLargeError, checked_array
from .trusted_types import TRUSTED

_LISTED = frozenset().union(*TRUSTED.values())

# What `numpy.random.default_rng` makes: its generator, and the size of its pool of seeds.
_GENERATOR = "PCG64", 4


class Findings(NamedTuple):
    """What a file would make.

    Attributes
    ----------
    types : set of str
        Full names of everything that the file names.
    untrusted : set of str
        Those that are not trusted; behind the loader and a colon, where they are trusted but not
        by this loader.
    n_bytes : int
        Bytes of the arrays that would be read.
    """

    types: set
    untrusted: set
    n_bytes: int


def without_numbers(value):
    """Return a description of parts without their numbers, except those of arrays."""
    if isinstance(value, dict):
        return {
            key: without_numbers(content)
            for key, content in value.items()
            if key != "__id__" or _is_array(value)
        }
    return [without_numbers(item) for item in value] if isinstance(value, list) else value


def _is_array(part):
    return part.get("__loader__") == "NdArrayNode" and part.get("type") == "numpy"


def _plain(part):
    """Return the number or text that a part is."""
    if part["__loader__"] != "JsonNode":
        raise TypeError("a number or text is described as something else")
    return json.loads(part["content"])


def audit(archive, schema, max_bytes):
    """Return what a model file would make.

    Parameters
    ----------
    archive : ZipFile
        As `open_archive` gives it.
    schema : dict
        As `read_schema` returns it.
    max_bytes : int
        Limit of the arrays together.

    Returns
    -------
    Findings
    """
    # In the first version of the format functions hid their names elsewhere.
    if not isinstance(schema.get("protocol"), int) or schema["protocol"] < 1:
        raise NotAModelError("it is in a version of the skops format that is no longer read")
    walk = _Walk(archive, max_bytes)
    try:
        walk.visit(schema)
    except (NotAModelError, TooLargeError):
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise NotAModelError(f"a part is not described as skops does it ({error!r})") from None
    return Findings(walk.types, walk.untrusted, walk.n_bytes)


class _Walk:
    """The parts of a file, visited one after another."""

    def __init__(self, archive, max_bytes):
        self.archive, self.max_bytes = archive, max_bytes
        self.types: set[str] = set()
        self.untrusted: set[str] = set()
        self.n_bytes = 0
        self._arrays: dict[int, dict] = {}

    def visit(self, value):
        if isinstance(value, dict):
            if "__loader__" in value or "__id__" in value:
                self._judge(value)
            for content in value.values():
                self.visit(content)
        elif isinstance(value, list):
            for item in value:
                self.visit(item)

    def _judge(self, part):
        loader, module, name = part["__loader__"], part["__module__"], part["__class__"]
        if not all(isinstance(text, str) for text in (loader, module, name)):
            raise TypeError("a type that is no text")
        if "__id__" in part and not _is_array(part):
            raise NotAModelError("it was not written by kernsemble: its parts have numbers")
        full_name = f"{module}.{name}"
        if loader == "MethodNode":
            full_name += f".{part['content']['func']}"
        self.types.add(full_name)
        if full_name in TRUSTED.get(loader, ()) and "." not in name:
            if loader in _CHECKS:
                _CHECKS[loader](self, part)
        else:
            # To trust a type does not mean to make it in any way that a file may choose.
            self.untrusted.add(f"{loader}:{full_name}" if full_name in _LISTED else full_name)

    def check_array(self, part):
        if not _is_array(part):
            return
        number = part.get("__id__")
        if number is not None and self._arrays.setdefault(number, part) != part:
            raise NotAModelError("two of its arrays have the same number")
        if number is None or self._arrays[number] is part:
            self.n_bytes += checked_array(self.archive, part["file"])[1]
            if self.n_bytes > self.max_bytes:
                raise TooLargeError(self.n_bytes)

    def check_dict(self, part):
        # A key is made by calling its type, which must therefore be one.
        types = part["key_types"]
        loaders = [types["__loader__"], *(kind["__loader__"] for kind in types["content"])]
        if loaders != ["ListNode", *["TypeNode"] * len(types["content"])]:
            raise NotAModelError("the keys of a dictionary have no types")

    def check_tree(self, part):
        # The constructor reads as many class counts as it is told there are outputs.
        _, n_classes, n_outputs = part["__reduce__"]["args"]["content"]
        shape, _ = checked_array(self.archive, n_classes["file"])
        if not _is_array(n_classes) or shape != (_plain(n_outputs),):
            raise NotAModelError("a tree has other outputs than it says")

    def check_generator(self, part):
        # The file names the class of the generator, and its constructor is called.
        drawn, seeds = (part["content"][key]["content"] for key in ("bit_generator", "seed_seq"))
        if (_plain(drawn["bit_generator"]), _plain(seeds["pool_size"])) != _GENERATOR:
            raise NotAModelError("its random generator is not the one of NumPy's default")


_CHECKS = {
    "DictNode": _Walk.check_dict,
    "NdArrayNode": _Walk.check_array,
    "RandomGeneratorNode": _Walk.check_generator,
    "TreeNode": _Walk.check_tree,
}
