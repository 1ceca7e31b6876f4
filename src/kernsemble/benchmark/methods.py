"""Names of methods: every exported kernsemble classifier, and the usual rivals of scikit-learn.

A method is a class, constructor parameters and a grid to tune over, all of them JSON values, so
that a definition can be sent to a worker, kept in a ledger and written in a TOML file. A parameter
that is an object is a table with its class, ``{class = "MeanSquaredDistance", multipliers =
[0.25, 1]}``: a name of `kernsemble.kernels`, or the full path of any class. So the inner estimator
of a search is ``params = {estimator = {class = "sklearn.svm.SVC"}, param_grid = {C = [1, 10]}}``.
"""

import importlib
import json
import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache

from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid

from ..errors import UserError, unknown_name
from .method_text import parse_method
from .native_columns import COLUMNS
from .rival_client import RivalClassifier, describe_rival, find_python
from .rival_server import NoSuchClass, build_classifier, make_object, parameter_names
from .rivals import RIVALS, optional_rivals

_FOLDERS = ("kernsemble.machines", "kernsemble.ensembles", "kernsemble.mkl")

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

_CLASS = "class"
_KEYS = ("base", _CLASS, "params", "grid", "python", "columns")
# Left out of a definition where they have these values, so that older ledgers say the same.
_USUAL = {"python": None, "columns": "auto"}


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
    python : str or None
        Interpreter in which it is fitted; None means this one.
    columns : str
        Which columns it takes, one of `native_columns.COLUMNS`.
    """

    name: str
    estimator: str
    params: dict = field(default_factory=dict)
    grid: dict | list = field(default_factory=dict)
    python: str | None = None
    columns: str = "auto"

    def build(self, seed, point=None):
        """Return a new classifier with the parameters of a grid point; `seed` is its seed."""
        if self.python is not None:
            return RivalClassifier(self.python, self.estimator, self.params, point, seed)
        try:
            return build_classifier(self.estimator, self.params, point, seed)
        except NoSuchClass as error:
            raise UserError(str(error)) from None

    def definition(self):
        """Return the method as JSON values."""
        whole = asdict(self)
        return {key: value for key, value in whole.items() if _USUAL.get(key, ...) != value}

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
        if self.columns not in COLUMNS:
            raise unknown_name(f"kind of columns of method {self.name}", self.columns, COLUMNS)
        known = _parameters(self)
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
        return self


def _parameters(method):
    """Return the names of a class's constructor parameters, None when it takes any."""
    if method.python is not None:
        described = describe_rival(method.python, method.estimator, json.dumps(method.params))
        return described["parameters"]
    try:
        make_object([method.params, *method.grids])
        return parameter_names(method.estimator)
    except NoSuchClass as error:
        raise UserError(f"Method {method.name}: {error}{_how_to_install(method)}") from None


def _how_to_install(method):
    for name, rival in RIVALS.items():
        if rival.estimator == method.estimator and name in optional_rivals():
            return (
                f" Install it with `pip install '{rival.distribution}'`, or name an interpreter "
                f"that has it: {name} @ folder/bin/python."
            )
    return ""


@cache
def _registry():
    methods = {
        name: Method(name, rival.estimator, rival.params, rival.grid, columns=rival.columns)
        for name, rival in RIVALS.items()
    }
    for folder in _FOLDERS:
        module = importlib.import_module(folder)
        for exported in module.__all__:
            if exported.endswith("Classifier") and is_classifier(getattr(module, exported)()):
                name = exported.removesuffix("Classifier")
                methods[name] = Method(name, f"{folder}.{exported}", {}, _GRIDS.get(name, {}))
    return methods


def list_methods(optional=False):
    """Return the known methods by name, our own first.

    Parameters
    ----------
    optional : bool, default=False
        Whether those that need more than scikit-learn are among them.
    """
    methods = _registry()
    ours = sorted(name for name in methods if name not in RIVALS)
    rivals = [name for name in sorted(RIVALS) if optional or name not in optional_rivals()]
    return {name: methods[name] for name in [*ours, *rivals]}


def is_own(estimator):
    """Return whether the class at a full path is kernsemble's own, and no rival's adapter."""
    return estimator.startswith(_FOLDERS)


def resolve_method(name, variants=None, folder="."):
    """Return the method of a name.

    Parameters
    ----------
    name : str
        A registered name, in any case, a key of `variants`, or a text that `parse_method` reads.
    variants : dict, default=None
        Definitions: name → {"base" or "class", "params", "grid"}. "base" is a registered method,
        of which "params" and "grid" replace single parameters and the whole grid; "class" is any
        classifier that can be imported, such as "catboost.CatBoostClassifier". "python" is the
        interpreter in which it is fitted, and "columns" says which columns it takes.
    folder : path, default="."
        What the path of an interpreter is relative to.
    """
    if variants and name in variants:
        return _vary(name, variants[name], folder)
    known = _registry()
    by_folded = {registered.casefold(): registered for registered in known}
    if name.casefold() in by_folded:
        return known[by_folded[name.casefold()]]
    if not any(mark in name for mark in ":@(="):
        raise unknown_name("method", name, [*known, *(variants or {})])
    said = parse_method(name)
    variant = {_CLASS if said.is_class else "base": said.what, "params": said.params}
    if said.python is not None:
        variant["python"] = said.python
    # Without a name of its own a known method in another interpreter keeps its name.
    named = said.name != said.what
    return _vary(said.name if named else resolve_method(said.what).name, variant, folder)


def _vary(name, variant, folder):
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
    python = variant.get("python", base.python)
    method = replace(
        base,
        name=name,
        params={**base.params, **params},
        grid=grid,
        python=None if python is None else find_python(str(python), folder),
        columns=variant.get("columns", base.columns),
    )
    try:
        json.dumps(method.definition())
    except TypeError as error:
        raise UserError(f"Method {name!r} holds a value that is not JSON: {error}.") from None
    return method
