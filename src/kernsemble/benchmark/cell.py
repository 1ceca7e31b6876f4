"""Run one cell of a study: fit one method on one split of one data set, and measure it.

A job and its outcome are JSON values; `worker` carries them between processes.
"""

import json
from functools import cache, lru_cache
from time import perf_counter

import numpy as np

from .dataset_facts import describe_data
from .measures import further_measures
from .methods import Method
from .native_columns import make_rival_model
from .protocols import Protocol, draw_training_rows
from .resources import cpu_seconds, forget_peak_memory, model_bytes, peak_memory_mb
from .sources import data_digest, load_source

# Name of the split whose cell chooses the parameters for all other splits of a data set.
TUNING_SPLIT = "tune"


def evaluate_cell(job):
    """Run a job and return its outcome.

    Parameters
    ----------
    job : dict
        "dataset" (name or path), "method" and "protocol" (definitions), "split", "seed",
        "train_rows", the size of the sample of the training part, where 0 or nothing means all of
        it, and "choice": the grid point that a tuning cell chose, or None.

    Returns
    -------
    dict
        accuracy, balanced_accuracy, n_train, n_test, tune_seconds, fit_seconds, predict_seconds,
        choice (number of the grid point), params (what it stands for), data_digest, facts about
        the data set, and measures:
        those of `further_measures`, fit_cpu_seconds, predict_cpu_seconds, peak_memory_mb and
        model_bytes; and elsewhere, the versions in the interpreter of the method, if it has one.
    """
    data = load_source(job["dataset"])
    method, protocol = Method(**job["method"]), Protocol(**job["protocol"])
    seed = job["seed"]
    _warm_up(json.dumps(job["method"]))
    points = method.points()
    known = {"data_digest": data_digest(job["dataset"]), "facts": _facts(job["dataset"])}
    size = job.get("train_rows", 0)
    if job["split"] == TUNING_SPLIT:
        pairs = [
            (draw_training_rows(train, data.y, size, seed), test)
            for train, test in protocol.tuning_pairs(data, seed)
        ]
        return {**_tune(data, method, protocol, seed, points, pairs), **known}
    train, test = protocol.split(data, job["split"], seed)
    train = draw_training_rows(train, data.y, size, seed)
    tune_seconds, choice = 0.0, job["choice"]
    if protocol.tuning == "inner" and len(points) > 1:
        start = perf_counter()
        inner = [(train[a], train[b]) for a, b in protocol.inner_pairs(data.y[train], seed)]
        choice, _ = _choose(data, method, protocol, seed, inner)
        tune_seconds = perf_counter() - start
    # Without tuning a method has the parameters of its definition, not the first of its grid.
    params = points[choice] if choice is not None else {}
    outcome = _measure(data, method, protocol, seed, params, train, test, further=True)
    return {
        **outcome,
        "tune_seconds": tune_seconds,
        "choice": choice,
        "params": params,
        **known,
    }


@lru_cache(maxsize=2)
def _facts(source):
    return describe_data(load_source(source))


@cache
def _warm_up(definition):
    """Fit once untimed, because the first fit of a process compiles, loads and allocates."""
    X = np.random.RandomState(0).randn(24, 3)
    y = np.arange(24) % 2
    try:
        Method(**json.loads(definition)).build(0).fit(X, y).predict(X)
    except Exception:  # the cells of a method that cannot do this fail, and give the reason
        return


def _tune(data, method, protocol, seed, points, pairs):
    start = perf_counter()
    if len(points) == 1:
        # There is nothing to choose, so the other cells use the parameters of the method itself.
        return {"tune_seconds": 0.0, "choice": None, "params": {}}
    choice, accuracy = _choose(data, method, protocol, seed, pairs)
    return {
        "accuracy": accuracy,
        "tune_seconds": perf_counter() - start,
        "choice": choice,
        "params": points[choice],
    }


def _choose(data, method, protocol, seed, pairs):
    """Return the grid point with the best mean accuracy over `pairs`; the first of equals."""

    def mean_accuracy(params):
        measured = (
            _measure(data, method, protocol, seed, params, train, test) for train, test in pairs
        )
        return np.mean([outcome["accuracy"] for outcome in measured])

    return method.search(mean_accuracy)


def _measure(data, method, protocol, seed, params, train, test, further=False):
    classifier = method.build(seed, params)
    if not further:
        _drop_probabilities(classifier)
    model, options = make_rival_model(data.X, classifier, method.columns, protocol.standardize)
    # Some rivals take codes without gaps alone.
    classes, codes = np.unique(data.y[train], return_inverse=True)
    counts_memory = further and forget_peak_memory()
    start, cpu_start = perf_counter(), cpu_seconds()
    model.fit(_rows(data.X, train), codes, **options)
    fitted, cpu_fitted = perf_counter(), cpu_seconds()
    X = _rows(data.X, test)
    predicted = classes[np.ravel(model.predict(X)).astype(int)]
    done, cpu_done = perf_counter(), cpu_seconds()
    peak = peak_memory_mb() if counts_memory else None
    truth = data.y[test]
    elsewhere = getattr(classifier, "elsewhere_", {})
    used = {
        **_elsewhere(elsewhere, "fit", fitted - start, cpu_fitted - cpu_start),
        **_elsewhere(elsewhere, "predict", done - fitted, cpu_done - cpu_fitted),
    }
    outcome = {
        "accuracy": float(np.mean(predicted == truth)),
        "balanced_accuracy": _balanced(truth, predicted),
        "n_train": len(train),
        "n_test": len(test),
        "fit_seconds": used.pop("fit_seconds"),
        "predict_seconds": used.pop("predict_seconds"),
    }
    if further:
        known = np.searchsorted(classes, truth).clip(max=len(classes) - 1)
        known = np.where(classes[known] == truth, known, -1)
        used["peak_memory_mb"] = elsewhere.get("peak_memory_mb", peak)
        used["model_bytes"] = elsewhere.get("model_bytes") or model_bytes(model)
        known_use = {name: value for name, value in used.items() if value is not None}
        outcome["measures"] = {**further_measures(model, X, known, codes), **known_use}
        outcome["elsewhere"] = elsewhere.get("versions")
    return outcome


def _drop_probabilities(classifier):
    """Spare an SVC of scikit-learn its probabilities: they cost five more fits and change no class.

    The grid is searched by accuracy, so the choice is the same without them.
    """
    if not type(classifier).__module__.startswith("sklearn.svm."):
        return
    if classifier.get_params(deep=False).get("probability") is True:
        classifier.set_params(probability=False)


def _elsewhere(elsewhere, what, seconds, cpu):
    """Return what a step took, with its part in another process in the place of waiting for it."""
    part = elsewhere.get(what, {"waited": 0.0, "seconds": 0.0, "cpu_seconds": 0.0})
    return {
        f"{what}_seconds": seconds - part["waited"] + part["seconds"],
        f"{what}_cpu_seconds": cpu + part["cpu_seconds"],
    }


def _rows(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _balanced(truth, predicted):
    """Return the mean recall over the classes of the test part."""
    hits = predicted == truth
    return float(np.mean([hits[truth == label].mean() for label in np.unique(truth)]))
