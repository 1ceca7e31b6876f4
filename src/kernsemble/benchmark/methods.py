"""Names of methods: every exported kernsemble classifier, and the usual rivals of scikit-learn.

A method is a class, constructor parameters and a grid to tune over, all of them JSON values, so
that a definition can be sent to a worker, kept in a ledger and written in a TOML file. A parameter
that is an object is a table with its class, ``{class = "MeanSquaredDistance", multipliers =
[0.25, 1]}``: a name of `kernsemble.kernels`, or the full path of any class.
"""

import importlib
import inspect
import json
import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache

from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid

from ..errors import UserError, unknown_name

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
    "EasyMKL": {"alpha": [0.0, 0.1, 0.5, 0.9]},
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

_SEED, _CLASS = "random_state", "class"
_KEYS = ("base", _CLASS, "params", "grid")


@dataclass(frozen=True)
class Method:
    """What to fit, under the name that results carry.

    Attributes
    ----------
    name : str
    estimator : str
        Full path of the class.
    params : dict
        Constructor parameters.
    grid : dict or list of dict
        Candidates of parameters. Of a list, each grid is searched with what those before it chose
        and the first candidates of those after it: 5 + 5 fits instead of 25.
    """

    name: str
    estimator: str
    params: dict = field(default_factory=dict)
    grid: dict | list = field(default_factory=dict)

    def build(self, seed, point=None):
        """Return a new classifier with the parameters of a grid point; `seed` is its seed."""
        given = {key: _make(value) for key, value in self.params.items()}
        classifier = _import(self.estimator)(**given)
        if _SEED not in given and _SEED in classifier.get_params(deep=False):
            classifier.set_params(**{_SEED: seed})
        return classifier.set_params(**{key: _make(value) for key, value in (point or {}).items()})

    def definition(self):
        """Return the method as JSON values."""
        return asdict(self)

    @property
    def grids(self):
        """The grids that are searched one after the other."""
        return self.grid if isinstance(self.grid, list) else [self.grid]

    def points(self):
        """Return every point of all grids together, a list of dict."""
        whole = {key: values for grid in self.grids for key, values in grid.items()}
        return list(ParameterGrid(whole))

    def search(self, score):
        """Return the number of the best point and its score; the first of equals.

        A point that the classifier refuses for these rows, such as more features than there are,
        is passed over.

        Parameters
        ----------
        score : callable
            Point → mean accuracy.
        """
        points, refusal = self.points(), None
        chosen = {key: values[0] for grid in self.grids for key, values in grid.items()}
        found: dict[int, float] = {}
        for grid in self.grids:
            tried = [points.index({**chosen, **point}) for point in ParameterGrid(grid)]
            for number in tried:
                if number not in found:
                    try:
                        found[number] = float(score(points[number]))
                    except ValueError as error:
                        found[number], refusal = -math.inf, error
            chosen = points[max(tried, key=found.__getitem__)]
        best = points.index(chosen)
        if refusal is not None and found[best] == -math.inf:
            raise refusal
        return best, found[best]

    def check(self):
        """Raise when the class does not know a parameter, before anything long starts."""
        known = _parameters(self.estimator, self.name)
        candidates = [(name, values) for grid in self.grids for name, values in grid.items()]
        for name in (*self.params, *(name for name, _ in candidates)):
            if known is not None and name not in known:
                raise unknown_name("parameter", name, known, f"of {self.name}")
        for name, values in candidates:
            if not isinstance(values, list) or not values:
                raise UserError(
                    f"The grid of method {self.name} needs a list of values for {name}, "
                    f"got {values!r}."
                )
        _make([*self.params.values(), *(values for _, values in candidates)])
        return self


def _import(path):
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise UserError(f"{path} needs the package {error.name}, which is not installed.") from None
    except (AttributeError, ValueError):
        raise UserError(f"There is no class {path!r}; give its full path.") from None


def _make(value):
    """Return the object that a JSON value stands for."""
    if isinstance(value, list):
        return [_make(entry) for entry in value]
    if not isinstance(value, dict) or _CLASS not in value:
        return value
    path = value[_CLASS] if "." in value[_CLASS] else f"kernsemble.kernels.{value[_CLASS]}"
    params = {key: _make(entry) for key, entry in value.items() if key != _CLASS}
    try:
        return _import(path)(**params)
    except TypeError as error:
        raise UserError(f"{value!r} cannot be made: {error}.") from None


def _parameters(path, method):
    """Return the names of a class's constructor parameters, None when it takes any."""
    cls = _import(path)
    if not hasattr(cls, "fit") or not hasattr(cls, "get_params"):
        raise UserError(f"{path} of method {method} is no scikit-learn classifier.")
    signature = inspect.signature(cls).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature):
        return None
    names = {parameter.name for parameter in signature}
    if any(parameter.default is parameter.empty for parameter in signature):
        return names
    # A grid may name parameters of parameters, which the signature does not tell.
    return names | set(cls().get_params())


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
        Definitions: name → {"base" or "class", "params", "grid"}. "base" is a registered method,
        of which "params" and "grid" replace single parameters and the whole grid; "class" is any
        classifier that can be imported, such as "catboost.CatBoostClassifier".
    """
    if variants and name in variants:
        return _vary(name, variants[name])
    known = _registry()
    by_folded = {registered.casefold(): registered for registered in known}
    if str(name).casefold() not in by_folded:
        raise unknown_name("method", name, [*known, *(variants or {})])
    return known[by_folded[str(name).casefold()]]


def _vary(name, variant):
    if not isinstance(variant, dict) or ("base" in variant) == (_CLASS in variant):
        raise UserError(
            f"Method {name!r} needs a base, the name of a known method, or a class, a full path."
        )
    for key in variant:
        if key not in _KEYS:
            raise unknown_name("key", key, _KEYS, f"of method {name}")
    if "base" in variant:
        base = resolve_method(variant["base"])
    else:
        base = Method(name, str(variant[_CLASS]))
    params, grid = variant.get("params", {}), variant.get("grid", base.grid)
    grids = grid if isinstance(grid, list) else [grid]
    if not all(isinstance(table, dict) for table in (params, *grids)):
        raise UserError(f"params and grid of method {name!r} must be tables.")
    if isinstance(grid, dict):
        # A parameter that is fixed is not tuned.
        grid = {key: values for key, values in grid.items() if key not in params}
    method = replace(base, name=name, params={**base.params, **params}, grid=grid)
    try:
        json.dumps(method.definition())
    except TypeError as error:
        raise UserError(f"Method {name!r} holds a value that is not JSON: {error}.") from None
    return method
