"""Processor seconds of ten methods on a busy machine, against one BLAS thread forced.

python benchmarks/speed/busy_machine.py

One busy process for every core is started, and ended at the end. Each side runs in a process of its
own: one as a user starts it, one with OPENBLAS_NUM_THREADS=1 and OMP_NUM_THREADS=1.
"""

import json
import os
import subprocess
import sys
import time

ROWS, COLUMNS = 500, 20
METHODS = [
    "AlignmentMKL",
    "CoKRR",
    "KMHKS",
    "KernelFDA",
    "KernelPCAEnsemble",
    "KernelRidge",
    "MPRaF",
    "RPEMEKL",
    "RVFLEnsemble",
    "SimpleMKL",
]
VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def fit_all():
    """Print the processor seconds of fit and predict of every method."""
    from sklearn.datasets import make_classification

    import kernsemble

    X, y = make_classification(ROWS, COLUMNS, n_informative=8, random_state=0)
    found = {}
    for name in METHODS:
        make = getattr(kernsemble, f"{name}Classifier")
        # Code is compiled, or read, before the clock starts.
        make(random_state=0).fit(X[:100], y[:100]).predict(X[:100])
        start = time.process_time()
        make(random_state=0).fit(X, y).predict(X)
        found[name] = time.process_time() - start
    print(json.dumps(found))


def measure(forced):
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    if forced:
        environment |= dict.fromkeys(VARIABLES, "1")
    done = subprocess.run(
        [sys.executable, __file__, "fit"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def main():
    n_cores = len(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_cores)]
    try:
        forced, ours = measure(True), measure(False)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    line = {
        "benchmark": "busy_machine",
        "ratio": round(sum(ours.values()) / sum(forced.values()), 3),
        "target": "at most 1.3",
        "ours_s": round(sum(ours.values()), 3),
        "theirs_s": round(sum(forced.values()), 3),
        "busy_processes": n_cores,
        "ratios": {name: round(ours[name] / forced[name], 2) for name in METHODS},
    }
    print(json.dumps(line))


if __name__ == "__main__":
    fit_all() if sys.argv[1:] == ["fit"] else main()
