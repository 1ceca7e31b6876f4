"""The flagship on made tables whose categories have many levels, as they are and behind indicators.

    python benchmarks/accuracy/many_levels.py [--repeats 2] [--rows 2000] [--table NAME]

`native` is the log-loss of `KernelEnsembleClassifier` on 4,000 new rows, `indicators` that of the
same behind indicator columns of the fifty most frequent levels and imputation, and `CatBoost` that
of CatBoost with the same categories, if it is installed. Prints one JSON line.
"""

import argparse
import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.metrics import log_loss

from kernsemble import KernelEnsembleClassifier
from kernsemble.benchmark.native_columns import make_rival_model

N_NEW = 4000


def _levels(rng, n, n_levels, power=0.0):
    """Return level numbers whose frequencies fall with a power of their rank."""
    shares = np.arange(1, n_levels + 1.0) ** -power
    return rng.choice(n_levels, size=n, p=shares / shares.sum())


def _texts(levels, letter):
    return np.array([f"{letter}{level}" for level in levels], dtype=object)


def _labels(rng, log_odds):
    return (rng.rand(len(log_odds)) < expit(log_odds)).astype(int)


def groups(rng, n, n_train):
    """Rows of one visit, two or three, nearly always have one class."""
    n_levels = n_train // 3
    visit, size, kind = rng.randint(n_levels, size=n), rng.randn(n), rng.randint(4, size=n)
    own = rng.beta(0.05, 0.05, size=n_levels)[visit]
    y = (rng.rand(n) < np.clip(own + 0.05 * size, 0.0, 1.0)).astype(int)
    return pd.DataFrame({"visit": _texts(visit, "v"), "size": size, "kind": _texts(kind, "k")}), y


def moments(rng, n, n_train):
    """The same, but what a visit has in common is the moment when it began."""
    X, y = groups(rng, n, n_train)
    begin = np.datetime64("2020-01-01T00:00:00", "s")
    seconds = rng.randint(10**8, size=n_train // 3)[X["visit"].str[1:].astype(int)]
    return X.assign(visit=begin + seconds.astype("timedelta64[s]")), y


def trend(rng, n, n_train):
    """Days of three years, of which several rows share each, with a smooth trend alone."""
    day, size = rng.randint(1000, size=n), rng.randn(n)
    y = _labels(rng, 2.0 * np.sin(day / 100.0) + size)
    begin = np.datetime64("2020-01-01", "s")
    return pd.DataFrame({"day": begin + day.astype("timedelta64[D]"), "size": size}), y


def shops(rng, n, n_train):
    """One column of 300 levels with falling frequencies, and numbers."""
    shop, size, age = _levels(rng, n, 300, 1.0), rng.randn(n), rng.randn(n)
    y = _labels(rng, 1.5 * rng.randn(300)[shop] + size - 0.5 * age**2)
    return pd.DataFrame({"shop": _texts(shop, "s"), "size": size, "age": age}), y


def several(rng, n, n_train):
    """Five columns of 40 to 200 levels whose effects add up."""
    sizes = (40, 60, 80, 120, 200)
    levels = [_levels(rng, n, size, 0.8) for size in sizes]
    y = _labels(rng, sum(rng.randn(size)[own] for own, size in zip(levels, sizes)))
    names = [f"column {k}" for k in range(len(sizes))]
    return pd.DataFrame({k: _texts(own, "l") for k, own in zip(names, levels)}), y


def slopes(rng, n, n_train):
    """The sign of the effect of a number depends on the level, of 60."""
    shop, size = _levels(rng, n, 60, 0.8), rng.randn(n)
    y = _labels(
        rng, 2.0 * rng.choice([-1.0, 1.0], size=60)[shop] * size + 0.5 * rng.randn(60)[shop]
    )
    return pd.DataFrame({"shop": _texts(shop, "s"), "size": size, "age": rng.randn(n)}), y


def pairs(rng, n, n_train):
    """Pairs of levels of two columns of 35 and of 10 levels decide."""
    first, second = _levels(rng, n, 35, 0.7), _levels(rng, n, 10, 0.5)
    y = _labels(rng, 2.0 * rng.randn(35, 10)[first, second] + 0.5 * rng.randn(35)[first])
    X = {"first": _texts(first, "f"), "second": _texts(second, "s"), "size": rng.randn(n)}
    return pd.DataFrame(X), y


def classes(rng, n, n_train):
    """Five classes, whose shares differ from level to level of 150."""
    shop, size = _levels(rng, n, 150, 1.0), rng.randn(n)
    S = 1.5 * rng.randn(150, 5)[shop] + size[:, None] * np.linspace(-1, 1, 5)
    y = np.argmax(S + rng.gumbel(size=S.shape), axis=1)
    return pd.DataFrame({"shop": _texts(shop, "s"), "size": size}), y


def twins(rng, n, n_train):
    """Groups of about three rows share most columns, and the class; no column names them."""
    n_groups = n_train // 3
    group, sizes = rng.randint(n_groups, size=n), (80, 200, 120)
    columns = {
        f"column {k}": _texts(_levels(rng, n_groups, size, 0.7)[group], "l")
        for k, size in enumerate(sizes)
    }
    age = rng.randint(18, 80, size=n_groups)[group].astype(float)
    y = _labels(rng, 4.0 * rng.choice([-1.0, 1.0], size=n_groups)[group])
    kind = _texts(rng.randint(4, size=n), "k")
    return pd.DataFrame({**columns, "age": age, "kind": kind}), y


TABLES = {
    make.__name__: make
    for make in (groups, moments, trend, shops, several, slopes, pairs, classes, twins)
}


def _models(X):
    ours = KernelEnsembleClassifier(random_state=0)
    found = {
        "native": make_rival_model(X, ours, "auto", True),
        "indicators": make_rival_model(X, ours, "numbers", True),
    }
    try:
        from catboost import CatBoostClassifier
    except ImportError:
        return found
    rival = CatBoostClassifier(verbose=False, allow_writing_files=False, thread_count=1)
    return {**found, "CatBoost": make_rival_model(X, rival, "texts", True)}


def compare(make, n_train, repeats, only=None):
    """Return the mean log-loss and processor seconds of every model."""
    losses: dict[str, list] = {}
    seconds: dict[str, list] = {}
    for seed in range(repeats):
        X, y = make(np.random.RandomState(seed), n_train + N_NEW, n_train)
        for name, (model, options) in _models(X).items():
            if only and name not in only:
                continue
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X[:n_train], y[:n_train], **options)
            seconds.setdefault(name, []).append(time.process_time() - start)
            P = model.predict_proba(X[n_train:])
            losses.setdefault(name, []).append(log_loss(y[n_train:], P))
    return {
        name: {
            "log_loss": round(float(np.mean(own)), 4),
            "seconds": round(float(np.mean(seconds[name])), 1),
        }
        for name, own in losses.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--table", choices=TABLES, action="append")
    parser.add_argument("--model", action="append", help="one alone; all by default")
    given = parser.parse_args()
    found = {}
    for name in given.table or TABLES:
        found[name] = compare(TABLES[name], given.rows, given.repeats, given.model)
        print(name, found[name], file=sys.stderr, flush=True)
    print(json.dumps({"benchmark": "many_levels", "rows": given.rows, "tables": found}))


if __name__ == "__main__":
    main()
