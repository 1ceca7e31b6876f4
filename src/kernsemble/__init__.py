"""Ensembles of kernel machines for classification, for scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ensembles import *  # noqa: F403
    from .machines import *  # noqa: F403
    from .maps import *  # noqa: F403
    from .mkl import *  # noqa: F403

__version__ = "0.1.0"

# Loaded when first asked for: scikit-learn's modules take longer to import than most scripts that
# only want a version, a kernel or a data set.
_EXPORTING = ("machines", "ensembles", "mkl", "maps")
_SUBMODULES = (*_EXPORTING, "kernels", "datasets")


def __getattr__(name):
    if name in _SUBMODULES:
        return import_module(f".{name}", __name__)
    if name == "__all__":
        exported = (export for module in _EXPORTING for export in __getattr__(module).__all__)
        return [*exported, *_SUBMODULES]
    if not name.startswith("_"):
        for module in map(__getattr__, _EXPORTING):
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})
