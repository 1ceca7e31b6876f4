"""`explain` beside `shap.KernelExplainer` at the same error: 100 rows, 20 columns, one thread.

    python benchmarks/speed/explain_vs_shap.py [--shap-rows 100] [--coalitions 2088]

shap is needed by nothing else here (`pip install shap`). Both sides explain the same scores against
the same 50 background rows, in processor time. `error` is the root mean squared difference to the
true contributions: those of a machine with a product kernel are exact (the tests compare them with
the definition), those of the ensemble come from a long run of random orders on at most ten rows.
shap's number of coalitions is its own choice unless another one is given; it explains row by row,
so that its time for some of the rows, evenly spread, tells that for all. The number of our orders
is the least whose error is not larger than shap's; the ratio is our time for all rows over shap's,
and the target 0.05.
"""

import argparse
import json
import time

import numpy as np
import shap
from sklearn.datasets import make_classification

from kernsemble import KernelEnsembleClassifier, KernelRidgeClassifier

N_ROWS, N_COLUMNS, N_BACKGROUND = 100, 20, 50
# Rows of the long run, and its orders for each background row.
N_CHECKED, N_LONG = 10, 24


def timed(function):
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def error(found, truth):
    return float(np.sqrt(np.mean((found - truth) ** 2)))


def compare(clf, x, background, n_coalitions, n_shap):
    """Return times and errors of both sides for a fitted classifier of two classes."""
    sign = np.where(clf.predict(x) == 1, 1.0, -1.0)[:, None]
    shown = np.arange(0, len(x), len(x) // n_shap)
    explainer = shap.KernelExplainer(clf.decision_function, background)
    theirs, their_time = timed(
        lambda: explainer.shap_values(x[shown], nsamples=n_coalitions, silent=True, l1_reg=False)
    )
    their_time *= len(x) / len(shown)
    clf.explain(x[:1], background)
    ours, our_time = timed(lambda: clf.explain(x, background))
    exact, n_orders = not ours.errors.any(), 2
    some = slice(None, None, max(1, len(shown) // N_CHECKED))
    rows, truth = shown[some], ours.contributions[shown[some]]
    if not exact:
        long = clf.explain(x[rows], background, n_orders=N_LONG, random_state=1)
        truth = long.contributions
    their_error = error((theirs * sign[shown])[some], truth)
    our_error = error(ours.contributions[rows], truth)
    while our_error > their_error:
        n_orders += 1
        ours, our_time = timed(lambda n=n_orders: clf.explain(x, background, n_orders=n))
        our_error = error(ours.contributions[rows], truth)
    return {
        "ratio": round(our_time / their_time, 5),
        "ours_s": round(our_time, 3),
        "theirs_s": round(their_time, 3),
        "error": float(f"{our_error:.3g}"),
        "their_error": float(f"{their_error:.3g}"),
        "stated_error": float(f"{np.sqrt(np.mean(ours.errors**2)):.3g}"),
        "size": float(f"{np.sqrt(np.mean(truth**2)):.3g}"),
        "n_orders": None if exact else n_orders,
        "n_coalitions": n_coalitions,
        "shap_rows": n_shap,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--coalitions", type=int, default=2 * N_COLUMNS + 2048)
    parser.add_argument("--shap-rows", type=int, default=N_ROWS)
    options = parser.parse_args()
    X, y = make_classification(600, N_COLUMNS, n_informative=8, flip_y=0.05, random_state=0)
    train, x, background = X[:500], X[500:], X[:500:10]
    results = {}
    for clf in (KernelRidgeClassifier(random_state=0), KernelEnsembleClassifier(random_state=0)):
        clf.fit(train, y[:500])
        results[type(clf).__name__] = compare(
            clf, x, background, options.coalitions, options.shap_rows
        )
    line = {
        "benchmark": "explain_vs_shap",
        "ratio": max(result["ratio"] for result in results.values()),
        "target": "largest ratio at most 0.05",
        "models": results,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
