"""Classifiers in an interpreter of their own, which need not have kernsemble.

`rival_client` starts this file, with its neighbours `resources`, `process_session` and
`rival_adapters`, in the other interpreter, so these use the standard library, numpy, scikit-learn
and, for frames, pandas, and nothing newer than Python 3.8.

A message is a line of JSON and, after it, arrays in numpy's own format, which all versions of numpy
read. The process answers message by message and ends when its input closes, or when its parent is
gone while it computes.
"""

import importlib
import inspect
import io
import json
import os
import sys
import threading
import time
import warnings
from contextlib import suppress
from importlib import metadata
from typing import Any

import numpy as np

from .process_session import end_session
from .resources import cpu_seconds, forget_peak_memory, model_bytes, peak_memory_mb

_SEEDS = ("random_state", "random_seed")
_CLASS = "class"
_PARENT_SECONDS = 0.5
_ADAPTERS = "kernsemble.benchmark.rival_adapters"
#: Fitted attributes that a classifier may have and that a study measures.
_SAID = ("honest_accuracy_", "honest_log_loss_")


class NoSuchClass(Exception):
    """The reason why a class cannot be imported, or is none of a classifier."""


def import_class(path):
    """Return the class at a full path."""
    module, _, name = path.rpartition(".")
    try:
        if module == _ADAPTERS:
            found = getattr(importlib.import_module(".rival_adapters", __package__), name)
            importlib.import_module(found.package)
            return found
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        missing = f"{path} needs the package {error.name}, which is not installed."
        raise NoSuchClass(missing) from error
    except (AttributeError, ValueError) as error:
        raise NoSuchClass(f"There is no class {path!r}; give its full path.") from error


def make_object(value):
    """Return the object that a JSON value stands for: a dict with a class is an object of it."""
    if isinstance(value, list):
        return [make_object(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    made = {key: make_object(entry) for key, entry in value.items() if key != _CLASS}
    if _CLASS not in value:
        return made
    path = value[_CLASS] if "." in value[_CLASS] else f"kernsemble.kernels.{value[_CLASS]}"
    try:
        return import_class(path)(**made)
    except TypeError as error:
        raise NoSuchClass(f"{value!r} cannot be made: {error}.") from error


def parameter_names(path):
    """Return the names of a class's constructor parameters, None when it takes any."""
    cls = import_class(path)
    if not hasattr(cls, "fit") or not hasattr(cls, "get_params"):
        raise NoSuchClass(f"{path} is no scikit-learn classifier.")
    signature = inspect.signature(cls).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature):
        return None
    names = {parameter.name for parameter in signature}
    if any(parameter.default is parameter.empty for parameter in signature):
        return names
    # A grid may name parameters of parameters, which the signature does not tell.
    return names | set(cls().get_params())


def build_classifier(estimator, params, point, seed):
    """Return a new classifier, with `seed` wherever it draws and no seed is given."""
    given = {key: make_object(value) for key, value in params.items()}
    classifier = import_class(estimator)(**given)
    seeds = _seed_parameters(classifier, given)
    if seeds:
        classifier.set_params(**dict.fromkeys(seeds, seed))
    if point:
        classifier.set_params(**{key: make_object(value) for key, value in point.items()})
    return classifier


def _seed_parameters(classifier, given):
    """Return the parameters that are seeds, those of a search's inner estimator included."""
    if any(name in given for name in _SEEDS):
        return []
    known = classifier.get_params(deep=False)
    if _SEEDS[0] in known:
        return [_SEEDS[0]]
    signature = inspect.signature(type(classifier)).parameters
    own = [name for name in _SEEDS if name in signature]
    inner = [
        name
        for name, value in classifier.get_params(deep=True).items()
        if name.endswith("__" + _SEEDS[0]) and value is None
    ]
    return own[:1] + inner


def pack_rows(X):
    """Return the description and the arrays of rows, an array or a frame."""
    if not hasattr(X, "columns"):
        return None, [np.ascontiguousarray(X)]
    columns: list = []
    arrays: list = []
    for name in X:
        column = X[name]
        if hasattr(column, "cat"):
            levels = [str(level) for level in column.cat.categories]
            columns.append({"name": str(name), "levels": levels})
            arrays.append(column.cat.codes.to_numpy().astype(np.int32))
        elif column.dtype.kind in "fiub":
            columns.append({"name": str(name)})
            arrays.append(column.to_numpy().astype(float))
        else:
            texts, codes = np.unique(column.to_numpy().astype(str), return_inverse=True)
            columns.append({"name": str(name), "levels": texts.tolist(), "text": True})
            arrays.append(codes.astype(np.int32))
    return columns, arrays


def unpack_rows(columns, arrays):
    """Return the rows that `pack_rows` described."""
    if columns is None:
        return arrays[0]
    import pandas as pd

    found = {}
    for column, array in zip(columns, arrays):
        levels = column.get("levels")
        if levels is None:
            found[column["name"]] = array
        elif column.get("text"):
            found[column["name"]] = np.array(levels, dtype=object)[array]
        else:
            found[column["name"]] = pd.Categorical.from_codes(array, categories=levels)
    return pd.DataFrame(found)


def send(stream, message, arrays=()):
    """Write a message."""
    packed = []
    for array in arrays:
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        packed.append(buffer.getvalue())
    head = {**message, "sizes": [len(content) for content in packed]}
    stream.write(json.dumps(head).encode() + b"\n" + b"".join(packed))
    stream.flush()


def receive(stream):
    """Return the next message and its arrays, (None, []) when there is none any more."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None, []
    message = json.loads(line)
    arrays = []
    for size in message.pop("sizes"):
        content = stream.read(size)
        if len(content) < size:
            return None, []
        arrays.append(np.load(io.BytesIO(content), allow_pickle=False))
    return message, arrays


class _Rival:
    """The classifier that was fitted last."""

    def __init__(self):
        self._classifier: Any = None

    def describe(self, job, arrays):
        names = parameter_names(job["estimator"])
        make_object(job["params"])
        known = None if names is None else sorted(names)
        return {"parameters": known, "versions": _versions(job["estimator"])}, ()

    def fit(self, job, arrays):
        """Fit a new classifier, and say what that took and what it can do."""
        classifier = build_classifier(job["estimator"], job["params"], job["point"], job["seed"])
        X = unpack_rows(job["columns"], arrays[:-1])
        counts_memory = forget_peak_memory()
        start, cpu_start = time.perf_counter(), cpu_seconds()
        classifier.fit(X, arrays[-1], **job["fit"])
        used = _used(start, cpu_start)
        peak = peak_memory_mb() if counts_memory else None
        self._classifier = classifier
        said = {
            name: float(getattr(classifier, name)) for name in _SAID if hasattr(classifier, name)
        }
        answer = {
            **{"used": used, "peak_memory_mb": peak, "model_bytes": model_bytes(classifier)},
            **{"said": said, "probabilities": hasattr(classifier, "predict_proba")},
            "versions": _versions(job["estimator"]),
        }
        return answer, ()

    def predict(self, job, arrays):
        X = unpack_rows(job["columns"], arrays)
        start, cpu_start = time.perf_counter(), cpu_seconds()
        predicted = self._classifier.predict(X)
        used = _used(start, cpu_start)
        return {"used": used}, [np.ravel(predicted).astype(np.int64)]

    def predict_proba(self, job, arrays):
        try:
            P = self._classifier.predict_proba(unpack_rows(job["columns"], arrays))
        except (AttributeError, NotImplementedError):
            # Some wrappers have the method and learn only here that what they wrap has not.
            return {"probabilities": False}, ()
        return {"probabilities": True}, [np.asarray(P, dtype=float)]


def _used(start, cpu_start):
    return {"seconds": time.perf_counter() - start, "cpu_seconds": cpu_seconds() - cpu_start}


def _versions(estimator):
    """Return the versions of Python and of the packages that make the classifier."""
    found = {"python": sys.version.split()[0]}
    package = estimator.split(".")[0]
    if estimator.startswith(_ADAPTERS):
        package = import_class(estimator).package
    for name in ("numpy", "sklearn", package):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is None:
            # Not every package carries its version; its distribution mostly has the same name.
            with suppress(metadata.PackageNotFoundError):
                version = metadata.version(name)
        if version is not None:
            found["scikit-learn" if name == "sklearn" else name] = str(version)
    return found


def serve():
    """Answer messages until the input closes."""
    jobs, answers = _take_pipes()
    here = os.getpid()
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    import sklearn  # noqa: F401  the parent is told at once that it is missing

    send(answers, {"ready": True})
    rival = _Rival()
    while True:
        job, arrays = receive(jobs)
        if job is None:
            os._exit(0)
        # The parent keeps what is printed in a file; only the last job counts.
        with suppress(OSError):
            os.ftruncate(2, 0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer, found = getattr(rival, job.pop("do"))(job, arrays)
        except Exception as error:  # a failure is an answer too
            answer, found = {"failure": [type(error).__name__, str(error)]}, ()
        if os.getpid() != here:
            # A process that the fit has forked came back from it; it must not answer.
            os._exit(1)
        send(answers, answer, found)


def _take_pipes():
    """Return the input and the output, which from now on a classifier cannot reach."""
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # What a classifier prints goes to the messages.
    os.dup2(2, 1)
    return jobs, answers


def _leave_with_parent(parent):
    leads = hasattr(os, "getsid") and os.getsid(0) == parent
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    if leads:
        # The parent led the session, to which only this process and its children belong now.
        end_session(parent)
    os._exit(1)
