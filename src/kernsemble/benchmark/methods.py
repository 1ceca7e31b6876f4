"""Names of methods: every exported kernsemble classifier, and the usual rivals of scikit-learn.

A method is a class, constructor parameters and a grid to tune over, all of them JSON values, so
that a definition can be sent to a worker, kept in a ledger and written in a TOML file.
"""

import importlib
import json
from dataclasses import asdict, dataclass, field, replace
from functools import cache

from sklearn.base import is_classifier

from ..errors import UserError, unknown_name

__all__ = ["Method", "is_own", "list_methods", "resolve_method"]

_FOLDERS = ("kernsemble.machines", "kernsemble.ensembles", "kernsemble.mkl")

_POWERS = [2.0**exponent for exponent in range(-5, 11, 3)]

# Class, constructor parameters, grid.
_RIVALS: dict[str, tuple[str, dict, dict]] = {
    "AdaBoost": ("sklearn.ensemble.AdaBoostClassifier", {}, {"n_estimators": [50, 200]}),
    "Bagging": ("sklearn.ensemble.BaggingClassifier", {}, {}),
    "ExtraTrees": (
        "sklearn.ensemble.ExtraTreesClassifier",
        {"n_estimators": 200},
        {"max_features": ["sqrt", 0.5]},
    ),
    "GradientBoosting": (
        "sklearn.ensemble.GradientBoostingClassifier",
        {},
        {"learning_rate": [0.03, 0.1], "max_depth": [2, 4]},
    ),
    "HistGradientBoosting": (
        "sklearn.ensemble.HistGradientBoostingClassifier",
        {},
        {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]},
    ),
    "LogisticRegression": (
        "sklearn.linear_model.LogisticRegression",
        {"max_iter": 1000},
        {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    ),
    "Majority": ("sklearn.dummy.DummyClassifier", {}, {}),
    "NearestNeighbours": (
        "sklearn.neighbors.KNeighborsClassifier",
        {},
        {"n_neighbors": [1, 3, 5, 9, 15]},
    ),
    "RandomForest": (
        "sklearn.ensemble.RandomForestClassifier",
        {"n_estimators": 200},
        {"max_features": ["sqrt", 0.5]},
    ),
    "SVM": (
        "sklearn.svm.SVC",
        {},
        {"C": _POWERS, "gamma": [2.0**exponent for exponent in range(-12, 2, 3)]},
    ),
}

_STRENGTHS = [0.01, 0.1, 1.0, 10.0, 100.0]
_COUPLED = {"alpha": _STRENGTHS, "coupling": [0.01, 1.0, 100.0]}
_COSTS = {"C": _STRENGTHS}

# Grids of our own methods. One that is not named here runs on its defaults: it needs no tuning, or
# tunes itself by leave-one-out.
_GRIDS: dict[str, dict] = {
    "EasyMKL": {"lam": [0.0, 0.1, 0.5, 0.9]},
    "GroupLassoMKL": _COSTS,
    "KMHKS": {"alpha": _STRENGTHS},
    "KernelFDA": {"alpha": [0.001, 0.01, 0.1, 1.0]},
    "LandmarkRidge": {"alpha": [0.0001, 0.001, 0.01, 0.1, 1.0]},
    "MEKLDLP": {"alpha": _STRENGTHS, "beta": [0.01, 0.1, 1.0]},
    "MEKLLPC": {"alpha": _STRENGTHS, "beta": [0.01, 0.1, 1.0]},
    "MPRaF": {"max_features": ["sqrt", 0.5, 1.0]},
    "MultiKMHKS": _COUPLED,
    "RPEMEKL": _COUPLED,
    "SILPMKL": _COSTS,
    "SVM2K": _COSTS,
    "SimpleMKL": _COSTS,
}

_SEED = "random_state"


@dataclass(frozen=True)
class Method:
    """What to fit, under the name that results carry."""

    name: str
    estimator: str
    params: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)

    def build(self, seed):
        """Return a new classifier; where it has a seed, this is it."""
        classifier = _import(self.estimator)(**self.params)
        if _SEED in classifier.get_params(deep=False):
            classifier.set_params(**{_SEED: seed})
        return classifier

    def definition(self):
        """Return the method as JSON values."""
        return asdict(self)

    def check(self):
        """Raise when the class does not know a parameter, before anything long starts."""
        known = _import(self.estimator)().get_params()
        for name in (*self.params, *self.grid):
            if name not in known:
                raise unknown_name(f"parameter of method {self.name}", name, known)
        for name, values in self.grid.items():
            if not isinstance(values, list) or not values:
                raise UserError(
                    f"The grid of method {self.name} needs a list of values for {name}, "
                    f"got {values!r}."
                )
        return self


def _import(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@cache
def _registry():
    methods = {
        name: Method(name, path, params, grid) for name, (path, params, grid) in _RIVALS.items()
    }
    for folder in _FOLDERS:
        module = importlib.import_module(folder)
        for exported in module.__all__:
            if exported.endswith("Classifier") and is_classifier(getattr(module, exported)()):
                name = exported.removesuffix("Classifier")
                methods[name] = Method(name, f"{folder}.{exported}", {}, _GRIDS.get(name, {}))
    return methods


def list_methods():
    """Return every known method by name, our own first."""
    methods = _registry()
    ours = sorted(name for name in methods if name not in _RIVALS)
    return {name: methods[name] for name in [*ours, *sorted(_RIVALS)]}


def is_own(method):
    """Return whether a method is kernsemble's rather than a rival."""
    return method.estimator.startswith("kernsemble.")


def resolve_method(name, variants=None):
    """Return the method of a name.

    Parameters
    ----------
    name : str
        A registered name, in any case, or a key of `variants`.
    variants : dict, default=None
        Definitions made from registered methods: name → {"base", "params", "grid"}, of which the
        last two replace single parameters and the whole grid.
    """
    if variants and name in variants:
        return _vary(name, variants[name])
    known = _registry()
    by_folded = {registered.casefold(): registered for registered in known}
    if str(name).casefold() not in by_folded:
        raise unknown_name("method", name, [*known, *(variants or {})])
    return known[by_folded[str(name).casefold()]]


def _vary(name, variant):
    if not isinstance(variant, dict) or "base" not in variant:
        raise UserError(f"Method {name!r} needs a base, the name of a known method.")
    unknown = set(variant) - {"base", "params", "grid"}
    if unknown:
        raise unknown_name(f"key of method {name}", unknown.pop(), ["base", "params", "grid"])
    base = resolve_method(variant["base"])
    params, grid = variant.get("params", {}), variant.get("grid", base.grid)
    if not isinstance(params, dict) or not isinstance(grid, dict):
        raise UserError(f"params and grid of method {name!r} must be tables.")
    # A parameter that is fixed is not tuned.
    grid = {key: values for key, values in grid.items() if key not in params}
    method = replace(base, name=name, params={**base.params, **params}, grid=grid)
    try:
        json.dumps(method.definition())
    except TypeError as error:
        raise UserError(f"Method {name!r} holds a value that is not JSON: {error}.") from None
    return method
