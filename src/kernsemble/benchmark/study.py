"""Which data sets, methods, protocol and seeds: from names or from a TOML file.

.. code-block:: toml

    datasets = ["iris", "papers_raw/*", "survey.csv", "more_sets.txt"]
    methods = ["LandmarkRidge", "RandomForest", "wide-svm", "CatBoost"]
    protocol = "nested"
    seeds = [0, 1]
    rows = [500, 2000, 8000]    # learning curves: samples of the training parts

    [protocol-options]
    name = "ten-fold"
    n_splits = 10

    [method.wide-svm]
    base = "SVM"
    params = { kernel = "rbf" }
    grid = { C = [1, 10, 100] }

    [method.CatBoost]
    class = "catboost.CatBoostClassifier"
    params = { verbose = false }

    [method.LightGBM]
    base = "LightGBM"
    python = "rivals/bin/python"    # in an environment of its own; "$RIVALS" is filled in

    [limits]
    seconds = 600
    memory_gb = 4

    [first-splits]                  # large data sets run fewer splits: a name or a pattern
    "papers_raw/*" = 1
"""

import tomllib
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from kernsemble import datasets as registered
from kernsemble.datasets.dataset import WITHOUT
from kernsemble.datasets.folder import VARIABLE

from ..errors import UserError, unknown_name
from ..frames.tables import is_table_path
from .methods import Method, resolve_method
from .protocols import Protocol, resolve_protocol
from .sources import dataset_label
from .worker import Limits

# Built-in and generated data, and of each family a method.
_QUICK_DATASETS = ("breast_cancer", "iris", "spirals", "wine", "xor")
_QUICK_METHODS = [
    *("CoKRR", "EasyMKL", "KernelEnsemble", "KernelPCAEnsemble", "KernelRidge"),
    *("MPRaF", "RPEMEKL", "RVFLEnsemble"),
    *("LogisticRegression", "NearestNeighbours", "RandomForest", "SVM"),
]

_TABLES = ("protocol-options", "method", "limits", "first-splits")
_KEYS = ("datasets", "methods", "protocol", "seeds", "rows", *_TABLES)


@dataclass(frozen=True)
class Study:
    """What is to be run.

    Attributes
    ----------
    datasets : dict
        Label in the results → registered name or path.
    methods : dict
        Name → Method.
    protocol : Protocol
    seeds : tuple of int
    limits : Limits
    rows : tuple of int
        Sizes of the samples of each training part, in ascending order; empty means all rows.
    first_splits : dict
        Data set → how many of its splits run; the others run all of theirs.
    """

    datasets: dict[str, str]
    methods: dict[str, Method]
    protocol: Protocol
    seeds: tuple[int, ...]
    limits: Limits
    rows: tuple[int, ...] = ()
    first_splits: dict[str, int] = field(default_factory=dict)


def make_study(
    datasets,
    methods,
    protocol="nested",
    seeds=(0,),
    *,
    protocol_options=None,
    variants=None,
    limits=None,
    rows=(),
    first_splits=None,
    folder=".",
):
    """Return a checked study; a name may be a pattern over the registered data sets.

    Examples
    --------
    >>> study = make_study(["iris"], ["SVM", "RandomForest"], "kfold")
    >>> study.protocol.n_splits, sorted(study.methods)
    (10, ['RandomForest', 'SVM'])
    """
    _check_strings("datasets", datasets)
    _check_strings("methods", methods)
    _check_numbers("seeds", seeds, lowest=0)
    if not seeds:
        raise UserError("seeds must be a list of whole numbers, got an empty one.")
    resolved = [resolve_method(name, variants, folder).check() for name in methods]
    labelled = label_sources(datasets)
    return Study(
        datasets=labelled,
        methods={method.name: method for method in resolved},
        protocol=resolve_protocol(protocol, protocol_options),
        seeds=tuple(dict.fromkeys(seeds)),
        limits=limits or Limits(),
        rows=_sizes(rows),
        first_splits=_checked_splits(first_splits or {}, labelled),
    )


def _checked_splits(first_splits, labelled):
    """Return data set → number of splits, with patterns filled in; whole names go before them."""
    found = {}
    for pattern, number in sorted(first_splits.items(), key=lambda entry: entry[0] in labelled):
        matched = [name for name in labelled if name == pattern or fnmatchcase(name, pattern)]
        if not matched:
            raise unknown_name("data set of first-splits", pattern, labelled)
        _check_numbers("first-splits", [number], lowest=1)
        found.update(dict.fromkeys(matched, number))
    return found


def _sizes(rows):
    _check_numbers("rows", rows, lowest=2)
    return tuple(sorted(set(rows)))


def _check_numbers(key, numbers, lowest):
    if not isinstance(numbers, (list, tuple)):
        raise UserError(f"{key} must be a list of whole numbers, got {numbers!r}.")
    for number in numbers:
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not lowest <= number < 2**32:
            raise UserError(f"{key} must be whole numbers from {lowest}, got {number!r}.")


def _check_strings(key, values):
    if not isinstance(values, (list, tuple)) or not values:
        raise UserError(f"{key} must be a list with at least one name, got {values!r}.")
    for value in values:
        if not isinstance(value, str):
            raise UserError(f"{key} must hold names, got {value!r}.")


def label_sources(names):
    """Return label in the results → registered name or path, with patterns filled in."""
    known = registered.list_datasets()
    labelled: dict[str, str] = {}
    for name in names:
        for source in _match(name, known):
            label = dataset_label(source)
            if labelled.get(label, source) != source:
                raise UserError(f"Two data sets have the name {label}: rename a file.")
            labelled[label] = source
    return labelled


def _match(name, known):
    if is_table_path(name):
        return [str(Path(name).resolve())]
    name, without, column = name.partition(WITHOUT)
    return [found + without + column for found in _match_registered(name, known)]


def _match_registered(name, known):
    names = [entry.name for entry in known]
    if any(mark in name for mark in "*?["):
        matched = [other for other in names if fnmatchcase(other, name)]
        if not matched:
            where = _where_looked(name, known)
            raise UserError(f"No data set matches {name!r}{' ' if where else ''}{where}.")
        return matched
    if name in names:
        return [name]
    # A bare name is enough where one folder has it.
    same = [entry.name for entry in known if entry.stem == name and entry.source == "folder"]
    if len(same) > 1:
        raise UserError(f"The data set name {name!r} means one of {', '.join(same)}.")
    if not same:
        spelled = [*names, *(entry.stem for entry in known)]
        raise unknown_name("data set", name, spelled, _where_looked(name, known))
    return same


def _where_looked(name, known):
    """Return a remark for the message about a set of a folder where no folder is known."""
    if "/" not in name or any(entry.source == "folder" for entry in known):
        return ""
    return f"(no folder is searched: {VARIABLE} names none)"


def read_study(path):
    """Return the study that a TOML file describes; its paths are relative to the file.

    A data set may be a name, a pattern, the path of a table, or that of a ``.txt`` file with names.
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} is not a readable TOML file: {error}") from None
    for key in content:
        if key not in _KEYS:
            raise unknown_name("key", key, _KEYS, f"in {path}")
    for key in ("datasets", "methods"):
        if key not in content:
            raise UserError(f"{path} does not say which {key}.")
    for key in _TABLES:
        if not isinstance(content.get(key, {}), dict):
            raise UserError(f"{key} in {path} must be a table, [{key}].")
    _check_strings("datasets", content["datasets"])
    return make_study(
        [name for entry in content["datasets"] for name in _names(entry, path.parent)],
        content["methods"],
        content.get("protocol", "nested"),
        content.get("seeds", [0]),
        protocol_options=content.get("protocol-options"),
        variants=content.get("method"),
        limits=_limits(content.get("limits", {})),
        rows=content.get("rows", ()),
        first_splits=content.get("first-splits"),
        folder=path.parent,
    )


def _names(entry, folder):
    """Return the names that an entry stands for: those in a text file, or the entry itself."""
    if is_table_path(entry):
        return [str(folder / entry)]
    if not entry.endswith(".txt"):
        return [entry]
    try:
        return (folder / entry).read_text(encoding="utf-8").split()
    except OSError as error:
        raise UserError(f"The list of data sets {folder / entry} cannot be read: {error}") from None


def _limits(table):
    for key, value in table.items():
        if key not in ("seconds", "memory_gb"):
            raise unknown_name("limit", key, ("seconds", "memory_gb"))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise UserError(f"The limit {key} must be a number, got {value!r}.")
    return Limits(**table)


def choose_study(
    path=None, datasets=None, methods=None, protocol="nested", seeds=None, quick=False, rows=None
):
    """Return the study that a command line asks for: a file, names, or a quick look.

    `quick` runs a method of each family and some rivals on built-in data, with default parameters.
    """
    if path is not None:
        if datasets or methods or quick:
            raise UserError("Give either a study file, or --data and --method, or --quick.")
        study = read_study(path)
        return replace(study, rows=_sizes(rows)) if rows else study
    if quick:
        return make_study(
            list(datasets or _QUICK_DATASETS),
            list(methods or _QUICK_METHODS),
            "kfold",
            list(seeds or [0]),
            protocol_options={"n_splits": 3},
            rows=list(rows or ()),
        )
    if not datasets or not methods:
        raise UserError("Say which --data and which --method, or a study file, or --quick.")
    return make_study(
        list(datasets), list(methods), protocol, list(seeds or [0]), rows=list(rows or ())
    )


def with_limits(study, seconds=None, memory_gb=None):
    """Return the study with limits of the command line, which go before those of its file."""
    limits = Limits(
        study.limits.seconds if seconds is None else seconds,
        study.limits.memory_gb if memory_gb is None else memory_gb,
    )
    return replace(study, limits=limits)
