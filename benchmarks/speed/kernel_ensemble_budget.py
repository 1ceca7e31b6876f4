"""How well `time_budget` is kept, and what a second worker is worth.

Prints one JSON line: for every budget the seconds that passed and whether they are within 10 % plus
one second of it, and the seconds of one worker divided by those of two, the median of three turns
on tables of several sizes (target: at least 1.6). Run it on an idle machine.
"""

import json
import statistics
from functools import partial

from sklearn.datasets import make_classification
from timing import seconds

from kernsemble import KernelEnsembleClassifier

BUDGETS = (2.0, 5.0, 10.0)
# Rows on which workers are compared, and how often.
ROWS, TURNS = (1000, 2000, 5000, 20_000), 3


def _gain_of_two_workers(X, y):
    """Return the seconds of one worker divided by those of two.

    They are measured in turns, because a machine that slows down then slows both sides.
    """
    ratios = []
    for _ in range(TURNS):
        one, two = (
            seconds(partial(KernelEnsembleClassifier(n_jobs=k, random_state=0).fit, X, y))
            for k in (1, 2)
        )
        ratios.append(one / two)
    return round(statistics.median(ratios), 2)


def main():
    X, y = make_classification(
        20_000, 16, n_informative=12, n_classes=10, n_clusters_per_class=2, random_state=0
    )
    KernelEnsembleClassifier(random_state=0).fit(X[:1500], y[:1500])
    kept = {}
    for budget in BUDGETS:
        clf = KernelEnsembleClassifier(time_budget=budget, random_state=0)
        kept[budget] = seconds(lambda clf=clf: clf.fit(X, y))
    gains = {n_rows: _gain_of_two_workers(X[:n_rows], y[:n_rows]) for n_rows in ROWS}
    line = {
        "benchmark": "kernel_ensemble_budget",
        "budget_s": list(kept),
        "fit_s": [round(value, 2) for value in kept.values()],
        "kept": [value <= 1.1 * budget + 1.0 for budget, value in kept.items()],
        "two_workers_gain": gains,
        "target": 1.6,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
