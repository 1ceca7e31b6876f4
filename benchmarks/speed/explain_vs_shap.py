"""`explain` beside `shap.KernelExplainer` at the same error: 100 rows, 20 columns, one thread.

    python benchmarks/speed/explain_vs_shap.py [--coalitions 2088]

shap is needed by nothing else here (`pip install shap`). Both sides explain the same scores against
the same 50 background rows, in processor time. `error` is the root mean squared difference to the
true contributions: those of a machine with a product kernel are exact (the tests compare them with
the definition), those of the ensemble come from a long run of random orders on ten of the rows,
each of which is scored as a whole. shap's number of coalitions is its own choice unless another one
is given. The number of our orders is the least whose error is not larger than shap's; the ratio is
our time over shap's, and the target 0.05.
"""

import argparse
import json
import time

import numpy as np
import shap
from sklearn.datasets import make_classification

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier
from kernsemble.explain.shapley import RowGame, sampled_contributions
from kernsemble.fitting.explaining import PredictedClass

N_ROWS, N_COLUMNS, N_BACKGROUND = 100, 20, 50
CHECKED = slice(None, None, 10)
# Orders of the long run, for each background row.
N_LONG = 128


def timed(function):
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def error(found, truth):
    return float(np.sqrt(np.mean((found - truth) ** 2)))


def long_run(clf, x, background):
    """Return contributions of all columns from many orders of whole rows."""
    groups = [np.array([j]) for j in range(x.shape[1])]
    game = RowGame(PredictedClass.of(clf, x).score, x, background, groups)
    shape = len(background), len(groups)
    return sampled_contributions(game, len(x), shape, N_LONG, np.random.RandomState(1)).values


def compare(clf, x, background, n_coalitions):
    """Return times and errors of both sides for a fitted classifier of two classes."""
    sign = np.where(clf.predict(x) == 1, 1.0, -1.0)[:, None]
    explainer = shap.KernelExplainer(clf.decision_function, background)
    theirs, their_time = timed(
        lambda: explainer.shap_values(x, nsamples=n_coalitions, silent=True, l1_reg=False)
    )
    clf.explain(x[:1], background)
    ours, our_time = timed(lambda: clf.explain(x, background))
    exact, n_orders = not ours.errors.any(), 2
    truth = ours.contributions
    if not exact:
        truth = np.full(x.shape, np.nan)
        truth[CHECKED] = long_run(clf, x[CHECKED], background)
    checked = np.isfinite(truth).all(axis=1)
    their_error = error((theirs * sign)[checked], truth[checked])
    our_error = error(ours.contributions[checked], truth[checked])
    while our_error > their_error:
        n_orders += 1
        ours, our_time = timed(lambda n=n_orders: clf.explain(x, background, n_orders=n))
        our_error = error(ours.contributions[checked], truth[checked])
    return {
        "ratio": round(our_time / their_time, 5),
        "ours_s": round(our_time, 3),
        "theirs_s": round(their_time, 3),
        "error": float(f"{our_error:.3g}"),
        "their_error": float(f"{their_error:.3g}"),
        "stated_error": float(f"{np.sqrt(np.mean(ours.errors**2)):.3g}"),
        "size": float(f"{np.sqrt(np.nanmean(truth**2)):.3g}"),
        "n_orders": None if exact else n_orders,
        "n_coalitions": n_coalitions,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--coalitions", type=int, default=2 * N_COLUMNS + 2048)
    n_coalitions = parser.parse_args().coalitions
    X, y = make_classification(600, N_COLUMNS, n_informative=8, flip_y=0.05, random_state=0)
    train, x, background = X[:500], X[500:], X[:500:10]
    results = {}
    for clf in (KernelRidgeClassifier(random_state=0), KernelEnsembleClassifier(random_state=0)):
        clf.fit(train, y[:500])
        results[type(clf).__name__] = compare(clf, x, background, n_coalitions)
    line = {
        "benchmark": "explain_vs_shap",
        "ratio": max(result["ratio"] for result in results.values()),
        "target": "largest ratio at most 0.05",
        "models": results,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
