"""What model files hold: every method, with every option that a user can name, fitted and saved.

The options are read from the docstrings of the classes, so a new or renamed one is found by itself.
"""

import json
import re
import zipfile
from collections import defaultdict

import numpy as np
import pandas as pd

import kernsemble
from kernsemble.benchmark.methods import is_own

__all__ = ["ROW_LIMITS", "classifiers", "types_in", "write_tables"]

# Members are alike, so a few show every type.
FEW = {"n_estimators": 3}
# Below the number of rows, so that methods with a way for many rows take it.
ROW_LIMITS = {"n_landmarks": 20, "max_exact": 20}
# Ways of scikit-learn's classifiers that depend on the size of the table.
RIVAL_OPTIONS = {
    "HistGradientBoosting": [{"max_iter": 5}, {"max_iter": 5, "early_stopping": True}],
    "NearestNeighbours": [{}, {"algorithm": "brute"}, {"algorithm": "kd_tree"}],
}
# More than the exact members of a `KernelEnsembleClassifier` take, and the kinds that show it.
MANY_ROWS, MANY_KINDS = 4001, ("gaussian", "metric", "forest")


def classifiers(method, tables):
    """Yield a label, an unfitted classifier and a table for each way a method can be fitted.

    Parameters
    ----------
    method : Method
    tables : list of path
        As `write_tables` returns them.
    """
    two, three, many, remarks = tables
    known = method.build(0).get_params(deep=False)
    few = {name: value for name, value in FEW.items() if name in known}

    def build(**options):
        return method.build(0).set_params(**few, **options)

    if not is_own(method.estimator):
        for options in RIVAL_OPTIONS.get(method.name, [{}]):
            yield f"{method.name} {options}", build(**options), two
            yield f"{method.name} {options}", build(**options), three
        return
    yield method.name, build(), two
    yield method.name, build(), three
    limits = {name: value for name, value in ROW_LIMITS.items() if name in known}
    options = [(name, value) for name, value in _options(type(build())) if known[name] != value]
    for name, value in options:
        yield f"{method.name} {name}={value!r}", build(**{name: value}), three
    if limits:
        for name, value in options:
            label = f"{method.name} {name}={value!r} {limits}"
            yield label, build(**{**limits, name: value}), three
    if isinstance(build(), kernsemble.RVFLClassifier):
        # The encoder of the columns is the same for all methods.
        yield f"{method.name} of free text", build(), remarks
    if isinstance(build(), kernsemble.KernelEnsembleClassifier):
        # A member without weight is dropped, so each kind is fitted by itself.
        for kind in build().kinds():
            yield f"{method.name} {kind}", build(members=[kind]), three
        for kind in MANY_KINDS:
            yield f"{method.name} {kind} of many rows", build(members=[kind]), many


def _options(cls):
    """Yield each parameter of a class with each text or truth value its docstring names."""
    parameters = cls.__doc__.split("Parameters\n")[1].split("Attributes\n")[0]
    found = re.findall(r"^    (\w+) : (.*)\n((?:        .*\n|\n)*)", parameters, re.MULTILINE)
    for name, kind, body in found:
        allowed, _, _ = kind.partition(", default=")
        quoted = re.findall(r'"([\w-]+)"', allowed + (body if allowed.startswith("str") else ""))
        yield from ((name, text) for text in dict.fromkeys(quoted))
        if re.match(r"bool\b", allowed):
            yield from ((name, value) for value in (False, True))


def write_tables(folder):
    """Write the tables that methods are fitted to; return their paths."""
    tables = {"two": _table(60, 2), "three": _table(60, 3), "many": _table(MANY_ROWS, 2)}
    tables["remarks"] = _table(60, 2).assign(
        remark=[f"The {number}th of the red lights went on." for number in range(60)]
    )
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return [folder / f"{name}.csv" for name in tables]


def _table(n_rows, n_classes):
    rng = np.random.RandomState(0)
    size = rng.randn(n_rows)
    colour = rng.choice(["red", "green", "blue"], n_rows)
    table = pd.DataFrame({"size": size, "colour": colour, "old": rng.rand(n_rows) < 0.5})
    table["name"] = [f"name {number}" for number in range(n_rows)]
    table["since"] = pd.date_range("2020-01-30", periods=n_rows).strftime("%Y-%m-%d")
    score = size + (colour == "red")
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    table["target"] = np.array(["no", "yes", "maybe"])[np.digitize(score, edges)]
    if n_rows == MANY_ROWS:
        # Many levels, which tell something about the classes.
        table["shop"] = [f"shop {number}" for number in np.digitize(score, np.linspace(-2, 3, 50))]
        # Not linear, so that trees fill its gaps.
        table["area"] = size**2
        table.loc[::5, "area"] = np.nan
    table.loc[::7, "size"] = np.nan
    table.loc[::11, "colour"] = None
    return table


def types_in(path):
    """Return the types in a model file: the kind of node → full names."""
    found = defaultdict(set)
    with zipfile.ZipFile(path) as archive:
        pending = [json.loads(archive.read("schema.json"))]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if "__loader__" in value:
                found[value["__loader__"]].add(f"{value['__module__']}.{value['__class__']}")
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    return dict(found)
