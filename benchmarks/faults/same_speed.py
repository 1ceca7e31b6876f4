"""Is a checkout as fast as another one, and are its fitted models as small?

    git clone . ../before && git -C ../before checkout COMMIT
    python benchmarks/faults/same_speed.py ../before

Runs the workloads of forest_speed, shared_distances, krr_loo_grid and kernel_ensemble_latency with
the package of either checkout, in turns, each time in a new process with one thread of the linear
algebra. Prints one JSON line: for every workload the ratio of the best processor times of this
checkout to those of the other, and for some fitted models the ratio of their pickled bytes, which a
model file packs. The target is at most 1.05.
"""

import argparse
import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
TURNS = 5


def best(function, repeats):
    """Return the least processor time of a call."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def measure():
    """Return workload → seconds, for the package that this process imports."""
    import numpy as np
    from sklearn.datasets import make_classification

    from kernsemble import (
        KernelEnsembleClassifier,
        KernelRidgeClassifier,
        LandmarkRidgeClassifier,
        MPRaFClassifier,
    )
    from kernsemble.datasets import make_waveform
    from kernsemble.kernels import RBF, GammaGrid, evaluate

    X, y = make_waveform(4000, random_state=0)
    forest = MPRaFClassifier(100, random_state=0).fit(X[:200], y[:200])
    found = {"forest fit": best(lambda: forest.fit(X, y), 3)}
    found["forest predict"] = best(lambda: forest.predict(X), 3)
    rows = np.random.RandomState(0).randn(3000, 30)
    kernels = [RBF(gamma) for gamma in (0.001, 0.01, 0.03, 0.1, 1.0)]
    found["shared distances"] = best(lambda: evaluate(kernels, rows), 3)
    X, y = make_classification(1000, 20, n_informative=8, n_classes=3, random_state=0)
    ridge = KernelRidgeClassifier(GammaGrid())
    found["kernel ridge grid"] = best(lambda: ridge.fit(X, y), 1)
    landmarks = LandmarkRidgeClassifier(10, n_landmarks=50, alpha=1e-2, random_state=0)
    found["landmark ridge fit"] = best(lambda: landmarks.fit(X, y), 3)
    flagship = KernelEnsembleClassifier(random_state=0).fit(X[:100], y[:100])
    found["flagship fit"] = best(lambda: flagship.fit(X, y), 2)
    found["flagship predict"] = best(lambda: flagship.predict(X), 3)
    found["flagship predict, one row"] = best(lambda: flagship.predict(X[:1]), 20)
    models = {"forest": forest, "kernel ridge": ridge, "landmark ridge": landmarks}
    for name, model in {**models, "flagship": flagship}.items():
        found[f"{name}, bytes"] = len(pickle.dumps(model))
    return found


def main():
    parser = argparse.ArgumentParser(description="Compare the speed of two checkouts.")
    parser.add_argument("before", type=Path, help="The other checkout.")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure()))
        return
    times: dict[str, list] = {"before": [], "after": []}
    for turn in range(TURNS):
        for side, checkout in (("before", options.before), ("after", HERE))[:: 1 - 2 * (turn % 2)]:
            environment = {
                **os.environ,
                "PYTHONPATH": str(checkout.resolve() / "src"),
                "OPENBLAS_NUM_THREADS": "1",
            }
            command = [sys.executable, __file__, str(options.before), "--measure"]
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            )
            times[side].append(json.loads(done.stdout.splitlines()[-1]))
    least = {
        side: {name: min(run[name] for run in runs) for name in runs[0]}
        for side, runs in times.items()
    }
    ratios = {
        name: round(least["after"][name] / least["before"][name], 3) for name in least["after"]
    }
    print(json.dumps({"benchmark": "same_speed", "ratio": ratios, **least}))


if __name__ == "__main__":
    main()
