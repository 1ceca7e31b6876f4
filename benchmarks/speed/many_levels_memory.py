"""Memory of a fit to 100,000 rows with a category of 1,000 levels, beyond that of the data.

    python benchmarks/speed/many_levels_memory.py [--classifier KernelEnsembleClassifier]

Peak memory of the process less its memory before the fit. A dense indicator matrix alone would take
800 MB. Prints one JSON line.
"""

import argparse
import json
import resource

import numpy as np
import pandas as pd

import kernsemble

N_ROWS, N_LEVELS = 100_000, 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classifier", default="KernelEnsembleClassifier")
    name = parser.parse_args().classifier
    rng = np.random.RandomState(0)
    effect, shop = rng.randn(N_LEVELS), rng.randint(N_LEVELS, size=N_ROWS)
    X = pd.DataFrame({"shop": pd.Categorical(shop.astype(str)), "size": rng.randn(N_ROWS)})
    y = effect[shop] + X["size"].to_numpy() + rng.randn(N_ROWS) > 0
    clf = getattr(kernsemble, name)(random_state=0)
    # Compiled code and loaded libraries are not the fit's.
    getattr(kernsemble, name)(random_state=0).fit(X[:500], y[:500])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clf.fit(X, y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = {
        "benchmark": "many_levels_memory",
        "classifier": name,
        "beyond_mb": round((peak - before) / 1024),
        "honest_accuracy": round(float(clf.honest_accuracy_), 4),
        "target": "beyond_mb below 500",
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
