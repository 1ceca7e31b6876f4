"""The flagship on made tables of many rows, beside boosted trees, two threads each.

    python benchmarks/accuracy/many_rows.py [--rows 200000 1000000] [--table NAME …] [--only NAME …]

Every table has 100,000 new rows. `log_loss` is that of the new rows, and `best` that of the
probabilities which the labels were drawn with, where they are known: no classifier can have a
lower one. `honest_log_loss` is what the flagship says of itself. CatBoost and LightGBM take part
where they are installed. Prints one JSON line for each table, number of rows and method.

The way in which the flagship treats many rows was designed on rules, waves, clusters and levels.
"""

import argparse
import importlib
import json
import sys
import time

import numpy as np
import pandas as pd
from scipy.special import expit, softmax
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, log_loss

from kernsemble import KernelEnsembleClassifier
from kernsemble.datasets import make_waveform

N_NEW, N_COLUMNS = 100_000, 20


def _draw(rng, P):
    return (rng.rand(len(P), 1) > np.cumsum(P, axis=1)[:, :-1]).sum(axis=1)


def _two(log_odds, spread=2.5):
    p = expit(spread * (log_odds - log_odds.mean()) / log_odds.std())
    return np.column_stack([1.0 - p, p])


def _numbers(rng, n):
    """Return columns that depend on each other, with different tails."""
    X = rng.randn(n, N_COLUMNS)
    X[:, 1::2] = 0.6 * X[:, ::2] + 0.8 * X[:, 1::2]
    X[:, ::4] = np.exp(0.5 * X[:, ::4])
    return X


def rules(rng, n):
    """Two classes; the log-odds are a sum of 200 rules about up to four of 15 columns."""
    X, log_odds = _numbers(rng, n), np.zeros(n)
    for _ in range(200):
        own = rng.choice(15, size=rng.randint(1, 5), replace=False)
        holds = np.ones(n, dtype=bool)
        for column in own:
            holds &= rng.choice([-1, 1]) * (X[:, column] - X[rng.randint(n), column]) > 0
        log_odds += rng.randn() * holds / np.sqrt(max(holds.mean(), 1e-3))
    return X, _two(log_odds)


def waves(rng, n):
    """Two classes; the log-odds are a sum of 40 waves along two or three of 10 columns."""
    X, log_odds = _numbers(rng, n), np.zeros(n)
    for _ in range(40):
        own = rng.choice(10, size=rng.randint(2, 4), replace=False)
        log_odds += rng.randn() * np.sin(X[:, own] @ rng.randn(len(own)) + rng.rand() * 6.3)
    return X, _two(log_odds)


def clusters(rng, n):
    """Five classes of eight stretched clusters each, in 8 of 20 columns."""
    X, centres = rng.randn(n, N_COLUMNS), 1.3 * rng.randn(40, 8)
    turns = [np.linalg.qr(rng.randn(8, 8))[0] * rng.uniform(0.4, 1.6, size=8) for _ in range(40)]
    own = rng.randint(40, size=n)
    for k in range(40):
        X[own == k, :8] = X[own == k, :8] @ turns[k].T + centres[k]
    S = np.empty((n, 40))
    for k in range(40):
        Z = (X[:, :8] - centres[k]) @ np.linalg.inv(turns[k]).T
        S[:, k] = -0.5 * (Z**2).sum(axis=1) - np.log(abs(np.linalg.det(turns[k])))
    return X, softmax(S, axis=1).reshape(n, 8, 5).sum(axis=1)


def levels(rng, n):
    """Two classes; three categories of 30, 300 and 3,000 levels, which change what numbers mean."""
    X, frame = _numbers(rng, n), {}
    log_odds = X[:, 0] * (X[:, 1] > 0) + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] ** 2
    for n_levels, letter in ((30, "a"), (300, "b"), (3000, "c")):
        shares = np.arange(1, n_levels + 1.0) ** -0.8
        own = rng.choice(n_levels, size=n, p=shares / shares.sum())
        log_odds += rng.randn(n_levels)[own] + 0.7 * rng.randn(n_levels)[own] * X[:, n_levels % 7]
        frame[letter] = pd.Categorical.from_codes(own, [f"{letter}{k}" for k in range(n_levels)])
    names = [f"x{k}" for k in range(N_COLUMNS - 3)]
    return pd.concat([pd.DataFrame(X[:, 3:], columns=names), pd.DataFrame(frame)], axis=1), _two(
        log_odds
    )


def waveform(rng, n):
    """The three classes of the well-known waveforms."""
    return make_waveform(n, random_state=rng)


def hastie(rng, n):
    """Two classes, inside and outside a sphere in ten columns, without noise."""
    X, y = make_hastie_10_2(n, random_state=rng)
    return X, (y > 0).astype(int)


def poker(rng, n):
    """Ten kinds of hands of five cards; suits and ranks of the cards are the columns."""
    cards = np.argsort(rng.rand(n, 52), axis=1)[:, :5]
    suits, ranks = cards // 13, cards % 13
    counts = np.sort((ranks[:, :, None] == np.arange(13)).sum(axis=1), axis=1)[:, ::-1]
    ordered = np.sort(ranks, axis=1)
    royal = (ordered == [0, 9, 10, 11, 12]).all(axis=1)
    straight = royal | ((np.diff(ordered, axis=1) == 1).all(axis=1))
    flush = (suits == suits[:, :1]).all(axis=1)
    two, one = counts[:, 0], counts[:, 1]
    kinds = [flush & royal, flush & straight, two == 4, (two == 3) & (one == 2), flush]
    kinds += [straight, two == 3, (two == 2) & (one == 2), two == 2]
    y = np.select(kinds, np.arange(9, 0, -1), 0)
    return np.column_stack([suits, ranks]).astype(float), y


TABLES = {t.__name__: t for t in (rules, waves, clusters, levels, waveform, hastie, poker)}


def _rival(module, name, **params):
    try:
        return getattr(importlib.import_module(module), name)(**params)
    except ImportError:
        return None


def _methods(X):
    names = list(X.columns[X.dtypes == "category"]) if isinstance(X, pd.DataFrame) else None
    return {
        "KernelEnsemble": KernelEnsembleClassifier(n_jobs=2, random_state=0),
        "CatBoost": _rival(
            "catboost",
            "CatBoostClassifier",
            thread_count=2,
            verbose=False,
            allow_writing_files=False,
            cat_features=names,
        ),
        "LightGBM": _rival("lightgbm", "LGBMClassifier", n_jobs=2, verbose=-1),
        "HistGradientBoosting": HistGradientBoostingClassifier(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", type=int, default=[200_000, 1_000_000])
    parser.add_argument("--table", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--only", nargs="+")
    args = parser.parse_args()
    for name in args.table:
        # All sizes and the new rows are of one problem.
        rng = np.random.RandomState(sum(map(ord, name)))
        X, found = TABLES[name](rng, max(args.rows) + N_NEW)
        y = _draw(rng, found) if found.ndim == 2 else found
        best = round(log_loss(y[:N_NEW], found[:N_NEW]), 5) if found.ndim == 2 else None
        for n_rows in args.rows:
            _compare(name, X[: N_NEW + n_rows], y[: N_NEW + n_rows], args.only, best)


def _compare(name, X, y, only, best):
    new, rows, truth, labels = X[:N_NEW], X[N_NEW:], y[:N_NEW], y[N_NEW:]
    for method, model in _methods(X).items():
        if model is None or (only and method not in only):
            continue
        if isinstance(model, KernelEnsembleClassifier):
            # What numba compiles at the first use does not count.
            KernelEnsembleClassifier(n_jobs=2, random_state=0).fit(rows[:60_000], labels[:60_000])
        start, cpu = time.perf_counter(), time.process_time()
        try:
            model.fit(rows, labels)
        except ValueError as error:
            # Not every rival takes a class of one row, or more than 255 levels.
            print(f"{name}, {len(labels)} rows, {method}: {error}", file=sys.stderr)
            continue
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        P = np.zeros((N_NEW, y.max() + 1))
        P[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(new)
        line = {"table": name, "rows": len(labels), "method": method, "best": best}
        line["log_loss"] = round(log_loss(truth, P, labels=np.arange(P.shape[1])), 5)
        line["accuracy"] = round(100 * accuracy_score(truth, P.argmax(axis=1)), 3)
        line |= {"seconds": round(seconds, 2), "processor_s": round(cpu, 2)}
        line["predict_s"] = round(_seconds(model, new), 2)
        if isinstance(model, KernelEnsembleClassifier):
            line["honest_log_loss"] = round(model.honest_log_loss_, 5)
            weights = zip(model.estimators_, model.weights_)
            line["weights"] = {member.name: round(float(w), 3) for member, w in weights}
            line["rounds"] = [[r.rows, r.members, r.log_loss, r.seconds] for r in model.race_]
        print(json.dumps(line), flush=True)


def _seconds(model, new):
    start = time.perf_counter()
    model.predict_proba(new)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
