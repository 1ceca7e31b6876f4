"""How well `time_budget` is kept, and what a second worker is worth.

Prints one JSON line: for every budget the seconds that passed and whether they are within 10 % plus
one second of it, and the seconds of one worker divided by those of two (target: at least 1.6). Run
it on an idle machine.
"""

import json

from sklearn.datasets import make_classification
from timing import seconds

from kernsemble import KernelEnsembleClassifier

BUDGETS = (2.0, 5.0, 10.0)


def main():
    X, y = make_classification(
        20_000, 16, n_informative=12, n_classes=10, n_clusters_per_class=2, random_state=0
    )
    KernelEnsembleClassifier(random_state=0).fit(X[:1500], y[:1500])
    kept = {}
    for budget in BUDGETS:
        clf = KernelEnsembleClassifier(time_budget=budget, random_state=0)
        kept[budget] = seconds(lambda clf=clf: clf.fit(X, y))
    workers = {}
    for n_jobs in (1, 2):
        clf = KernelEnsembleClassifier(n_jobs=n_jobs, random_state=0)
        workers[n_jobs] = seconds(lambda clf=clf: clf.fit(X[:5000], y[:5000]))
    line = {
        "benchmark": "kernel_ensemble_budget",
        "budget_s": list(kept),
        "fit_s": [round(value, 2) for value in kept.values()],
        "kept": [value <= 1.1 * budget + 1.0 for budget, value in kept.items()],
        "two_workers_gain": round(workers[1] / workers[2], 2),
        "target": 1.6,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
