"""Names that a package loads when they are first asked for."""

from importlib import import_module


def lazily_from(package, homes):
    """Return the `__getattr__`, `__dir__` and `__all__` of a package.

    Parameters
    ----------
    package : str
    homes : dict
        Name → the module of the package that defines it.
    """

    def load(name):
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{homes[name]}", package), name)

    names = sorted(homes)
    return load, lambda: names, names
